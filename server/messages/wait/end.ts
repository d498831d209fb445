// The end of a wait: notes where the next one starts, and counts the mail that came before it.
import { and, desc, eq, isNull, lte, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { events } from "#db/schema/events.ts";
import { messages } from "#db/schema/mail.ts";
import { waitEnds } from "#db/schema/waits.ts";
import type { Agent, Ctx } from "../../base/context.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import { EVENT_KIND } from "../../events/record.ts";
import type { Matcher } from "./matcher.ts";
import type { Start } from "./start.ts";

/** Positions of events are larger. */
const BEFORE_ALL = 0;
/** The newest mails before a wait that `earlier` counts. */
const EARLIER_MAILS = 100;

/**
 * Notes that a wait of this key returned the message at a position, for its next wait without `after`. If the caller disconnects before
 * the answer, the earlier position is put back, unless another wait of the key moved it further. Never rejects: the message may be
 * claimed, so a note that fails must not take the answer away.
 */
export async function noteEnd(
  { db, log, actor }: Ctx<Agent>,
  { inboxId, position }: { inboxId: string; position: number },
  signal: AbortSignal,
): Promise<void> {
  const own = { agent_key_id: actor.keyId, inbox_id: inboxId };
  const isOwn = and(eq(waitEnds.agent_key_id, own.agent_key_id), eq(waitEnds.inbox_id, own.inbox_id));
  const move = async (tx: Transaction) => {
    // Locks the row, which may be new: concurrent waits of the key must not read the same earlier position.
    const [row] = await tx
      .insert(waitEnds)
      .values({ ...own, position: BEFORE_ALL })
      .onConflictDoUpdate({
        target: [waitEnds.agent_key_id, waitEnds.inbox_id],
        set: { position: sql`${waitEnds.position}` },
      })
      .returning({ position: waitEnds.position });
    const before = row?.position ?? BEFORE_ALL;
    if (before < position) await tx.update(waitEnds).set({ position }).where(isOwn);
    return before;
  };
  try {
    const before = await db.transaction(move);
    if (before >= position) return;
    const putBack = () =>
      db
        .update(waitEnds)
        .set({ position: before })
        .where(and(isOwn, eq(waitEnds.position, position)))
        .catch((error: unknown) => log.warn({ error }, "a mail that was not delivered is not found by the next wait"));
    if (signal.aborted) return void (await putBack());
    signal.addEventListener("abort", () => void putBack(), { once: true });
  } catch (error) {
    log.warn({ error }, "the next wait may return the same mail again: could not note where a wait ended");
  }
}

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
