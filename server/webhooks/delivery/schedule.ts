// When a delivery that failed is tried again.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 10 * HOUR_MS;

/** Pauses after the first, second, … failed attempt; after one more failure the delivery is given up. */
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

/** No attempt is ever later than this: the longest pause with its jitter. */
export const PAUSE_MAX_MS = Math.max(...PAUSES_MS, RETRY_AFTER_MAX_MS) * (1 + JITTER);

/** How long a `Retry-After` header (RFC 9110 §10.2.3: seconds or a date) asks to wait, in ms; 0 when it asks for nothing. */
export function retryAfterMs(header: string | null, now: Date): number {
  if (!header) return 0;
  const text = header.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), RETRY_AFTER_MAX_MS);
}

/**
 * The time of the next attempt, or null when there is none left.
 * @param attempts how many have been made
 * @param retryAfter the endpoint's `Retry-After`, a minimum
 */
export function nextAttempt(attempts: number, retryAfter: string | null, now: Date): Date | null {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return null;
  const jittered = pause * (1 - JITTER + 2 * JITTER * Math.random());
  return new Date(now.getTime() + Math.max(jittered, retryAfterMs(retryAfter, now)));
}
