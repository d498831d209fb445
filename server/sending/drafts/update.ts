// PATCH /v1/drafts/{id}: changes a draft, unless it was changed since the caller read it.
import { eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import type { DraftFields } from "#db/message-parts.ts";
import { drafts } from "#db/schema/outbox.ts";
import { record } from "../../activity/record.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { storeWith } from "../../blobs/store.ts";
import { freeStorage, takeStorage } from "../../inboxes/storage/count.ts";
import { readFiles, withAttaching } from "../files.ts";
import { infoOf } from "../outgoing.ts";
import { applyInput, type Files, sizeOf, withIds, writeFiles } from "./content.ts";
import { type DraftRow, findDraft, noDraft, requireRevision } from "./find.ts";
import type { DraftInput } from "./schema.ts";
import { keepVersion } from "./versions.ts";

/** @throws ServiceError `draft_not_found` if it is gone or was sent, `draft_changed` */
export async function lockDraft(tx: Transaction, { id }: Pick<DraftRow, "id">, revision: number) {
  const [row] = await tx.select().from(drafts).where(eq(drafts.id, id)).for("update");
  if (!row || row.sent_message_id !== null) throw noDraft();
  requireRevision(row, revision);
  return row;
}

/**
 * Omitted fields stay as they are.
 * @throws ServiceError like `createDraft`, and those of `lockDraft`
 */
export async function updateDraft(
  ctx: Ctx<Caller>,
  { id, revision, ...input }: DraftInput & { id: string; revision: number },
): Promise<DraftRow> {
  const draft = await findDraft(ctx, id);
  requireRevision(draft, revision);
  const fields = await applyInput(ctx, draft.fields, { input, inboxId: draft.inbox_id });
  return withAttaching(ctx, async (share) => {
    const files = input.attachments && withIds(await readFiles(ctx, input.attachments, share));
    return storeChange(ctx, draft, { fields, files });
  });
}

async function storeChange(
  ctx: Ctx<Caller>,
  draft: DraftRow,
  { fields, files }: { fields: DraftFields; files: Files | undefined },
): Promise<DraftRow> {
  const { revision } = draft;
  const attachments = files ? files.map(infoOf) : draft.attachments;
  const size = sizeOf(fields, attachments);
  const changed = { revision: revision + 1, fields, attachments, size, updated_at: ctx.now() };
  const contents = (files ?? []).map(({ bytes }) => bytes);
  await storeWith(ctx, draft.organization_id, contents, async (tx, places) => {
    const locked = await lockDraft(tx, draft, revision);
    await tx.update(drafts).set(changed).where(eq(drafts.id, draft.id));
    await freeStorage(tx, locked);
    const kept = await keepVersion(ctx, tx, locked, { withFiles: files !== undefined });
    if (files) await writeFiles(tx, draft, files, places);
    await takeStorage(ctx, tx, { ...draft, id: draft.inbox_id }, size);
    const revisions = { before: { revision }, after: { revision: changed.revision } };
    await record(ctx, tx, [{ kind: "draft", id: draft.id, ...revisions, ...kept }], { inbox_id: draft.inbox_id });
  });
  return { ...draft, ...changed };
}
