// Background writes: which items count as unwritten, and how a failed write is retried.
import { expect, test } from "vitest";
import { writeBehind } from "#server/base/batching/write-behind.ts";
import { createLog } from "#server/base/log.ts";

const BRIEF_MS = 20;
const LONG_MS = 15_000;
const log = createLog("silent", false);

test("a flush that ends during a write counts what is being written", async () => {
  const answer = Promise.withResolvers<void>();
  const writes = writeBehind<number>(() => answer.promise, log);
  writes.add(1);
  writes.add(2);
  expect(await writes.flush(BRIEF_MS)).toBe(2);
  answer.resolve();
  expect(await writes.flush(LONG_MS)).toBe(0);
});

test("a write that fails is repeated with everything that was added since, each item written once, in order", async () => {
  const written: number[] = [];
  let failures = 2;
  const writes = writeBehind<number>(async (items) => {
    failures -= 1;
    if (failures >= 0) throw new Error("the database is away");
    written.push(...items);
  }, log);
  writes.add(1);
  await expect.poll(() => writes.isLate()).toBe(true);
  writes.add(2);
  expect(await writes.flush(LONG_MS)).toBe(0);
  expect([written, writes.isLate()]).toEqual([[1, 2], false]);
});

test("after a flush that ended while a write waited for its retry, what is added is written with the rest", async () => {
  const written: number[] = [];
  let isAway = true;
  const writes = writeBehind<number>(async (items) => {
    if (isAway) throw new Error("the database is away");
    written.push(...items);
  }, log);
  writes.add(1);
  await expect.poll(() => writes.isLate()).toBe(true);
  expect(await writes.flush(BRIEF_MS)).toBe(1);
  isAway = false;
  writes.add(2);
  await expect.poll(() => written, { timeout: LONG_MS }).toEqual([1, 2]);
});

test("more than one statement takes is written in several", async () => {
  const sizes: number[] = [];
  const writes = writeBehind<number>(async (items) => void sizes.push(items.length), log);
  for (let item = 0; item < 1_200; item += 1) writes.add(item);
  expect(await writes.flush(LONG_MS)).toBe(0);
  expect(sizes).toEqual([500, 500, 200]);
});
