// The error of a call below /auth. A separate file: the first script of the dashboard asks for it, and calls nothing there.
"use client";

/** `code` of better-auth (`network` without an answer); `retryAfter` in seconds, for a 429. */
export type SessionError = Error & { code: string; status: number; retryAfter: number | undefined };

export function isSessionError(error: unknown): error is SessionError {
  return error instanceof Error && "code" in error && "status" in error && "retryAfter" in error;
}
