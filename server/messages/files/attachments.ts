// Reads attachments: GET /v1/messages/{id}/attachments/{attachment_id}, and all of a message for forwarding.
// Attachments of inbound mail are extracted from the raw mail on each read, so that they are stored once.
import { and, eq } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import type { AttachmentInfo } from "#db/message-parts.ts";
import { attachments } from "#db/schema/content.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import { safeMediaType } from "../../base/media-type.ts";
import { loadContent } from "../../blobs/load.ts";
import { canBeRead, ensureParsed } from "../../receiving/parse.ts";
import { notRead, readFiles, readRaw } from "../../receiving/parse-mail.ts";
import type { Places } from "../../receiving/parse-worker.ts";
import { findStored, type Reader, type StoredMessage } from "./find.ts";

const CHUNK_BYTES = 262_144;

/**
 * Returns one attachment for download.
 * @throws ServiceError `message_not_found`, `attachment_not_found`, `unavailable` if the mail could not be parsed in
 * time, `content_unreadable`
 */
export async function attachmentFile(ctx: Reader, wireId: string, attachmentWireId: string) {
  const { info, load } = await findAttachment(ctx, wireId, attachmentWireId);
  const bytes = await load();
  const contentType = safeMediaType(info.content_type);
  return { contentType, filename: info.filename, size: bytes.length, held: bytes.length, body: slices(bytes) };
}

/** The content type of an attachment that is sent on, with the parameters that received files had. */
export function sentType({ content_type, parameters = "" }: AttachmentInfo): string {
  return safeMediaType(content_type + parameters);
}

/** What an attachment is in. `listed`: where it is in the mail that `load` gives; null: `load` gives the attachment alone. */
type Holder = { size: number; listed: Places | null; load(): Promise<Buffer> };

/** What is known of an attachment, and what loads its bytes. @throws ServiceError like `attachmentFile`, as `load` does */
export async function findAttachment(
  ctx: Reader,
  wireId: string,
  attachmentWireId: string,
): Promise<{ info: AttachmentInfo; load(): Promise<Buffer>; holder: Holder }> {
  const message = await findParsed(ctx, wireId);
  const id = decodeId("att", attachmentWireId);
  const info = message.attachments.find((each) => each.id === id);
  const notFound = new ServiceError("attachment_not_found", "The attachment does not exist in this message.");
  if (!info) throw notFound;
  const load = async () => {
    const [bytes] = await bytesOf(ctx, message, [info]);
    if (!bytes) throw notFound;
    return bytes;
  };
  const mail = { size: message.size, listed: placesOf(message, [info]), load: () => readRaw(ctx, message.id) };
  return { info, load, holder: message.direction === "inbound" ? mail : { size: info.size, listed: null, load } };
}

type Loaded = { info: AttachmentInfo; bytes: Buffer };

/**
 * The octets of all attachments of a message, and what loads them, in its order.
 * @throws ServiceError `message_not_found`, `unavailable`, `content_unreadable`, as `load` does
 */
export async function findAttachments(
  ctx: Reader,
  wireId: string,
): Promise<{ size: number; load(): Promise<Loaded[]> }> {
  const message = await findParsed(ctx, wireId);
  const load = async () => {
    const files = await bytesOf(ctx, message, message.attachments);
    return message.attachments.flatMap((info, i) => {
      const bytes = files[i];
      return bytes ? [{ info, bytes }] : [];
    });
  };
  return { size: message.attachments.reduce((sum, { size }) => sum + size, 0), load };
}

async function findParsed(ctx: Reader, wireId: string): Promise<StoredMessage> {
  const message = await findStored(ctx, wireId);
  if (canBeRead(message)) return message;
  await ctx.outOfTurn(() => ensureParsed(ctx, message.id));
  const read = await findStored(ctx, wireId);
  if (!canBeRead(read)) throw notRead();
  return read;
}

function placesOf({ attachments: all, reading }: StoredMessage, wanted: AttachmentInfo[]): Places {
  const places = wanted.map((info) => all.findIndex((each) => each.id === info.id));
  return { places, sizes: all.map(({ size }) => size), isClosed: reading === null };
}

/** In the order of `wanted`; undefined if its message was deleted in the meantime. */
async function bytesOf(ctx: Reader, message: StoredMessage, wanted: AttachmentInfo[]): Promise<(Buffer | undefined)[]> {
  const { id, direction, size } = message;
  if (wanted.length === 0) return [];
  if (direction === "outbound") {
    const ids = wanted.map((info) => info.id);
    const rows = await ctx.db
      .select({ id: attachments.id, bytes: attachments.bytes, blob: attachments.blob })
      .from(attachments)
      .where(and(anyOf(attachments.id, ids), eq(attachments.message_id, id)));
    const { organizationId } = ctx.actor;
    const files = await Promise.all(
      rows.map(async (row) => {
        return [row.id, await loadContent(ctx, organizationId, row, { message: id, attachment: row.id })] as const;
      }),
    );
    const byId = new Map(files);
    return wanted.map((info) => byId.get(info.id));
  }
  return readFiles(ctx, { id, size, organizationId: ctx.actor.organizationId }, placesOf(message, wanted));
}

/** So that a slow client holds no second copy. */
export async function* slices(bytes: Buffer): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
