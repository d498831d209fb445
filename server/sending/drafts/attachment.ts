// GET /v1/drafts/{id}/attachments/{attachment_id}: reads one file of a draft.
import { and, eq } from "drizzle-orm";
import { attachments } from "#db/schema/content.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import { safeMediaType } from "../../base/media-type.ts";
import { loadContent } from "../../blobs/load.ts";
import { slices } from "../../messages/files/attachments.ts";
import { findDraft } from "./find.ts";

/** @throws ServiceError `draft_not_found`, `attachment_not_found`, `unavailable`, `content_unreadable` */
export async function draftFile(ctx: Ctx<Caller>, wireId: string, fileWireId: string) {
  const draft = await findDraft(ctx, wireId);
  const id = decodeId("att", fileWireId);
  const info = draft.attachments.find((each) => each.id === id);
  const [row] = info
    ? await ctx.db
        .select({ bytes: attachments.bytes, blob: attachments.blob })
        .from(attachments)
        .where(and(eq(attachments.id, info.id), eq(attachments.message_id, draft.id)))
    : [];
  if (!info || !row) throw new ServiceError("attachment_not_found", "The file does not exist in this draft.");
  const bytes = await loadContent(ctx, draft.organization_id, row, { attachment: info.id });
  const contentType = safeMediaType(info.content_type);
  return { contentType, filename: info.filename, size: bytes.length, held: bytes.length, body: slices(bytes) };
}
