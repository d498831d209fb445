// The retry schedule and Retry-After.
import { describe, expect, test } from "vitest";
import { nextAttempt, retryAfterMs } from "#server/webhooks/delivery/schedule.ts";

const NOW = new Date("2026-01-31T12:00:00.000Z");
const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const PAUSES_SECONDS = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

const pauseAfter = (attempts: number, retryAfter: string | null = null) => {
  const at = nextAttempt(attempts, retryAfter, NOW);
  return at ? at.getTime() - NOW.getTime() : null;
};

test.each(PAUSES_SECONDS.map((seconds, i) => [i + 1, seconds]))(
  "after attempt %i: %i s, within a tenth, not always the same",
  (attempts, seconds) => {
    const pauses = Array.from({ length: 200 }, () => pauseAfter(attempts) ?? Number.NaN);
    const wanted = seconds * SECOND_MS;
    expect(pauses.every((pause) => pause >= wanted * 0.9 - 1 && pause <= wanted * 1.1)).toBe(true);
    expect(new Set(pauses).size).toBeGreaterThan(1);
  },
);

test("after the ninth attempt there is none", () => {
  expect(pauseAfter(9)).toBeNull();
  expect(pauseAfter(9, "60")).toBeNull();
});

describe("Retry-After", () => {
  test.each([
    ["120", 120 * SECOND_MS],
    [" 7 ", 7 * SECOND_MS],
    ["0", 0],
    ["Sat, 31 Jan 2026 12:01:30 GMT", 90 * SECOND_MS],
    ["Sat, 31 Jan 2026 11:00:00 GMT", 0],
    ["99999999999999999999", 10 * HOUR_MS],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 10 * HOUR_MS],
    ["-5", 0],
    ["soon", 0],
    ["", 0],
    [null, 0],
  ])("%j asks for %i ms", (header, wait) => expect(retryAfterMs(header, NOW)).toBe(wait));

  test("is a minimum, not a maximum", () => {
    expect(pauseAfter(1, "120")).toBe(120 * SECOND_MS);
    expect(pauseAfter(4, "1")).toBeGreaterThan(1_000 * SECOND_MS);
  });
});
