// Counts the mail that came before the start of a wait, for an answer without a match.
import { and, desc, eq, isNull, lte } from "drizzle-orm";
import { events } from "#db/schema/events.ts";
import { messages } from "#db/schema/mail.ts";
import type { Agent, Ctx } from "../../base/context.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import { EVENT_KIND } from "../../events/record.ts";
import type { Matcher } from "./matcher.ts";
import type { Start } from "./start.ts";

/** The newest mails before a wait that `earlier` counts. */
const EARLIER_MAILS = 100;

export type Earlier = { count: number; newestId: string; receivedAt: Date };

/** The mail of the mailbox that arrived before the start of a wait and passes its filters on the event, among the newest of it. */
export async function findEarlier(
  { db }: Ctx<Agent>,
  inbox: InboxRow,
  { position, since }: Start,
  { envelope, stored }: Pick<Matcher, "envelope" | "stored">,
): Promise<Earlier | null> {
  const isEarlier = since ? lte(events.created_at, since) : lte(events.position, position);
  const rows = await db
    .select({
      id: messages.id,
      body: events.body,
      at: messages.created_at,
      to_addresses: messages.to_addresses,
      cc_addresses: messages.cc_addresses,
      envelope_to: messages.envelope_to,
      kind: messages.kind,
    })
    .from(events)
    .innerJoin(messages, and(eq(messages.id, events.message_id), isNull(messages.quarantine)))
    .where(and(eq(events.inbox_id, inbox.id), eq(events.kind, EVENT_KIND), isEarlier))
    .orderBy(desc(events.position))
    .limit(EARLIER_MAILS);
  const found = rows.filter((row) => envelope(JSON.parse(row.body).message) && stored(row));
  const [newest] = found;
  return newest ? { count: found.length, newestId: newest.id, receivedAt: newest.at } : null;
}
