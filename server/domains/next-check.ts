// Decides when a domain is checked next.
import type { DomainRow } from "./find.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const PAUSE_MAX_MS = 6 * HOUR_MS;
/** Beyond the first hour, a domain that waits is checked after this share of the time that it has waited. */
const SHARE = 1 / 30;
const JITTER = 0.1;

type Checked = Pick<DomainRow, "status" | "records" | "created_at" | "verified_at">;

/**
 * While records are missing: every minute for an hour since the domain was added or verified, then at growing intervals.
 * Otherwise every 6 hours.
 */
export function nextCheck({ status, records, created_at, verified_at }: Checked, now: Date): Date {
  const waits = status !== "verified" || records.some((record) => record.status !== "found");
  const waited = now.getTime() - (verified_at ?? created_at).getTime();
  const pause = waited < HOUR_MS ? MINUTE_MS : Math.min(PAUSE_MAX_MS, waited * SHARE);
  return new Date(now.getTime() + (waits ? pause : PAUSE_MAX_MS) * (1 - JITTER * Math.random()));
}
