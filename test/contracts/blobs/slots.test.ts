// Requests to S3 run at the same time only while the bytes of their bodies fit.
import { expect, test } from "vitest";
import { createSlots, type Slot } from "#server/adapters/s3-requests.ts";

const never = new AbortController().signal;

/** Asks for a slot; `end` ends the work in it. */
function ask(slot: Slot, organizationId: string, bytes: number, signal = never) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = { runs: false };
  const done = slot({ organizationId, bytes, signal }, async () => {
    state.runs = true;
    await promise;
  });
  return {
    state,
    done,
    async end() {
      resolve();
      await done;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a body waits until it fits, and smaller ones go first", async () => {
  const slot = createSlots(100);
  const [first, second, third] = [ask(slot, "a", 60), ask(slot, "b", 60), ask(slot, "c", 40)];
  await settled();
  expect([first.state.runs, second.state.runs, third.state.runs]).toEqual([true, false, true]);
  await third.end();
  await settled();
  expect(second.state.runs).toBe(false);
  await first.end();
  await settled();
  expect(second.state.runs).toBe(true);
  await second.end();
});

test("a body that is larger than the limit is alone, and requests without a body go on", async () => {
  const slot = createSlots(100);
  const large = ask(slot, "a", 500);
  const [small, empty] = [ask(slot, "b", 1), ask(slot, "b", 0)];
  await settled();
  expect([large.state.runs, small.state.runs, empty.state.runs]).toEqual([true, false, false]);
  const reading = ask(slot, "c", 0);
  await settled();
  expect(reading.state.runs).toBe(true);
  await large.end();
  await settled();
  expect([small.state.runs, empty.state.runs]).toEqual([true, true]);
  await Promise.all([small.end(), empty.end(), reading.end()]);
});

test("who gives up while waiting takes no slot", async () => {
  const slot = createSlots(100);
  const large = ask(slot, "a", 100);
  const hurry = new AbortController();
  const waiting = ask(slot, "b", 50, hurry.signal);
  hurry.abort(new Error("late"));
  await expect(waiting.done).rejects.toThrow("late");
  const next = ask(slot, "c", 100);
  await large.end();
  await settled();
  expect([waiting.state.runs, next.state.runs]).toEqual([false, true]);
  await next.end();
});

test("one organization has at most half of the slots", async () => {
  const slot = createSlots(100);
  const many = Array.from({ length: 60 }, () => ask(slot, "a", 0));
  const other = ask(slot, "b", 0);
  await settled();
  expect([many.filter(({ state }) => state.runs).length, other.state.runs]).toEqual([24, true]);
  await Promise.all([other, ...many].map((each) => each.end()));
});
