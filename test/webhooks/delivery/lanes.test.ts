// The fair queue, with a simulated clock: turns, limits, the cost of slow endpoints to others, and that no delivery is
// lost.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DueDelivery } from "#server/webhooks/delivery/due-delivery.ts";
import type { Attempt, Lanes, Origin } from "#server/webhooks/delivery/lane.ts";
import * as lanes from "#server/webhooks/delivery/lanes.ts";
import { room } from "#server/webhooks/delivery/memory-limits.ts";
import type { Ending } from "#server/webhooks/delivery/window.ts";
import { delivery, fill, newLanes, startAll, sweep } from "./lanes-driver.ts";

const SLOW_MS = 1_000;
const HOLD_MS = 30_000;

/** Serves one webhook with answers that take `tookMs`, for a number of rounds; gives how many it had in flight in the last. */
function serve(queue: Lanes, webhookId: string, rounds: number, tookMs: number): { inFlight: number; now: number } {
  let now = 0;
  let inFlight = 0;
  for (let round = 0; round < rounds; round += 1) {
    fill(queue, webhookId, 500, now);
    const started = startAll(queue, now);
    inFlight = started.length;
    now += tookMs;
    if (tookMs >= SLOW_MS) sweep(queue, now);
    for (const attempt of started) lanes.finish(queue, attempt, "succeeded", now);
  }
  lanes.drain(queue);
  return { inFlight, now };
}

test("webhooks take turns", () => {
  const queue = newLanes();
  for (const webhook of ["a", "b", "c"]) fill(queue, webhook, 10);
  const turns = startAll(queue, 0).map((attempt) => attempt.delivery.webhook_id);
  expect(turns.join("")).toBe("abcabcabcabc");
});

describe("a webhook's share", () => {
  test("grows with quick success, and never to all of it", () => {
    const { inFlight } = serve(newLanes(), "good", 12, 50);
    expect(inFlight).toBe(384);
  });

  test("stops growing when attempts only wait for each other", () => {
    // An endpoint that answers one at a time, in 5 ms each. 32 attempts wait 160 ms; growth ends at twice that and 10 ms, 66
    // attempts, which is seen one round late, when there are twice as many. For 100 s, so that creeping up would show.
    const queue = newLanes();
    let now = 0;
    let most = 0;
    fill(queue, "single", 200);
    const underWay: Attempt[] = [];
    for (let served = 0; served < 20_000; served += 1) {
      if (served % 100 === 0) fill(queue, "single", 100, now);
      underWay.push(...startAll(queue, now));
      most = Math.max(most, underWay.length);
      now += 5;
      const [attempt] = underWay.splice(0, 1);
      if (attempt) lanes.finish(queue, attempt, "succeeded", now);
    }
    expect(most).toBeLessThanOrEqual(2 * 66 + 2);
  });

  test("stays small while answers are slow", () => {
    const { inFlight } = serve(newLanes(), "slow", 12, 5_000);
    expect(inFlight).toBeLessThanOrEqual(32);
    expect(inFlight).toBeGreaterThan(4);
  });

  test("shrinks to one with timeouts", () => {
    const queue = newLanes();
    fill(queue, "dead", 100);
    for (let now = 0; now < 120_000; now += 15_000) {
      const started = startAll(queue, now);
      sweep(queue, now + SLOW_MS);
      for (const attempt of started) lanes.finish(queue, attempt, "timed out", now + 15_000);
      fill(queue, "dead", 10, now + 15_000);
    }
    expect(startAll(queue, 120_000)).toHaveLength(1);
  });
});

describe("others", () => {
  test("start immediately beside a proven webhook that has started to hang", () => {
    const queue = newLanes();
    const { now } = serve(queue, "big", 12, 50);
    fill(queue, "big", 2_000, now);
    expect(startAll(queue, now)).toHaveLength(384);
    fill(queue, "other", 3, now + 10);
    expect(startAll(queue, now + 10).map((attempt) => attempt.delivery.webhook_id)).toEqual([
      "other",
      "other",
      "other",
    ]);
  });

  test("start immediately beside a thousand webhooks that hang, if they have answered before", () => {
    const queue = newLanes();
    const { now } = serve(queue, "good", 2, 10);
    for (let i = 0; i < 1_000; i += 1) fill(queue, `dead${i}`, 3, now);
    startAll(queue, now);
    fill(queue, "good", 4, now + 1);
    expect(startAll(queue, now + 1).map((attempt) => attempt.delivery.webhook_id)).toEqual(Array(4).fill("good"));
  });

  test("that are new start within seconds beside a thousand that hang", () => {
    const queue = newLanes();
    for (let i = 0; i < 1_000; i += 1) fill(queue, `dead${i}`, 2);
    fill(queue, "newcomer", 1);
    let startedAt: number | undefined;
    for (let now = 0; now <= 14_000; now += 250) {
      sweep(queue, now);
      if (startAll(queue, now).some((attempt) => attempt.delivery.webhook_id === "newcomer")) startedAt ??= now;
    }
    expect(startedAt).toBeLessThanOrEqual(10 * SLOW_MS);
  });

  test("have room in memory beside a flood for one webhook", () => {
    const queue = newLanes();
    const returned = fill(queue, "flood", 5_000);
    expect(returned).toHaveLength(5_000 - 2_048);
    expect(returned.every(({ afterMs }) => afterMs > 0 && afterMs <= 300_000)).toBe(true);
    expect(room(queue, "mail")).toBe(3_072 - 2_048);
    expect(room(queue, "table")).toBe(1_024);
  });
});

