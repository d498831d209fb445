// Counts mailboxes that got mail on each of the three days before the last one, and those of them that have got none since.
import { and, asc, eq, gte, lt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Database } from "#db/client.ts";
import { events } from "#db/schema/events.ts";
import { inboxes } from "#db/schema/mail.ts";

const DAY_MS = 86_400_000;
/** Mails of each day that are read: a sample where there are more, so that the cost stays the same. */
const MAILS_MAX = 3_000;
const MAILBOXES_MAX = 500;

export type MailboxSample = { regular: number; quiet: number };

/** Mailboxes of the first mails in the day that ended `daysBefore` days before `now`. */
function mailboxesOf(db: Database, now: Date, daysBefore: number) {
  const start = new Date(now.getTime() - (daysBefore + 1) * DAY_MS);
  const end = new Date(start.getTime() + DAY_MS);
  const day = db
    .select({ inbox_id: events.inbox_id })
    .from(events)
    .where(and(gte(events.created_at, start), lt(events.created_at, end), eq(events.kind, "message.received")))
    .orderBy(asc(events.created_at))
    .limit(MAILS_MAX)
    .as("mails");
  return db.selectDistinct({ inbox_id: day.inbox_id }).from(day);
}

/** Counts live mailboxes only: a deleted one is supposed to be quiet. */
export async function readMailboxes(db: Database, now: Date): Promise<MailboxSample> {
  const daysBefore = (days: number) => mailboxesOf(db, now, days);
  const regular = daysBefore(1).intersect(daysBefore(2)).intersect(daysBefore(3)).limit(MAILBOXES_MAX).as("regular");
  const latest = alias(events, "latest");
  const lastEvent = db
    .select({ created_at: latest.created_at })
    .from(latest)
    .where(and(eq(latest.inbox_id, regular.inbox_id), eq(latest.kind, "message.received")))
    .orderBy(sql`${latest.position} desc`)
    .limit(1);
  const since = new Date(now.getTime() - DAY_MS).toISOString();
  const [read = { regular: 0, quiet: 0 }] = await db
    .select({
      regular: sql<number>`count(*)::int`,
      quiet: sql<number>`(count(*) filter (where (${lastEvent}) < ${since}::timestamptz))::int`,
    })
    .from(regular)
    .innerJoin(inboxes, and(eq(inboxes.id, regular.inbox_id), eq(inboxes.status, "live")));
  return read;
}
