// The ramp of the daily cap: it grows with the age of a mailbox, except after a day with many bounces or complaints.
import { and, eq, gt, lt, or, type SQL, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { sendUsage } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import type { InboxRow } from "../../base/tenancy.ts";

const DAY_MS = 86_400_000;
/** A day with fewer recipients never holds the ramp: its rates say little. */
const HOLD_RECIPIENTS_MIN = 20;
/** A day holds the ramp if one of so many recipients bounced (5 %) or complained (0.1 %). */
const HOLD_BOUNCE_OF = 20;
const HOLD_COMPLAINT_OF = 1_000;

export type Mailbox = Pick<InboxRow, "id" | "organization_id" | "address" | "domain" | "created_at" | "address_since">;
export type DayFigures = Pick<typeof sendUsage.$inferSelect, "counted" | "replies" | "bounced" | "complained">;

const dayName = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);

export function dayOf(time: Date): string {
  return dayName(Math.floor(time.getTime() / DAY_MS));
}

/** Whether the rates of a day hold the ramp. The same as `daysThatHeld`, which is SQL. */
export function holdsRamp({ counted, replies, bounced, complained }: DayFigures): boolean {
  const recipients = counted + replies;
  if (recipients < HOLD_RECIPIENTS_MIN) return false;
  return bounced * HOLD_BOUNCE_OF >= recipients || complained * HOLD_COMPLAINT_OF >= recipients;
}

/** The rows of finished days that held the ramp of a mailbox; each holds it for one day. */
export function daysThatHeld(inboxId: SQL | typeof sendUsage.inbox_id | string, today: string) {
  const recipients = sql`(${sendUsage.counted} + ${sendUsage.replies})`;
  return and(
    eq(sendUsage.inbox_id, inboxId),
    lt(sendUsage.day, today),
    asInIndex(sql`(${or(gt(sendUsage.bounced, 0), gt(sendUsage.complained, 0))})`),
    sql`${recipients} >= ${HOLD_RECIPIENTS_MIN}::int`,
    sql`(${sendUsage.bounced} * ${HOLD_BOUNCE_OF}::int >= ${recipients}
      or ${sendUsage.complained} * ${HOLD_COMPLAINT_OF}::int >= ${recipients})`,
  );
}

/**
 * UTC days since the organization has the address here: since the mailbox was created, or the first one that had it, or since an
 * import added it, because an export can say any time.
 */
export function ageInDays(mailbox: Pick<Mailbox, "created_at" | "address_since">, at: Date): number {
  const since = mailbox.address_since ?? mailbox.created_at;
  return Math.floor(at.getTime() / DAY_MS) - Math.floor(since.getTime() / DAY_MS);
}

/** The cap of a ramp after so many days, and its step, from 1. */
export function stepAt(ramp: number[], days: number): { limit: number; step: number; isLastStep: boolean } {
  const index = Math.min(Math.max(0, days), ramp.length - 1);
  return { limit: ramp[index] ?? 0, step: index + 1, isLastStep: index === ramp.length - 1 };
}

/** The same cap in SQL. */
export function capAt(ramp: number[], days: SQL): SQL {
  return sql`(${sql.param(ramp)}::int[])[1 + least(greatest(${days}, 0), ${ramp.length - 1}::int)]`;
}

/**
 * The cap of a mailbox today, from SEND_CAP_RAMP.
 * @param daysHeld how many finished days held the ramp
 */
export function capToday(
  { settings, now }: Pick<Services, "settings" | "now">,
  mailbox: Pick<Mailbox, "created_at" | "address_since">,
  daysHeld: number,
) {
  const today = Math.floor(now().getTime() / DAY_MS);
  const age = ageInDays(mailbox, now());
  return {
    day: dayName(today),
    yesterday: dayName(today - 1),
    ...stepAt(settings.SEND_CAP_RAMP, age - daysHeld),
    resetsAt: new Date((today + 1) * DAY_MS),
    dayAfter: new Date((today + 2) * DAY_MS),
  };
}

const percent = (part: number, all: number) => `${Number(((100 * part) / Math.max(1, all)).toFixed(1))}%`;

/** One sentence about what makes the cap grow, and what keeps it from growing today. */
export function nextStepNeeds(today: DayFigures): string {
  const needs = "The cap grows after a UTC day with less than 5% bounces and less than 0.1% complaints";
  if (!holdsRamp(today)) return `${needs}; a day with fewer than ${HOLD_RECIPIENTS_MIN} recipients qualifies.`;
  const recipients = today.counted + today.replies;
  const [bounced, complained] = [percent(today.bounced, recipients), percent(today.complained, recipients)];
  return `${needs}; today ${bounced} of ${recipients} recipients bounced and ${complained} complained.`;
}
