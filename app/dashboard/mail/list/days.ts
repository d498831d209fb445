// Groups mail by day, and shows times as briefly as a list needs them.
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

const time = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const weekday = new Intl.DateTimeFormat("en", { weekday: "long" });
const date = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });
const fullDate = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const month = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });
export const exactTime = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });

function daysBetween(at: Date, now: Date): number {
  const midnight = (day: Date) => Date.UTC(day.getFullYear(), day.getMonth(), day.getDate());
  return Math.round((midnight(now) - midnight(at)) / DAY_MS);
}

/** "Today", "Yesterday", "Monday", "November 2026". */
function dayOf(at: string, now: Date): string {
  const moment = new Date(at);
  const days = daysBetween(moment, now);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  return days < WEEK_DAYS ? weekday.format(moment) : month.format(moment);
}

/** "14:05", "Nov 20", "Nov 20, 2025". */
export function briefTime(at: string, now: Date): string {
  const moment = new Date(at);
  if (daysBetween(moment, now) <= 0) return time.format(moment);
  return moment.getFullYear() === now.getFullYear() ? date.format(moment) : fullDate.format(moment);
}

/** Rows in order, in groups of their days. */
export function byDay<Row extends { at: string }>(rows: Row[], now: Date): { day: string; rows: Row[] }[] {
  const groups: { day: string; rows: Row[] }[] = [];
  for (const row of rows) {
    const day = dayOf(row.at, now);
    const last = groups.at(-1);
    if (last?.day === day) last.rows.push(row);
    else groups.push({ day, rows: [row] });
  }
  return groups;
}
