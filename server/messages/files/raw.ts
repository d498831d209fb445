// Reads the exact bytes of inbound mail, as they were received.
import { eq, sql } from "drizzle-orm";
import { rawMessages } from "#db/schema/content.ts";
import type { Caller, Ctx, Services } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { readRaw } from "../../receiving/parse-mail.ts";
import { findStored } from "./find.ts";

const CHUNK_BYTES = 1_048_576;

/**
 * The mail as received, without its envelope: read from the database in chunks of 1 MiB, or as a whole from an object.
 * @throws ServiceError `message_not_found`, `unavailable`, `content_unreadable`
 */
export async function rawMessage(ctx: Ctx<Caller>, wireId: string) {
  const { id, size } = await findStored(ctx, wireId);
  const first = await chunkAt(ctx, id, 0);
  const body = first ? chunks(ctx, { id, size }, first) : slices(await readRaw(ctx, id));
  const held = first ? 0 : size;
  return { contentType: "message/rfc822", filename: `${encodeId("msg", id)}.eml`, size, held, body };
}

/** Undefined if the mail is not in the database. */
async function chunkAt({ db }: Services, id: string, at: number): Promise<Buffer | undefined> {
  const bytes = sql<Buffer | null>`substring(${rawMessages.bytes} from ${at + 1} for ${CHUNK_BYTES})`;
  const [row] = await db
    .select({ bytes: bytes.mapWith(rawMessages.bytes) })
    .from(rawMessages)
    .where(eq(rawMessages.message_id, id));
  return row?.bytes ?? undefined;
}

type Mail = { id: string; size: number };

/**
 * @throws Error if the mail is deleted or moved during the read: the answer then ends early, which the caller can
 * detect
 */
async function* chunks(ctx: Services, { id, size }: Mail, first: Buffer): AsyncGenerator<Buffer, void> {
  yield first;
  for (let at = CHUNK_BYTES; at < size; at += CHUNK_BYTES) {
    const chunk = await chunkAt(ctx, id, at);
    if (!chunk) throw new Error(`message ${id} was deleted while it was read`);
    yield chunk;
  }
}

export async function* slices(bytes: Buffer): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