test("a webhook that turns slow leaves half of the room to the others, and nearly all of it once it times out", () => {
  const queue = newLanes();
  fill(queue, "slow", 2_048);
  const started = startAll(queue, 0);
  expect(sweep(queue, SLOW_MS - 1)).toEqual([]);
  const free = () => room(queue, "mail") + room(queue, "table");
  const held = () => 4_096 - free();
  const returned = sweep(queue, SLOW_MS);
  expect(held()).toBeLessThanOrEqual(free() / 2);
  for (const attempt of started) lanes.finish(queue, attempt, "timed out", 15_000);
  returned.push(...sweep(queue, 15_000));
  expect(held()).toBeLessThanOrEqual(free() / 8);
  expect(returned).toHaveLength(2_048 - started.length - held());
  expect(returned.every(({ afterMs }) => afterMs > 0 && afterMs <= 300_000)).toBe(true);
});

test("nothing waits longer than the lease allows", () => {
  const queue = newLanes();
  fill(queue, "dead", 6);
  const started = startAll(queue, 0);
  sweep(queue, HOLD_MS - 1);
  expect(sweep(queue, HOLD_MS)).toHaveLength(6 - started.length);
  expect(lanes.drain(queue)).toEqual([]);
});

test("names what has waited long enough to be asked about", () => {
  const queue = newLanes();
  fill(queue, "a", 10);
  startAll(queue, 0);
  expect(lanes.stale(queue, 999)).toEqual([]);
  expect(lanes.stale(queue, 1_000)).toEqual(["a"]);
  expect(lanes.drop(queue, "a")).toHaveLength(6);
  expect(lanes.stale(queue, 1_000)).toEqual([]);
});

test("whatever happens, each delivery is waiting, under way, sent back or ended, exactly once", () => {
  const webhook = fc.constantFrom("a", "b", "x/c", "y/d");
  const origin = fc.constantFrom<Origin>("mail", "table");
  const ending = fc.constantFrom<Ending>("succeeded", "failed", "overloaded", "timed out");
  const step = fc.oneof(
    fc.record({ do: fc.constant("add" as const), webhook, origin, many: fc.integer({ min: 1, max: 1_500 }) }),
    fc.record({ do: fc.constant("start" as const), many: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ do: fc.constant("finish" as const), ending, pick: fc.nat(), many: fc.integer({ min: 1, max: 50 }) }),
    fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
    fc.record({ do: fc.constant("drop" as const), webhook }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = newLanes();
      const open = new Set<string>();
      const underWay: Attempt[] = [];
      let now = 0;
      const leave = ({ id }: DueDelivery) => expect(open.delete(id)).toBe(true);
      for (const action of steps) {
        if (action.do === "add") {
          for (let i = 0; i < action.many; i += 1) {
            const added = delivery(action.webhook);
            open.add(added.id);
            const back = lanes.add(queue, added, action.origin, now);
            if (back) leave(back.delivery);
          }
        } else if (action.do === "start") {
          for (let i = 0; i < action.many; i += 1) {
            const attempt = lanes.next(queue, now);
            if (attempt) underWay.push(attempt);
          }
        } else if (action.do === "finish") {
          for (const attempt of underWay.splice(action.pick % (underWay.length + 1), action.many)) {
            lanes.finish(queue, attempt, action.ending, now);
            leave(attempt.delivery);
          }
        } else if (action.do === "wait") {
          now += action.ms;
          for (const back of sweep(queue, now)) leave(back.delivery);
        } else {
          for (const dropped of lanes.drop(queue, action.webhook)) leave(dropped);
        }
        expect(lanes.inFlight(queue)).toBe(underWay.length);
        expect(Math.min(room(queue, "mail"), room(queue, "table"))).toBeGreaterThanOrEqual(0);
      }
      for (const attempt of underWay) leave(attempt.delivery);
      for (const drained of lanes.drain(queue)) leave(drained);
      expect(open.size).toBe(0);
      expect([room(queue, "mail"), room(queue, "table")]).toEqual([3_072, 1_024]);
    }),
    { numRuns: 100 },
  );
});
