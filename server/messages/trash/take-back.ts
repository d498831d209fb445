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
type Judged = { backs: Back[]; reasons: Reasons };

/** A message that a key deleted returns from the trash, unless another caller erased it. */
export const takeBackMessages: TakeBack = async (ctx, tx, nets, isDry) => {
  const found = await currentOf(ctx, tx, nets);
  const expected = judge(ctx, nets, found);
  if (isDry) return expected.reasons;
  // Before the locks, as a restore does.
  const returning = expected.backs.filter(isReturning);
  await openThreads(tx, idsOf(returning));
  await lockPlaces(ctx, tx, [...found.values()]);
  // Another caller may have changed the messages before they were locked.
  const { backs, reasons } = judge(ctx, nets, await currentOf(ctx, tx, nets));
  await putBack(ctx, tx, idsOf(backs.filter(isReturning)));
  await setMarks(ctx, tx, backs);
  await trashAgain(ctx, tx, backs);
  await settleThreads(tx, [...returning, ...backs.filter(isMoved)]);
  return reasons;
};

/** What to set of each message, and why not all is taken back. */
function judge(ctx: Ctx<Caller>, nets: Net[], found: Map<string, Current>): Judged {
  const reasons: Reasons = new Map();
  const backs = nets.flatMap((net) => {
    const row = found.get(net.id);
    const { set, reason } = settingOf(ctx, net, row);
    if (reason) reasons.set(net.id, reason);
    if (!row || Object.keys(set).length === 0) return [];
    return [{ id: net.id, inbox_id: row.inbox_id, thread_id: row.thread_id, set }];
  });
  return { backs, reasons };
}

function settingOf(ctx: Ctx<Caller>, net: Net, row: Current | undefined): { set: Back["set"]; reason?: string | null } {
  const { was, final: reason } = net;
  const isImported = was === null;
  if (isImported) return { set: row && !row.trash ? { trash: trashPlace(newId(), ctx.now()) } : {}, reason };
  if (Object.keys(was).length === 0) return { set: {}, reason };
  if (!row) return { set: {}, reason: reason ?? GONE_SINCE };
  return { reason, ...settingBack(net, row) };
}

const isReturning = ({ set }: Back) => set.trash === null;
const isMoved = ({ set }: Back) => set.trash !== undefined || set.quarantine !== undefined;
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

async function settleThreads(tx: Transaction, moved: Back[]): Promise<void> {
  const ids = moved.map(({ thread_id }) => thread_id);
  for (const id of [...new Set(ids)].sort()) await settleThread(tx, { id });
}

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
  const ids = idsOf(nets);
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

/** In the order of all locks: mailboxes, threads, messages, and messages in the trash. */
async function lockPlaces({ actor }: Ctx<Caller>, tx: Transaction, found: Current[]): Promise<void> {
  const inboxIds = [...new Set(found.map(({ inbox_id }) => inbox_id))];
  const ofInboxes = and(anyOf(inboxes.id, inboxIds), eq(inboxes.organization_id, actor.organizationId));
  await tx.select({ id: inboxes.id }).from(inboxes).where(ofInboxes).orderBy(inboxes.id).for("share");
  const threadIds = [...new Set(found.map(({ thread_id }) => thread_id))];
  const ofThreads = and(anyOf(threads.id, threadIds), eq(threads.organization_id, actor.organizationId));
  await tx.select({ id: threads.id }).from(threads).where(ofThreads).orderBy(threads.id).for("update");
  for (const table of [messages, trashedMessages]) {
    const isFound = anyOf(table.id, idsOf(found));
    await tx.select({ id: table.id }).from(table).where(isFound).orderBy(table.id).for("update");
  }
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
  await moveToTrash(ctx, tx, idsOf(places));
  await tx.execute(sql`
    update trashed_messages set trash_id = p.trash_id, deleted_at = p.deleted_at
    from json_to_recordset(${JSON.stringify(places)}::text::json) as p(id uuid, trash_id uuid, deleted_at timestamptz)
    where trashed_messages.id = p.id and ${isOwn(ctx, trashedMessages)}`);
}
