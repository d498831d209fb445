// <UsageBar>: how much of a key's quota is used, and when it will be full.
// usage (of `keys.list` or `overview.get`)
"use client";
import { Progress } from "@mantine/core";
import classes from "./keys.module.css";

type Usage = {
  name: string;
  status: string;
  max_mailboxes: number;
  used_count: number;
  used_per_day: number;
  days_until_full: number | null;
};

const NEARLY_FULL = 0.9;
const MONTH_DAYS = 30;
const MONTHS_TOLD_IN_DAYS = 2;
const YEAR_DAYS = 365;

/** "full in about 12 days", at the rate of the last two weeks; none from a burst on one or two days. */
function forecast({ status, used_per_day, days_until_full: days }: Usage): string {
  if (status === "revoked") return "revoked";
  if (days === null) return used_per_day > 0 ? "no forecast yet" : "unused lately";
  if (days === 0) return "used up";
  if (days === 1) return "full within a day";
  if (days > 2 * YEAR_DAYS) return "full in years";
  if (days > MONTHS_TOLD_IN_DAYS * MONTH_DAYS) return `full in about ${Math.round(days / MONTH_DAYS)} months`;
  return `full in about ${days} days`;
}

function colorOf({ status, used_count, max_mailboxes }: Usage): string {
  if (status === "revoked") return "gray";
  if (used_count >= max_mailboxes) return "red";
  return used_count >= NEARLY_FULL * max_mailboxes ? "yellow" : "blue";
}

export function UsageBar({ usage }: { usage: Usage }) {
  const { name, used_count, max_mailboxes } = usage;
  const percent = max_mailboxes > 0 ? Math.min(100, (used_count / max_mailboxes) * 100) : 100;
  return (
    <div>
      <div className={classes.words}>
        <span>
          {used_count.toLocaleString("en")} of {max_mailboxes.toLocaleString("en")}
        </span>
        <span>{forecast(usage)}</span>
      </div>
      <Progress.Root size="sm" radius="xl">
        <Progress.Section value={percent} color={colorOf(usage)} aria-label={`Mailboxes created with ${name}`} />
      </Progress.Root>
    </div>
  );
}
