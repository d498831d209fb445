// Keeps what a draft was before an agent key changed, sent or deleted it, as long as that can be undone.
import { eq, lt } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { attachments } from "#db/schema/content.ts";
import { type drafts, draftVersions } from "#db/schema/outbox.ts";
import { recorderOf } from "../../activity/record.ts";
import type { Caller, Ctx, System } from "../../base/context.ts";
import { lowestId } from "../../base/id-range.ts";
import { newId } from "../../base/ids.ts";
import { daysAgo } from "../../base/retention.ts";
import { freeStorage, takeStorage } from "../../inboxes/storage/count.ts";
import { sizeOf } from "./content.ts";

const VERSIONS_PER_STEP = 200;

type Draft = typeof drafts.$inferSelect;
/** `withFiles`: the files leave the draft with this version. */
type Kept = { withFiles: boolean };

/**
 * Keeps a locked draft, and counts what only the version has.
 * @returns its id as `kept` of a recorded change; nothing for a member
 * @throws ServiceError `storage_quota_exceeded`
 */
export async function keepVersion(ctx: Ctx<Caller>, tx: Transaction, draft: Draft, kept: Kept) {
  const version = await insertVersion(ctx, tx, draft, kept);
  if (version) await takeStorage(ctx, tx, { id: draft.inbox_id, organization_id: draft.organization_id }, version.size);
  return version && { kept: version.kept };
}

/** The same without counting: for a draft whose own storage stays counted. */
export async function insertVersion(ctx: Ctx<Caller>, tx: Transaction, draft: Draft, { withFiles }: Kept) {
  if (!recorderOf(ctx)) return;
  const { id: draft_id, sent_message_id: _, ...content } = draft;
  const id = newId();
  const size = sizeOf(draft.fields, withFiles ? draft.attachments : []);
  await tx.insert(draftVersions).values({ ...content, id, draft_id, size });
  if (withFiles) await tx.update(attachments).set({ message_id: id }).where(eq(attachments.message_id, draft_id));
  return { kept: id, size };
}

/**
 * Worker job: erases versions past RETENTION_DAYS_ACTIVITY. One batch.
 * @returns how many there were
 */
export async function pruneDraftVersions(ctx: Ctx<System>): Promise<number> {
  const isOver = lt(draftVersions.id, lowestId(daysAgo(ctx, ctx.settings.RETENTION_DAYS_ACTIVITY)));
  return ctx.db.transaction(async (tx) => {
    const old = await tx
      .select({ id: draftVersions.id })
      .from(draftVersions)
      .where(isOver)
      .orderBy(draftVersions.id)
      .limit(VERSIONS_PER_STEP)
      .for("update", { skipLocked: true });
    return eraseVersions(
      tx,
      old.map(({ id }) => id),
    );
  });
}

/** @returns how many there were */
async function eraseVersions(tx: Transaction, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const erased = await tx.delete(draftVersions).where(anyOf(draftVersions.id, ids)).returning();
  await tx.delete(attachments).where(anyOf(attachments.message_id, ids));
  // In one order, so that two processes cannot wait for each other.
  for (const version of erased.toSorted((a, b) => a.inbox_id.localeCompare(b.inbox_id))) await freeStorage(tx, version);
  return erased.length;
}
