// Tells failures of Resend that can pass from final ones.
import type { ErrorResponse } from "resend";

/** Failures that the operator can fix (a key, a base URL) or that are temporary: the mail is not the cause. */
const RETRIED_STATUSES = [401, 404, 405, 408, 425, 429];
const RETRIED_NAMES = ["invalid_api_key", "concurrent_idempotent_requests"];

export type Failure = { error: ErrorResponse; headers: Record<string, string> | null };

/** Milliseconds to wait (RFC 9110 §10.2.3: seconds, or a date by the server's clock). */
function retryAfterMs(headers: Record<string, string> | null): number | undefined {
  const value = headers?.["retry-after"];
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.parse(headers?.date ?? "");
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/**
 * Names and statuses from https://resend.com/docs/api-reference/errors; the SDK returns null when there was no answer.
 */
export function failed({ error, headers }: Failure) {
  const { name, statusCode, message } = error;
  const text = `${statusCode ?? "no answer"} ${name}: ${message}`;
  const final = typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
  if (final && !RETRIED_STATUSES.includes(statusCode) && !RETRIED_NAMES.includes(name)) {
    return { outcome: "refused" as const, error: text };
  }
  const wait = retryAfterMs(headers);
  const details = {
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(statusCode === null && { mayHaveLeft: true as const }),
  };
  return { outcome: "retry" as const, error: text, ...details };
}

/** Request options that abort the request after a timeout, or when the adapter closes. */
export type Within = (ms: number) => { signal: AbortSignal };
