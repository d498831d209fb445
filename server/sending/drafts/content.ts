// The content of a draft: what was given, on top of what it had, and its attachments.
import { eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import type { AttachmentInfo, DraftFields } from "#db/message-parts.ts";
import { attachments } from "#db/schema/content.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { newId } from "../../base/ids.ts";
import type { Share } from "../../base/limiter.ts";
import type { Place } from "../../base/ports/blobs.ts";
import { loadContent } from "../../blobs/load.ts";
import { insertFiles } from "../../messages/files/insert.ts";
import { noMessage } from "../../messages/find.ts";
import { findAnswered } from "../answered.ts";
import { readRecipients } from "../content/sendable.ts";
import { hold } from "../files.ts";
import type { OutboundFile } from "../outgoing.ts";
import type { DraftRow } from "./find.ts";
import type { DraftInput } from "./schema.ts";

export const NOTHING: DraftFields = {
  to: [],
  cc: [],
  bcc: [],
  subject: null,
  text: null,
  html: null,
  reply_to: null,
  list_unsubscribe: false,
  in_reply_to: null,
  expected_last_message_id: null,
  reply_all: false,
  labels: [],
};

/**
 * Empty values clear what was there.
 * @throws ServiceError `invalid_request`; `message_not_found` if `in_reply_to` is not in the mailbox
 */
export async function applyInput(
  ctx: Ctx<Caller>,
  before: DraftFields,
  { input, inboxId }: { input: DraftInput; inboxId: string },
): Promise<DraftFields> {
  const lists = ["to", "cc", "bcc"] as const;
  const given = Object.fromEntries(
    lists.flatMap((name) => (input[name] === undefined ? [] : [[name, [input[name]].flat().filter(isGiven)]])),
  );
  const { subject, text, html, reply_to, list_unsubscribe, in_reply_to, expected_last_message_id, reply_all } = input;
  const rest = { subject, text, html, reply_to, list_unsubscribe, in_reply_to, expected_last_message_id, reply_all };
  const set = Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, isGiven(value) ? value : null]],
    ),
  );
  const labels = input.labels && { labels: [...new Set(input.labels)] };
  const fields: DraftFields = { ...before, ...given, ...set, ...labels };
  readRecipients({ ...fields, reply_to: fields.reply_to ?? undefined });
  if (in_reply_to !== undefined && isGiven(in_reply_to)) {
    const { inbox } = await findAnswered(ctx, in_reply_to);
    if (inbox.id !== inboxId) throw noMessage();
  }
  return fields;
}

const isGiven = (value: string | boolean) => value !== "";

export type Files = (OutboundFile & { id: string })[];

export function withIds(files: OutboundFile[]): Files {
  return files.map((file) => ({ ...file, id: newId() }));
}

export function sizeOf({ text, html }: DraftFields, files: Pick<AttachmentInfo, "size">[]): number {
  const bodies = Buffer.byteLength(text ?? "") + Buffer.byteLength(html ?? "");
  return files.reduce((sum, { size }) => sum + size, bodies);
}

/** Replaces the files of a draft. */
export async function writeFiles(
  tx: Transaction,
  draft: Pick<DraftRow, "id" | "organization_id">,
  files: Files,
  places: Place[],
) {
  await tx.delete(attachments).where(eq(attachments.message_id, draft.id));
  await insertFiles(tx, { organization_id: draft.organization_id, message_id: draft.id }, files, places);
}

/** @throws ServiceError `unavailable`, `content_unreadable` */
export async function readDraftFiles(ctx: Ctx<Caller>, draft: DraftRow, share: Share): Promise<OutboundFile[]> {
  if (draft.attachments.length === 0) return [];
  hold(
    share,
    draft.attachments.reduce((sum, { size }) => sum + size, 0),
  );
  const { id, bytes, blob } = attachments;
  const rows = await ctx.db.select({ id, bytes, blob }).from(attachments).where(eq(attachments.message_id, draft.id));
  const read = rows.map(async (row) => {
    return [row.id, await loadContent(ctx, draft.organization_id, row, { attachment: row.id })] as const;
  });
  const byId = new Map(await Promise.all(read));
  return draft.attachments.flatMap(({ id: fileId, filename, content_type, content_id }) => {
    const found = byId.get(fileId);
    return found ? { filename, content_type, ...(content_id !== undefined && { content_id }), bytes: found } : [];
  });
}
