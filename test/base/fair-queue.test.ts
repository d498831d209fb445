// The fair queue: the order of turns, and shares of the running work.
import { expect, test } from "vitest";
import { createFairQueue, type FairQueue } from "#server/base/fair-queue.ts";

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.next(); item; item = queue.next()) taken.push(item);
  return taken;
}

test("groups take turns, and so do the members of each", () => {
  const queue = createFairQueue<string>();
  for (const item of ["a1", "a2", "a3"]) queue.add("acme", item, "a");
  queue.add("acme", "b1", "b");
  for (const item of ["z1", "z2"]) queue.add("zeta", item);
  expect([queue.size, queue.groups, queue.waitingOf("acme"), queue.waitingOf("acme", "a")]).toEqual([6, 2, 4, 3]);
  expect(takeAll(queue)).toEqual(["a1", "z1", "b1", "z2", "a2", "a3"]);
  expect([queue.size, queue.groups, queue.waitingOf("acme")]).toEqual([0, 0, 0]);
});

test("a group that had nothing waiting gets the last turn", () => {
  const queue = createFairQueue<string>();
  queue.add("acme", "a1");
  queue.add("zeta", "z1");
  expect(queue.next()).toBe("a1");
  queue.add("acme", "a2");
  expect(takeAll(queue)).toEqual(["z1", "a2"]);
});

test("a group and a member run no more than their shares until their work is done", () => {
  const queue = createFairQueue<string>(() => ({ group: 2, member: 1 }));
  for (const item of ["a1", "a2"]) queue.add("acme", item, "a");
  queue.add("acme", "b1", "b");
  queue.add("acme", "c1", "c");
  queue.add("zeta", "z1", "z");
  expect(takeAll(queue)).toEqual(["a1", "z1", "b1"]);
  queue.done("acme", "a");
  expect(takeAll(queue)).toEqual(["c1"]);
  queue.done("acme", "b");
  expect(takeAll(queue)).toEqual(["a2"]);
});

test("a member runs no more than its share while its group has some left", () => {
  const queue = createFairQueue<string>(() => ({ group: 9, member: 1 }));
  for (const item of ["a1", "a2"]) queue.add("acme", item, "a");
  expect(takeAll(queue)).toEqual(["a1"]);
});

test("an item that does not fit lets others pass, one that is removed is not taken, and a drain takes the rest", () => {
  const queue = createFairQueue<string>();
  for (const [group, item] of [
    ["acme", "large"],
    ["zeta", "small"],
    ["beta", "gone"],
  ] as const) {
    queue.add(group, item);
  }
  expect(queue.next((item) => item !== "large")).toBe("small");
  expect([queue.remove("beta", "gone"), queue.remove("beta", "gone")]).toEqual([true, false]);
  expect([queue.drain(), queue.size]).toEqual([["large"], 0]);
});
