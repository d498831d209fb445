// A tRPC link: a call that fails because the session has ended waits until the member has signed in again, and is then
// repeated. It is here and not in React Query's error handlers, so that mutations are repeated too and callers do not
// notice.
"use client";
import { TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "#server/api/router.ts";
import type { SessionEnd } from "./session-end.ts";

function isUnauthorized(error: unknown): boolean {
  return error instanceof TRPCClientError && error.data?.error?.code === "unauthorized";
}

export function sessionLink(sessionEnd: SessionEnd): TRPCLink<AppRouter> {
  return () =>
    ({ next, op }) =>
      observable((observer) => {
        let stopped = false;
        let running = { unsubscribe() {} };
        const call = () => {
          running = next(op).subscribe({
            next: (value) => observer.next(value),
            complete: () => observer.complete(),
            error(error) {
              if (!sessionEnd.armed || !isUnauthorized(error)) return observer.error(error);
              sessionEnd.ended().then(() => {
                if (!stopped) call();
              });
            },
          });
        };
        call();
        return () => {
          stopped = true;
          running.unsubscribe();
        };
      });
}
