// Times from outside as bounds on ids, so that a list by id reads no more than a filter by time asks for.
import { z } from "zod";

/** Ids are made in the moment that `created_at` tells, or clocks were set between the two. */
export const CLOCK_SLACK_MS = 3_600_000;
export const FIRST_ID = "00000000-0000-0000-0000-000000000000";
export const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** The end of the year 9999, the last that an ISO time with four digits can name. */
const TIME_MAX_MS = 253_402_300_799_999;

const time = z.iso.datetime({ offset: true });

/** Whether this is a time as every endpoint takes one: ISO 8601 with `Z` or an offset. */
export function isTime(text: string): boolean {
  return time.safeParse(text).success;
}

/** A time as given, moved to where every database has it: from 1970 to 9999. */
export function readTime(text: string): Date {
  return new Date(Math.min(Math.max(Date.parse(text), 0), TIME_MAX_MS));
}

/** The smallest (`0`) or largest (`f`) UUIDv7 of a time. */
function idAt(ms: number, filler: "0" | "f"): string {
  const time = Math.max(ms, 0).toString(16).padStart(12, "0");
  const rest = filler.repeat(4);
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest}-${rest}-${filler.repeat(12)}`;
}

/** No row made at or after this time has a smaller id. */
export function lowestId(since: Date): string {
  return idAt(since.getTime() - CLOCK_SLACK_MS, "0");
}

/** No row made at or before this time has a larger id. */
export function highestId(until: Date): string {
  return idAt(until.getTime() + CLOCK_SLACK_MS, "f");
}
