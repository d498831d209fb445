// The retry schedule of deliveries.
import { eq } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { deliveries } from "#db/schema/events.ts";
import { JITTER, jittered } from "../../base/backoff.ts";
import { makeDue } from "../../base/catch-up.ts";
import { DELIVERY_LEASE_MS } from "./due-delivery.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const RETRY_AFTER_MAX_MS = 10 * HOUR_MS;

/** Backoff after the first, second, … failed attempt; one more failure is final. */
const PAUSES_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];

/** The latest possible attempt: the longest backoff with its jitter. */
const PAUSE_MAX_MS = Math.max(...PAUSES_MS, RETRY_AFTER_MAX_MS) * (1 + JITTER);

/** The delay that a `Retry-After` header (RFC 9110 §10.2.3: seconds or a date) requests, in ms; 0 if none. */
export function retryAfterMs(header: string | null, now: Date): number {
  if (!header) return 0;
  const text = header.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), RETRY_AFTER_MAX_MS);
}

/**
 * The time of the next attempt, or null if none is left.
 * @param attempts how many were made
 * @param retryAfter the endpoint's `Retry-After`, a minimum
 */
export function nextAttempt(attempts: number, retryAfter: string | null, now: Date): Date | null {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return null;
  return new Date(now.getTime() + Math.max(jittered(pause), retryAfterMs(retryAfter, now)));
}

const isPending = asInIndex(eq(deliveries.status, "pending"));

export const advanceRetries = makeDue({
  table: deliveries,
  key: deliveries.id,
  at: deliveries.next_attempt_at,
  withinMs: PAUSE_MAX_MS,
  only: isPending,
});

/** Extra attempts. */
export const advanceResends = makeDue({
  table: deliveries,
  key: deliveries.id,
  at: deliveries.resend_at,
  withinMs: DELIVERY_LEASE_MS,
  only: isPending,
});
