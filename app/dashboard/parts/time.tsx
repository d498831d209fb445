// <Time>: a time for the viewer. Shows "3 minutes ago", kept up to date, and the exact time in the viewer's zone on
// hover or focus.
// at (ISO 8601, or null: shows `none`), none ("never"), exact (shows the exact time: for detail pages), plain (not
// reached by Tab: inside a link or a button, or in a long table whose detail page has the exact time), ahead (what the service
// will do then: if it is late, it is still to come)
"use client";
import { useSyncExternalStore } from "react";
import classes from "./time.module.css";

const TICK_MS = 15_000;
const SECOND_MS = 1_000;
/** The clock of the page ticks, and that of the service may be ahead of it: what is so near has happened. */
const SKEW_SECONDS = 30;
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const relative = new Intl.RelativeTimeFormat("en");
const exactly = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times on the page. */
function watchClock(listener: () => void): () => void {
  now = Date.now();
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** "in 3 days", "5 minutes ago", "just now", "within a minute". Rounded: 59 minutes and 40 seconds are an hour. */
function relativeTime(at: Date, from: number, ahead: boolean): string {
  const seconds = (at.getTime() - from) / SECOND_MS;
  const unit = UNITS.find(([, size], index) => Math.abs(seconds) >= size - (UNITS[index + 1]?.[1] ?? 0) / 2);
  if (unit && !(ahead && seconds < 0)) return relative.format(Math.round(seconds / unit[1]), unit[0]);
  return ahead || seconds > SKEW_SECONDS ? "within a minute" : "just now";
}

type Props = { at: string | null; none?: string; exact?: boolean; plain?: boolean; ahead?: boolean };

export function Time({ at, none = "never", exact = false, plain = false, ahead = false }: Props) {
  const from = useSyncExternalStore(watchClock, () => now);
  if (at === null) return <span className={classes.none}>{none}</span>;
  const moment = new Date(at);
  const [told, other] = exact
    ? [exactly.format(moment), relativeTime(moment, from, ahead)]
    : [relativeTime(moment, from, ahead), exactly.format(moment)];
  const time = (
    <time dateTime={at} title={other} className={classes.moment}>
      {told}
    </time>
  );
  if (plain) return time;
  return (
    // The browser shows `title` only for the mouse; this shows it for keyboard and touch. A page may have hundreds.
    <button type="button" className={classes.target} data-exact={other} data-thumb aria-label={`${told}, ${other}`}>
      {time}
    </button>
  );
}
