// Takes back what a key did with drafts, from the versions that it left behind.
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { attachments } from "#db/schema/content.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { drafts, draftVersions } from "#db/schema/outbox.ts";
import { CHANGED_SINCE, GONE_SINCE, type Net, type Reasons, type TakeBack } from "../../activity/net.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { freeStorage, moveStorage, storedBytes } from "../../inboxes/storage/count.ts";
import { isOwn } from "../../messages/columns.ts";
import { isKeptBack } from "../take-back.ts";
import { sizeOf } from "./content.ts";

type Draft = typeof drafts.$inferSelect;
type Version = typeof draftVersions.$inferSelect;

/** Drafts that the key made are deleted; the others are what they were, also if the key sent them and the message did not leave. */
export const takeBackDrafts: TakeBack = async (ctx, tx, nets, isDry) => {
  const reasons: Reasons = new Map();
  const ids = nets.map(({ id }) => id);
  const own = and(anyOf(drafts.id, ids), isOwn(ctx, drafts));
  const rows = await tx.select().from(drafts).where(own).orderBy(drafts.id).for("update");
  const current = new Map(rows.map((row) => [row.id, row]));
  const kept = nets.flatMap((net) => net.kept ?? []);
  const isKept = and(anyOf(draftVersions.id, kept), isOwn(ctx, draftVersions));
  const versions = await tx.select().from(draftVersions).where(isKept);
  const byId = new Map(versions.map((row) => [row.id, row]));
  for (const net of nets) {
    const reason = await takeBack(
      ctx,
      tx,
      { net, draft: current.get(net.id), version: byId.get(net.kept ?? "") },
      isDry,
    );
    if (reason) reasons.set(net.id, reason);
  }
  return reasons;
};

type One = { net: Net; draft: Draft | undefined; version: Version | undefined };

/** @returns why not */
async function takeBack(
  ctx: Ctx<Caller>,
  tx: Transaction,
  { net, draft, version }: One,
  isDry: boolean,
): Promise<string | undefined> {
  const { was, is } = net;
  // What it became is a message, which was cancelled or left.
  if (was === null && (draft === undefined || draft.sent_message_id !== null)) return;
  if (draft ? !isAsLeft(is, draft) : is !== null) return draft ? CHANGED_SINCE : GONE_SINCE;
  if (was === null) {
    if (draft && !isDry) await erase(tx, draft);
    return;
  }
  if (!version) return "Its earlier version is no longer kept.";
  if (!(await isLive(ctx, tx, version))) return GONE_SINCE;
  if (draft?.sent_message_id && !(await isCancelled(ctx, tx, draft.sent_message_id)))
    return "The message that it became left.";
  if (!isDry) await putBack(tx, version, draft);
}

function isAsLeft(is: Net["is"], { revision, sent_message_id }: Draft): boolean {
  if (is === null) return false;
  if (sent_message_id !== null || is.sent) return is.sent === sent_message_id;
  return is.revision === undefined || is.revision === revision;
}

async function isLive({ actor }: Ctx<Caller>, tx: Transaction, { inbox_id }: Version): Promise<boolean> {
  const own = and(eq(inboxes.id, inbox_id), eq(inboxes.organization_id, actor.organizationId));
  const live = and(own, eq(inboxes.status, "live"));
  return (await tx.select({ id: inboxes.id }).from(inboxes).where(live).for("share")).length > 0;
}

async function isCancelled(ctx: Ctx<Caller>, tx: Transaction, id: string): Promise<boolean> {
  const { status, attempts, sent_at, error } = messages;
  const [message] = await tx
    .select({ id: messages.id, status, attempts, sent_at, error })
    .from(messages)
    .where(and(eq(messages.id, id), isOwn(ctx, messages)));
  return message !== undefined && isKeptBack(message);
}

async function erase(tx: Transaction, draft: Draft): Promise<void> {
  await tx.delete(drafts).where(eq(drafts.id, draft.id));
  await tx.delete(attachments).where(eq(attachments.message_id, draft.id));
  await freeStorage(tx, draft);
}

/** The draft is as it was, with its revision. The files that it got since are erased. */
async function putBack(tx: Transaction, { id, draft_id, ...kept }: Version, draft: Draft | undefined): Promise<void> {
  const files = kept.attachments.map((file) => file.id);
  const isOther = and(eq(attachments.message_id, draft_id), sql`not ${anyOf(attachments.id, files)}`);
  await tx.delete(attachments).where(isOther);
  await tx
    .update(attachments)
    .set({ message_id: draft_id })
    .where(and(anyOf(attachments.id, files), eq(attachments.organization_id, kept.organization_id)));
  const size = sizeOf(kept.fields, kept.attachments);
  const row = { ...kept, id: draft_id, size, sent_message_id: null };
  await tx.insert(drafts).values(row).onConflictDoUpdate({ target: drafts.id, set: row });
  await tx.delete(draftVersions).where(eq(draftVersions.id, id));
  const left = storedBytes(kept.size) + (draft && draft.sent_message_id === null ? storedBytes(draft.size) : 0);
  const { organization_id, inbox_id } = kept;
  await moveStorage(tx, { organization_id, inbox_id, bytes: storedBytes(size) - left });
}
