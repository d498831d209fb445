// Takes back what a key did with messages: read state, labels, imports, deletions, restores, and "not spam".
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { SPAM_VERDICTS } from "#db/message-parts.ts";
import { inboxes, messages, threads, trashedMessages } from "#db/schema/mail.ts";
import { GONE_SINCE, type Net, type Reasons, settingBack, type TakeBack } from "../../activity/net.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { newId } from "../../base/ids.ts";
import { isOwn } from "../columns.ts";
import { moveToTrash, trashPlace } from "../move-to-trash.ts";
import { settleThread } from "../remove.ts";
import { openThreads, putBack } from "./restore.ts";

type Back = { id: string; inbox_id: string; thread_id: string; set: Net["was"] & object };

/** A message that a key deleted returns from the trash, unless another caller erased it. */
export const takeBackMessages: TakeBack = async (ctx, tx, nets, isDry) => {
  const reasons: Reasons = new Map();
  const found = await currentOf(ctx, tx, nets);
  const backs: Back[] = [];
  for (const net of nets) {
    if (net.final) reasons.set(net.id, net.final);
    if (net.was === null) {
      // It was imported.
      const row = found.get(net.id);
      const trash = trashPlace(newId(), ctx.now());
      if (row && !row.trash)
        backs.push({ id: net.id, inbox_id: row.inbox_id, thread_id: row.thread_id, set: { trash } });
      continue;
    }
    if (Object.keys(net.was ?? {}).length === 0) continue;
    const row = found.get(net.id);
    if (!row) {
      reasons.set(net.id, net.final ?? GONE_SINCE);
      continue;
    }
    const { set, reason } = settingBack(net, row);
    if (reason) reasons.set(net.id, reason);
    if (Object.keys(set).length > 0) backs.push({ id: net.id, inbox_id: row.inbox_id, thread_id: row.thread_id, set });
  }
  if (isDry || backs.length === 0) return reasons;
  const returning = backs.filter(({ set }) => set.trash === null);
  await openThreads(
    tx,
    returning.map(({ id }) => id),
  );
  await lockPlaces(ctx, tx, backs);
  await putBack(
    ctx,
    tx,
    returning.map(({ id }) => id),
  );
  await setMarks(ctx, tx, backs);
  await trashAgain(ctx, tx, backs);
  const isMoved = ({ set }: Back) => set.trash !== undefined || set.quarantine !== undefined;
  const moved = backs.filter(isMoved).map(({ thread_id }) => thread_id);
  for (const id of [...new Set(moved)].sort()) await settleThread(tx, { id });
  return reasons;
};

type Current = {
  id: string;
  inbox_id: string;
  thread_id: string;
  read: boolean;
  labels: string[];
  spam_verdict: string | null;
  quarantine: "pending" | "spam" | null;
  trash: [string, string] | null;
};

const verdictOf = ({ spam }: typeof messages | typeof trashedMessages) => sql<string | null>`${spam}->>'verdict'`;

/** In live mailboxes, also in the trash. */
async function currentOf(ctx: Ctx<Caller>, tx: Transaction, nets: Net[]): Promise<Map<string, Current>> {
  const ids = nets.map(({ id }) => id);
  const { id, inbox_id, thread_id, read, labels, quarantine } = messages;
  const isLive = and(eq(inboxes.id, inbox_id), eq(inboxes.status, "live"));
  const kept = await tx
    .select({ id, inbox_id, thread_id, read, labels, spam_verdict: verdictOf(messages), quarantine })
    .from(messages)
    .innerJoin(inboxes, isLive)
    .where(and(anyOf(id, ids), isOwn(ctx, messages)));
  const { trash_id, deleted_at } = trashedMessages;
  const trashed = await tx
    .select({
      id: trashedMessages.id,
      inbox_id: trashedMessages.inbox_id,
      thread_id: trashedMessages.thread_id,
      read: trashedMessages.read,
      labels: trashedMessages.labels,
      spam_verdict: verdictOf(trashedMessages),
      quarantine: trashedMessages.quarantine,
      trash_id,
      deleted_at,
    })
    .from(trashedMessages)
    .innerJoin(inboxes, and(eq(inboxes.id, trashedMessages.inbox_id), eq(inboxes.status, "live")))
    .where(and(anyOf(trashedMessages.id, ids), isOwn(ctx, trashedMessages)));
  const rows: Current[] = [
    ...kept.map((row) => ({ ...row, trash: null })),
    ...trashed.map(({ trash_id, deleted_at, ...row }) => ({ ...row, trash: trashPlace(trash_id, deleted_at) })),
  ];
  return new Map(rows.map((row) => [row.id, row]));
}

