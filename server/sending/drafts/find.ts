// Finds drafts that a caller may see: one, or a page.
import { and, desc, eq, isNull, lt } from "drizzle-orm";
import { inboxes } from "#db/schema/mail.ts";
import { drafts } from "#db/schema/outbox.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import { findInbox } from "../../base/tenancy.ts";
import { isOwn } from "../../messages/columns.ts";

const { id, inbox_id, organization_id, revision, fields, attachments, size, sent_message_id } = drafts;
const columns = {
  id,
  inbox_id,
  organization_id,
  revision,
  fields,
  attachments,
  size,
  sent_message_id,
  created_at: drafts.created_at,
  updated_at: drafts.updated_at,
  inbox: inboxes.address,
};
export type DraftRow = typeof drafts.$inferSelect & { inbox: (typeof inboxes.$inferSelect)["address"] };

export function noDraft(): ServiceError {
  return new ServiceError("draft_not_found", "The draft does not exist.");
}

/** A caller who reaches the draft reaches its message. */
function sentAs(messageId: string): ServiceError {
  const message = encodeId("msg", messageId);
  return new ServiceError("draft_not_found", `The draft was sent as ${message}.`, {
    fix: `GET /v1/messages/${message} says what became of it.`,
  });
}

/** @throws ServiceError `draft_changed` */
export function requireRevision(draft: Pick<DraftRow, "revision">, read: number): void {
  if (draft.revision === read) return;
  throw new ServiceError("draft_changed", `The draft was changed: its revision is ${draft.revision}, not ${read}.`);
}

function select({ db }: Ctx<Caller>) {
  const isLive = and(eq(inboxes.id, drafts.inbox_id), eq(inboxes.status, "live"));
  return db.select(columns).from(drafts).innerJoin(inboxes, isLive);
}

/**
 * A draft, also one that was sent.
 * @throws ServiceError `draft_not_found`, also if it belongs to another organization
 */
export async function findSentOrDraft(ctx: Ctx<Caller>, wireId: string): Promise<DraftRow> {
  const uuid = decodeId("drf", wireId);
  const [row] = uuid ? await select(ctx).where(and(eq(drafts.id, uuid), isOwn(ctx, drafts))) : [];
  if (!row) throw noDraft();
  return row;
}

/** @throws ServiceError `draft_not_found`, also if it was sent */
export async function findDraft(ctx: Ctx<Caller>, wireId: string): Promise<DraftRow> {
  const row = await findSentOrDraft(ctx, wireId);
  if (row.sent_message_id !== null) throw sentAs(row.sent_message_id);
  return row;
}

/**
 * GET /v1/drafts: lists drafts, newest first.
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`
 */
export async function listDrafts(
  ctx: Ctx<Caller>,
  { inbox, limit, cursor }: { inbox?: string | undefined; limit: number; cursor?: string | undefined },
) {
  const of = inbox === undefined ? undefined : await findInbox(ctx, inbox);
  const list = `drafts:${of?.id ?? ""}`;
  const before = cursor === undefined ? undefined : lt(drafts.id, readCursor(ctx, list, cursor));
  const rows = await select(ctx)
    .where(and(isOwn(ctx, drafts), isNull(drafts.sent_message_id), of && eq(drafts.inbox_id, of.id), before))
    .orderBy(desc(drafts.id))
    .limit(limit + 1);
  return toPage(ctx, list, rows, limit);
}
