// POST /v1/drafts: stores a message that is not sent yet.
import { and, eq, isNotNull, lt, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import type { DraftFields } from "#db/message-parts.ts";
import { inboxes } from "#db/schema/mail.ts";
import { drafts } from "#db/schema/outbox.ts";
import { record } from "../../activity/record.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { commitKeyed } from "../../base/idempotency.ts";
import { encodeId, newId } from "../../base/ids.ts";
import { findInbox, type InboxRow } from "../../base/tenancy.ts";
import { storeWith } from "../../blobs/store.ts";
import { takeStorage } from "../../inboxes/storage/count.ts";
import { readFiles, withAttaching } from "../files.ts";
import { infoOf } from "../outgoing.ts";
import { applyInput, type Files, NOTHING, sizeOf, withIds, writeFiles } from "./content.ts";
import { type DraftRow, findDraft } from "./find.ts";
import type { DraftInput } from "./schema.ts";

/** Drafts of one mailbox, with the drafts that were sent on the last day. */
const DRAFTS_MAX = 1_000;
const SENT_KEPT_MS = 86_400_000;
/** The first key of the advisory lock; the second is derived from the mailbox's id. "drf" in ASCII. */
const DRAFTS_LOCK = 0x647266;

/**
 * @returns the draft; that of the first call if the idempotency key is repeated
 * @throws ServiceError `draft_not_found` if that was sent or deleted, `inbox_not_found`, `invalid_request`, `message_not_found`, `too_many_drafts`,
 * `storage_quota_exceeded`, `unavailable`
 */
export async function createDraft(
  ctx: Ctx<Caller>,
  { inbox: addr, ...input }: DraftInput & { inbox: string },
): Promise<DraftRow> {
  if (ctx.keyed?.isRepeated) return findDraft(ctx, encodeId("drf", ctx.keyed.id));
  const inbox = await findInbox(ctx, addr);
  const fields = await applyInput(ctx, NOTHING, { input, inboxId: inbox.id });
  return withAttaching(ctx, async (share) => {
    const files = withIds(await readFiles(ctx, input.attachments ?? [], share));
    return storeDraft(ctx, inbox, { fields, files });
  });
}

async function storeDraft(
  ctx: Ctx<Caller>,
  inbox: InboxRow,
  { fields, files }: { fields: DraftFields; files: Files },
): Promise<DraftRow> {
  const attachments = files.map(infoOf);
  const at = ctx.now();
  const row = {
    id: ctx.keyed?.id ?? newId(),
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    revision: 1,
    fields,
    attachments,
    size: sizeOf(fields, attachments),
    sent_message_id: null,
    created_at: at,
    updated_at: at,
  };
  const contents = files.map(({ bytes }) => bytes);
  await storeWith(ctx, inbox.organization_id, contents, async (tx, places) => {
    await requireRoom(ctx, tx, inbox);
    await tx.insert(drafts).values(row);
    await writeFiles(tx, row, files, places);
    await takeStorage(ctx, tx, inbox, row.size);
    await record(ctx, tx, [{ kind: "draft", id: row.id, before: null, after: { revision: 1 } }], {
      inbox_id: inbox.id,
    });
    await commitKeyed(ctx, tx);
  });
  return { ...row, inbox: inbox.address };
}

/** Forgets old sent drafts, with the mailbox locked against its deletion. */
async function requireRoom({ now }: Ctx<Caller>, tx: Transaction, { id }: InboxRow): Promise<void> {
  const isLive = and(eq(inboxes.id, id), eq(inboxes.status, "live"));
  const [live] = await tx.select({ id: inboxes.id }).from(inboxes).where(isLive).for("share");
  if (!live) throw new ServiceError("inbox_not_found", "The inbox does not exist.");
  await tx.execute(sql`select pg_advisory_xact_lock(${DRAFTS_LOCK}::int, hashtext(${id}))`);
  const isOld = lt(drafts.updated_at, new Date(now().getTime() - SENT_KEPT_MS));
  await tx.delete(drafts).where(and(eq(drafts.inbox_id, id), isNotNull(drafts.sent_message_id), isOld));
  if ((await tx.$count(drafts, eq(drafts.inbox_id, id))) < DRAFTS_MAX) return;
  throw new ServiceError("too_many_drafts", `This mailbox has ${DRAFTS_MAX} drafts, with those sent on the last day.`);
}
