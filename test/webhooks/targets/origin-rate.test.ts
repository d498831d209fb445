// The rate of an origin in the fair queue: what exceeds it waits, goes back unattempted, and delays no other origin.
import { expect, test } from "vitest";
import type { Lanes, Returned } from "#server/webhooks/delivery/lane.ts";
import * as lanes from "#server/webhooks/delivery/lanes.ts";
import { delivery, newLanes, startAll, sweep } from "../delivery/lanes-driver.ts";

const PER_SECOND = 100;
const BURST = PER_SECOND / 2;

function add(queue: Lanes, webhookId: string, url: string, many: number, now = 0): Returned[] {
  return Array.from({ length: many }, () => lanes.add(queue, { ...delivery(webhookId), url }, "table", now)).flatMap(
    (returned) => returned ?? [],
  );
}

/** Starts all attempts that may start, ends them, and returns how many each webhook had. */
function serve(queue: Lanes, now: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let started = startAll(queue, now); started.length > 0; started = startAll(queue, now)) {
    for (const attempt of started) {
      const { webhook_id } = attempt.delivery;
      counts[webhook_id] = (counts[webhook_id] ?? 0) + 1;
      lanes.finish(queue, attempt, "succeeded", now);
    }
  }
  return counts;
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);

test("many webhooks of many organizations at one origin get its rate together, each organization its share", () => {
  const queue = newLanes(PER_SECOND);
  for (let n = 0; n < 20; n += 1) add(queue, `big/${n}`, `https://victim.example/${n}`, 10);
  add(queue, "small/0", "https://victim.example:443/s", 200);
  expect(sum(serve(queue, 0))).toBe(BURST);
  let small = 0;
  for (let now = 10; now <= 1_000; now += 10) {
    const counts = serve(queue, now);
    small += counts["small/0"] ?? 0;
    expect(sum(counts)).toBe(1);
  }
  expect(small).toBeGreaterThanOrEqual(49);
});

test("another origin is not delayed, however much waits", () => {
  const queue = newLanes(PER_SECOND);
  for (let n = 0; n < 20; n += 1) add(queue, `big/${n}`, `https://victim.example/${n}`, 40);
  serve(queue, 0);
  add(queue, "big/own", "https://other.example/", 20);
  add(queue, "small/0", "https://good.example/", 20);
  expect(serve(queue, 0)).toEqual({ "big/own": 20, "small/0": 20 });
});

test("a lane that is held keeps what it sends within a second; the rest comes due at the origin's pace", () => {
  const queue = newLanes(PER_SECOND);
  add(queue, "o/0", "https://victim.example/", 1_000);
  serve(queue, 0);
  const returned = sweep(queue, 1);
  expect(returned).toHaveLength(1_000 - BURST - PER_SECOND);
  const latest = Math.max(...returned.map(({ afterMs }) => afterMs));
  expect(latest).toBeGreaterThan(4_000);
  expect(add(queue, "o/0", "https://victim.example/", 1, 2)).toHaveLength(1);
});

test("a webhook that leads elsewhere since waits for the rate of its new origin", () => {
  const queue = newLanes(PER_SECOND);
  add(queue, "o/0", "https://victim.example/", 60);
  serve(queue, 0);
  add(queue, "o/1", "https://other.example/", 1);
  const [attempt] = startAll(queue, 0);
  if (!attempt) throw new Error("nothing started");
  expect(lanes.mayGoTo(queue, attempt, "https://other.example/new", 0)).toBe(true);
  expect(lanes.mayGoTo(queue, attempt, "https://third.example/", 0)).toBe(true);
  expect(lanes.mayGoTo(queue, attempt, "https://victim.example/x", 0)).toBe(false);
});
