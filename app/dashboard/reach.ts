// Knows whether the service can be reached: a call without an answer or a browser without a network ends it, and a probe
// finds out when it is back.
"use client";
import { TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { useSyncExternalStore } from "react";
import type { AppRouter } from "#server/api/router.ts";

const PROBE = "/health/live";
const PROBE_FIRST_MS = 1_000;
const PROBE_MAX_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;
/** A proxy answers for a service that is away. */
const AWAY_STATUS = 502;

async function answers(): Promise<boolean> {
  try {
    const { status } = await fetch(PROBE, { cache: "no-store", signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
    return status < AWAY_STATUS;
  } catch {
    return false; // no answer is the answer
  }
}

/** Ends after `ms`, or when the browser has a network again. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    window.addEventListener("online", done);
    function done() {
      clearTimeout(timer);
      window.removeEventListener("online", done);
      resolve();
    }
  });
}

async function untilBack(): Promise<void> {
  for (let wait = PROBE_FIRST_MS; ; wait = Math.min(PROBE_MAX_MS, wait * 2)) {
    await pause(wait);
    if (await answers()) return;
  }
}

function createReach() {
  const listeners = new Set<() => void>();
  let back: Promise<void> | undefined;
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return {
    /** Reports that there was no answer; resolves when there is one again. */
    lost(): Promise<void> {
      if (!back) {
        back = untilBack().then(() => {
          back = undefined;
          tell();
        });
        tell();
      }
      return back;
    },
    isLost: () => back !== undefined,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** One for the page: the service is the same for every organization. */
export const reach = createReach();

export function useIsLost(): boolean {
  return useSyncExternalStore(reach.subscribe, reach.isLost, () => false);
}

/** A tRPC link that reports calls without an answer. The error goes on to the caller. */
export function reachLink(): TRPCLink<AppRouter> {
  return () =>
    ({ next, op }) =>
      observable((observer) =>
        next(op).subscribe({
          next: (value) => observer.next(value),
          complete: () => observer.complete(),
          error(error) {
            const isUnanswered = error instanceof TRPCClientError && !error.data && error.cause instanceof TypeError;
            if (isUnanswered) void reach.lost();
            observer.error(error);
          },
        }),
      );
}
