// Finds the uploads that a caller may attach, and reads their bytes.
import { and, eq, gt } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { attachments } from "#db/schema/content.ts";
import { uploads } from "#db/schema/outbox.ts";
import { type Caller, type Ctx, ownerId } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { loadContent } from "../blobs/load.ts";
import type { UploadRow } from "./create.ts";

const noUpload = (wireId: string) => new ServiceError("upload_not_found", `The upload ${wireId} does not exist.`);

/**
 * In the order of `wireIds`, which may repeat one.
 * @throws ServiceError `upload_not_found`, also if it has expired, or if another agent, member or organization made it
 */
export async function findUploads(ctx: Ctx<Caller>, wireIds: string[]): Promise<UploadRow[]> {
  const { id, organization_id, owner_id, expires_at } = uploads;
  const ids = wireIds.map((wireId) => decodeId("upl", wireId));
  const known = ids.filter((each) => each !== undefined);
  const own = and(eq(organization_id, ctx.actor.organizationId), eq(owner_id, ownerId(ctx.actor)));
  const rows =
    known.length === 0
      ? []
      : await ctx.db
          .select()
          .from(uploads)
          .where(and(anyOf(id, known), own, gt(expires_at, ctx.now())));
  return wireIds.map((wireId, i) => {
    const row = rows.find((each) => each.id === ids[i]);
    if (!row) throw noUpload(wireId);
    return row;
  });
}

/** @throws ServiceError `upload_not_found` if it has expired in the meantime; `unavailable`, `content_unreadable` */
export async function readUpload(
  ctx: Ctx<Caller>,
  { id, organization_id }: UploadRow,
  wireId: string,
): Promise<Buffer> {
  const [row] = await ctx.db
    .select({ bytes: attachments.bytes, blob: attachments.blob })
    .from(attachments)
    .where(and(eq(attachments.id, id), eq(attachments.organization_id, organization_id)));
  if (!row) throw noUpload(wireId);
  return loadContent(ctx, organization_id, row, { attachment: id });
}
