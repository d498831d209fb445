// The fair queue between organizations: turns, sockets and room, whatever one of them has or does.
import { describe, expect, test } from "vitest";
import type { Attempt, Lanes } from "#server/webhooks/delivery/lane.ts";
import * as lanes from "#server/webhooks/delivery/lanes.ts";
import { room } from "#server/webhooks/delivery/memory-limits.ts";
import { delivery, fill, newLanes, startAll, sweep } from "./lanes-driver.ts";

const SLOW_MS = 1_000;

test("organizations take turns, however many webhooks each has", () => {
  const queue = newLanes();
  for (const webhook of ["a/1", "a/2", "a/3", "b/1"]) fill(queue, webhook, 10);
  const turns = startAll(queue, 0).map((attempt) => attempt.delivery.webhook_id);
  expect(turns.join(" ")).toMatch(/^a\/1 b\/1 a\/2 b\/1 a\/3 b\/1 a\/1 b\/1 a\/2 /);
});

describe("an organization with a thousand webhooks", () => {
  const many = (queue: Lanes, each: number, now = 0) => {
    for (let i = 0; i < 1_000; i += 1) fill(queue, `big/${i}`, each, now);
  };
  const startedFor = (started: Attempt[], webhookId: string) =>
    started.filter((attempt) => attempt.delivery.webhook_id === webhookId).length;

  test("that are new and hang leaves sockets to a newcomer of another, at every moment", () => {
    const queue = newLanes();
    for (let now = 0; now <= 14_000; now += 250) {
      many(queue, 1, now);
      sweep(queue, now);
      startAll(queue, now);
      const newcomer = `small/${now}`;
      fill(queue, newcomer, 1, now);
      expect(startedFor(startAll(queue, now), newcomer)).toBe(1);
    }
  });

  test("that time out leaves sockets to a slow webhook of another", () => {
    const queue = newLanes();
    for (let now = 0; now < 60_000; now += 15_000) {
      many(queue, 2, now);
      const started: Attempt[] = [];
      for (let at = now; at < now + 15_000; at += 250) {
        sweep(queue, at);
        started.push(...startAll(queue, at));
      }
      for (const attempt of started) lanes.finish(queue, attempt, "timed out", now + 15_000);
    }
    startAll(queue, 60_000);
    fill(queue, "small/slow", 1, 60_000);
    const [attempt] = startAll(queue, 60_000).filter(({ lane }) => lane.webhookId === "small/slow");
    sweep(queue, 62_000);
    if (attempt) lanes.finish(queue, attempt, "succeeded", 62_000);
    startAll(queue, 62_000);
    fill(queue, "small/slow", 1, 62_000);
    expect(startedFor(startAll(queue, 62_000), "small/slow")).toBe(1);
  });

  test("that answer leaves sockets and turns to another", () => {
    const queue = newLanes();
    const started: Attempt[] = [];
    for (let now = 0; now < 1_000; now += 10) {
      many(queue, 2, now);
      started.push(...startAll(queue, now));
      for (const attempt of started.splice(0, 100)) lanes.finish(queue, attempt, "succeeded", now);
    }
    many(queue, 2, 1_000);
    startAll(queue, 1_000);
    fill(queue, "small/one", 4, 1_000);
    expect(startedFor(startAll(queue, 1_000), "small/one")).toBe(4);
  });

  test("has at most two thirds of the room for mail", () => {
    const queue = newLanes();
    many(queue, 5);
    expect(room(queue, "mail")).toBe(1_024);
    expect(fill(queue, "small/one", 500)).toEqual([]);
  });

  test("that hang leaves half of the room to the others", () => {
    const queue = newLanes();
    many(queue, 2);
    startAll(queue, 0);
    for (let now = SLOW_MS; now <= 10_000; now += 250) {
      for (let i = 0; i < 1_000; i += 1) lanes.add(queue, delivery(`big/${i}`), "table", now);
      sweep(queue, now);
      startAll(queue, now);
    }
    expect(room(queue, "table")).toBeGreaterThanOrEqual(500);
    expect(room(queue, "mail")).toBeGreaterThanOrEqual(1_500);
  });
});
