// Decides when a domain is checked next.
import { domains } from "#db/schema/domains.ts";
import { makeDue } from "../base/catch-up.ts";
import type { DomainRow } from "./find.ts";
import { sendingOf } from "./view.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PAUSE_MAX_MS = 6 * HOUR_MS;
/** Beyond the first hour, a domain that waits is checked after this share of the time that it has waited. */
const SHARE = 1 / 30;
const JITTER = 0.1;

type Checked = Pick<DomainRow, "status" | "records" | "provider" | "created_at" | "verified_at">;

/**
 * While records are missing: every minute for an hour since the domain was added or verified, then at growing intervals.
 * Otherwise every 6 hours. Never before the time that the mail provider asked for.
 */
export function nextCheck(checked: Checked, now: Date): Date {
  const { status, records, provider, created_at, verified_at } = checked;
  const isComplete = records.every((record) => record.status === "found") && sendingOf(checked).status === "ready";
  const waits = status !== "verified" || !isComplete;
  const waited = now.getTime() - (verified_at ?? created_at).getTime();
  const pause = waited < HOUR_MS ? MINUTE_MS : Math.min(PAUSE_MAX_MS, waited * SHARE);
  const next = now.getTime() + (waits ? pause : PAUSE_MAX_MS) * (1 - JITTER * Math.random());
  return new Date(Math.max(next, provider?.retry_at ? Date.parse(provider.retry_at) : 0));
}

export const advanceDomains = makeDue({
  table: domains,
  key: domains.id,
  at: domains.next_check_at,
  withinMs: PAUSE_MAX_MS,
});
