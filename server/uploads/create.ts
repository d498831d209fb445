// POST /v1/uploads: stores a file for a day, so that messages can be sent with it.

import { hash } from "node:crypto";
import { and, eq, gt, sql } from "drizzle-orm";
import { detectMimeType } from "nodemailer/lib/mime-funcs";
import { EVERY_INBOX } from "#db/conditions.ts";
import { uploads } from "#db/schema/outbox.ts";
import { record } from "../activity/record.ts";
import { type Caller, type Ctx, ownerId, type Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { essenceOf, MEDIA_TYPE } from "../base/media-type.ts";
import { storeWith } from "../blobs/store.ts";
import { takeStorage } from "../inboxes/storage/count.ts";
import { insertFiles } from "../messages/files/insert.ts";

export const UPLOAD_MAX_BYTES = 26_214_400;
const KEPT_MS = 86_400_000;
/** Uploads that have not expired: of one agent or member, and of all of an organization. */
const OWN_MAX = 500;
const ORGANIZATION_MAX = 5_000;
/** The first key of the advisory lock; the second is derived from the organization's id. "upl" in ASCII. */
const UPLOADS_LOCK = 0x75706c;
/** What curl and others send without a given type. */
const NO_TYPE = "application/x-www-form-urlencoded";
const FORM = "multipart/form-data";

export type UploadRow = typeof uploads.$inferSelect;
/** `content_type`: as the caller says it. `read` is called once, after the limits are checked. */
export type NewFile = { filename: string; content_type: string | undefined; read(): Promise<Buffer> };

/**
 * Nothing is stored if the file ends early.
 * @throws ServiceError `invalid_request`, `unsupported_media_type`, `payload_too_large`, `too_many_uploads`,
 * `storage_quota_exceeded`, `unavailable`
 */
export async function createUpload(ctx: Ctx<Caller>, file: NewFile): Promise<UploadRow & { sha256: string }> {
  const { organizationId } = ctx.actor;
  const content_type = typeOf(file);
  await requireRoom(ctx, ctx.db);
  const bytes = await file.read();
  if (bytes.length === 0) {
    throw new ServiceError("invalid_request", "The file is empty.", { fix: "Send its content as the body." });
  }
  if (bytes.length > UPLOAD_MAX_BYTES) {
    throw new ServiceError("payload_too_large", `The file is larger than ${UPLOAD_MAX_BYTES} bytes.`);
  }
  const at = ctx.now();
  const row = {
    id: newId(),
    organization_id: organizationId,
    owner_id: ownerId(ctx.actor),
    filename: file.filename,
    content_type,
    size: bytes.length,
    created_at: at,
    expires_at: new Date(at.getTime() + KEPT_MS),
  };
  await storeWith(ctx, organizationId, [bytes], async (tx, places) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${UPLOADS_LOCK}::int, hashtext(${organizationId}))`);
    await requireRoom(ctx, tx);
    await tx.insert(uploads).values(row);
    await insertFiles(tx, { organization_id: organizationId, message_id: row.id }, [row], places);
    await takeStorage(ctx, tx, { id: EVERY_INBOX, organization_id: organizationId }, row.size);
    await record(ctx, tx, [{ kind: "upload", id: row.id, before: null, after: {} }]);
  });
  return { ...row, sha256: hash("sha256", bytes) };
}

/** @throws ServiceError `unsupported_media_type` for a form, whose body is not the file */
function typeOf({ filename, content_type = NO_TYPE }: NewFile): string {
  const essence = essenceOf(content_type);
  if (essence === FORM) {
    throw new ServiceError("unsupported_media_type", "The body is a form, not a file.", {
      fix: "Send the file itself as the body: curl --data-binary @invoice.pdf -H 'Content-Type: application/pdf'.",
    });
  }
  return essence === NO_TYPE || !MEDIA_TYPE.test(content_type) ? detectMimeType(filename) : content_type;
}

/** @throws ServiceError `too_many_uploads` */
async function requireRoom({ actor, now }: Ctx<Caller>, db: Pick<Services["db"], "$count">): Promise<void> {
  const { organization_id, owner_id, expires_at } = uploads;
  const ofOrganization = and(eq(organization_id, actor.organizationId), gt(expires_at, now()));
  const own = await db.$count(uploads, and(ofOrganization, eq(owner_id, ownerId(actor))));
  if (own >= OWN_MAX) throw tooMany(`You have ${OWN_MAX} uploads that have not expired.`);
  const all = await db.$count(uploads, ofOrganization);
  if (all >= ORGANIZATION_MAX)
    throw tooMany(`This organization has ${ORGANIZATION_MAX} uploads that have not expired.`);
}

const tooMany = (message: string) => new ServiceError("too_many_uploads", message);