/** In the order of all locks: mailboxes, threads, messages. */
async function lockPlaces({ actor }: Ctx<Caller>, tx: Transaction, backs: Back[]): Promise<void> {
  const inboxIds = [...new Set(backs.map(({ inbox_id }) => inbox_id))];
  const ofInboxes = and(anyOf(inboxes.id, inboxIds), eq(inboxes.organization_id, actor.organizationId));
  await tx.select({ id: inboxes.id }).from(inboxes).where(ofInboxes).orderBy(inboxes.id).for("share");
  const threadIds = [...new Set(backs.map(({ thread_id }) => thread_id))];
  const ofThreads = and(anyOf(threads.id, threadIds), eq(threads.organization_id, actor.organizationId));
  await tx.select({ id: threads.id }).from(threads).where(ofThreads).orderBy(threads.id).for("update");
  const ids = backs.map(({ id }) => id);
  const { id } = messages;
  await tx.select({ id }).from(messages).where(anyOf(id, ids)).orderBy(id).for("update");
}

async function setMarks(ctx: Ctx<Caller>, tx: Transaction, backs: Back[]): Promise<void> {
  const rows = backs.flatMap(({ id, set: { trash: _, ...marks } }) =>
    Object.keys(marks).length > 0 ? [{ id, ...marks }] : [],
  );
  if (rows.length === 0) return;
  const given = sql`json_to_recordset(${JSON.stringify(rows)}::text::json)
    as m(id uuid, read boolean, labels text[], spam_verdict text, quarantine text)`;
  // The values may come from an import.
  const isVerdict = sql`m.spam_verdict = any(${sql.param([...SPAM_VERDICTS])}::text[])`;
  const set = ({ read, labels, spam, quarantine }: typeof messages | typeof trashedMessages) =>
    sql`read = coalesce(m.read, ${read}), labels = coalesce(m.labels, ${labels}),
      spam = case when ${isVerdict} then ${spam} || jsonb_build_object('verdict', m.spam_verdict) else ${spam} end,
      quarantine = case when m.quarantine in ('pending', 'spam') then m.quarantine else ${quarantine} end`;
  await tx.execute(sql`
    update messages set ${set(messages)} from ${given} where messages.id = m.id and ${isOwn(ctx, messages)}`);
  // A message that the key took out of the trash, changed and deleted again.
  await tx.execute(sql`
    update trashed_messages set ${set(trashedMessages)} from ${given}
    where trashed_messages.id = m.id and ${isOwn(ctx, trashedMessages)}`);
}

/** Messages that the key had restored are in the trash again, at their earlier place in it. */
async function trashAgain(ctx: Ctx<Caller>, tx: Transaction, backs: Back[]): Promise<void> {
  const places = backs.flatMap(({ id, set: { trash } }) =>
    Array.isArray(trash) ? [{ id, trash_id: String(trash[0]), deleted_at: String(trash[1]) }] : [],
  );
  if (places.length === 0) return;
  await moveToTrash(
    ctx,
    tx,
    places.map(({ id }) => id),
  );
  await tx.execute(sql`
    update trashed_messages set trash_id = p.trash_id, deleted_at = p.deleted_at
    from json_to_recordset(${JSON.stringify(places)}::text::json) as p(id uuid, trash_id uuid, deleted_at timestamptz)
    where trashed_messages.id = p.id and ${isOwn(ctx, trashedMessages)}`);
}
