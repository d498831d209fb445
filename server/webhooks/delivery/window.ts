// Learns how many concurrent attempts an endpoint gets from its answers: more while they are quick, fewer with each
// timeout. Pure: callers pass the time (milliseconds of a monotonic clock).
import { type Answer, isSuccess } from "./post.ts";

/** Concurrent attempts: where a window starts, how far any success raises it, and how far quick answers raise it. */
const WINDOW_START = 4;
const WINDOW_FREE = 32;
export const WINDOW_MAX = 384;
/**
 * Above `WINDOW_FREE` a window grows while answers take about the best time, and shrinks when they take much longer:
 * then more concurrent attempts only wait for each other, in the endpoint or here (as in TCP Vegas). `[times the best,
 * plus ms]`
 */
const GROWS_UP_TO = [2, 10] as const;
const SHRINKS_FROM = [3, 20] as const;
/**
 * The best time is measured again at this interval, with the window cut to `WINDOW_FREE`, because it is not visible
 * among many attempts (as in TCP BBR). Cutting to a share of the window would start a little higher each time.
 */
const BEST_PERIOD_MS = 5_000;
/** An attempt that takes longer is slow. */
export const SLOW_MS = 1_000;
const LATENCY_WEIGHT = 0.2;

/** `overloaded`: the endpoint asks for fewer requests (429, 503). */
export type Ending = "succeeded" | "failed" | "overloaded" | "timed out";

export function endingOf({ status, timedOut }: Answer): Ending {
  if (timedOut) return "timed out";
  if (status === 429 || status === 503) return "overloaded";
  return isSuccess(status) ? "succeeded" : "failed";
}

export type Window = {
  size: number;
  latencyMs: number;
  /** The best time of an attempt that started in this period, and the start of the period. */
  bestMs: number;
  periodSince: number;
};

export function newWindow(now: number): Window {
  return { size: WINDOW_START, latencyMs: 1, bestMs: Number.POSITIVE_INFINITY, periodSince: now };
}

/** It has shrunk below its start: by timeouts, or because the endpoint asked for fewer requests. */
export function isDead(window: Window): boolean {
  return window.size < WINDOW_START;
}

/** An attempt of its endpoint has become slow. */
export function noteSlow(window: Window): void {
  window.latencyMs = Math.max(window.latencyMs, SLOW_MS);
  window.size = Math.min(window.size, WINDOW_FREE);
}

function learnTime(window: Window, startedAt: number, tookMs: number, now: number): void {
  window.latencyMs += LATENCY_WEIGHT * (tookMs - window.latencyMs);
  // An attempt of the previous period waited behind a larger window, so its time says nothing about the best.
  if (startedAt >= window.periodSince) window.bestMs = Math.min(window.bestMs, tookMs);
  if (now - window.periodSince < BEST_PERIOD_MS) return;
  window.bestMs = Number.POSITIVE_INFINITY;
  window.periodSince = now;
  window.size = Math.min(window.size, WINDOW_FREE);
}

type Ended = { startedAt: number; ending: Ending };

function sizeAfter(window: Window, { ending, startedAt }: Ended, waitsMs: number, isSuspect: boolean): number {
  const { size } = window;
  if (ending === "failed") return size;
  if (ending !== "succeeded") return Math.max(1, size >> 1);
  if (size < WINDOW_FREE) return size + 1;
  if (startedAt < window.periodSince || window.bestMs === Number.POSITIVE_INFINITY) return size;
  const exceeds = ([times, plusMs]: readonly [number, number]) => waitsMs > window.bestMs * times + plusMs;
  if (exceeds(SHRINKS_FROM)) return Math.max(size - 1, WINDOW_FREE);
  return isSuspect || exceeds(GROWS_UP_TO) ? size : Math.min(size + 1, WINDOW_MAX);
}

/**
 * Learns from an attempt that has ended.
 * @param oldestSince when the oldest running attempt of the endpoint started
 * @param suspect whether the endpoint is slow now
 */
export function learn(
  window: Window,
  attempt: Ended,
  others: { oldestSince: number | undefined; suspect: boolean },
  now: number,
): void {
  const { startedAt } = attempt;
  const tookMs = Math.max(now - startedAt, 1);
  learnTime(window, startedAt, tookMs, now);
  const waitsMs = Math.max(tookMs, now - (others.oldestSince ?? now));
  window.size = sizeAfter(window, attempt, waitsMs, others.suspect);
}
