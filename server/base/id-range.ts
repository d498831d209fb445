// Converts times in filters to bounds on ids, so that lists ordered by id can use the index.
import { z } from "zod";

/** Clocks may differ by this much between an id's time and `created_at`. */
export const CLOCK_SLACK_MS = 3_600_000;
const DAY_MS = 86_400_000;
export const FIRST_ID = "00000000-0000-0000-0000-000000000000";
export const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** The end of the year 9999, the latest ISO time with a four-digit year. */
const TIME_MAX_MS = 253_402_300_799_999;

const time = z.iso.datetime({ offset: true });

/** Whether the text is a time as all endpoints accept it: ISO 8601 with `Z` or an offset. */
export function isTime(text: string): boolean {
  return time.safeParse(text).success;
}

/** Clamps a time to the range that PostgreSQL and ids can hold: 1970 to 9999. */
export function readTime(text: string): Date {
  return new Date(Math.min(Math.max(Date.parse(text), 0), TIME_MAX_MS));
}

/** The smallest (`0`) or largest (`f`) UUIDv7 of a time. */
function idAt(ms: number, filler: "0" | "f"): string {
  const time = Math.max(ms, 0).toString(16).padStart(12, "0");
  const rest = filler.repeat(4);
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest}-${rest}-${filler.repeat(12)}`;
}

/**
 * Between these are the ids of all rows that the oldest row caused, until the newest of them was made, if clocks differ by less than a
 * day. Statements with both bounds skip the partitions of other days.
 */
export function idsBetween(oldest: string, newest: string): [from: string, to: string] {
  return [idAt(timeOfId(oldest) - DAY_MS, "0"), idAt(timeOfId(newest) + DAY_MS, "f")];
}

/** When an id was made, in ms. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Rows created at or after this time have no smaller id. */
export function lowestId(since: Date): string {
  return idAt(since.getTime() - CLOCK_SLACK_MS, "0");
}

/** Rows created at or before this time have no larger id. */
export function highestId(until: Date): string {
  return idAt(until.getTime() + CLOCK_SLACK_MS, "f");
}
