// The limiter: the limit of all holders together, and of each.
import { expect, test } from "vitest";
import { createLimiter } from "#server/base/limiter.ts";

test("a holder takes no more than its limit, and all together no more than theirs", () => {
  const limiter = createLimiter({ total: 5, each: 3 });
  const [first, second] = [limiter.open("acme"), limiter.open("acme")];
  expect([first.take(2), second.take(2), second.take(1)]).toEqual([undefined, "each", undefined]);
  const other = limiter.open("zeta");
  expect([other.take(3), other.take(2), limiter.open().take()]).toEqual(["total", undefined, "total"]);
  expect([limiter.used, limiter.usedBy("acme"), limiter.usedBy("zeta")]).toEqual([5, 3, 2]);
});

test("a release gives back what its share took, once", () => {
  const limiter = createLimiter({ each: 3 });
  const [first, second] = [limiter.open("acme"), limiter.open("acme")];
  expect([first.take(), first.take(), second.take()]).toEqual([undefined, undefined, undefined]);
  first.release();
  first.release();
  expect([limiter.usedBy("acme"), second.take(2), second.take()]).toEqual([1, undefined, "each"]);
  second.release();
  expect(limiter.used).toBe(0);
});
