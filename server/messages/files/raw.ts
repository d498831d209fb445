// GET /v1/messages/{id}/raw: the exact bytes of a mail that came in.
import type { Caller, Ctx, Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import { findStored } from "./stored.ts";

const CHUNK_BYTES = 1_048_576;

/**
 * The mail as it was received, envelope and all left out, read from the database a MiB at a time.
 * @throws ServiceError `message_not_found`, also for a message that went out: there never were such bytes
 */
export async function rawMessage(ctx: Ctx<Caller>, wireId: string) {
  const { id, size, direction } = await findStored(ctx, wireId);
  if (direction === "outbound") {
    throw new ServiceError("message_not_found", "Only messages that came in have raw bytes; this one went out.");
  }
  return {
    contentType: "message/rfc822",
    filename: `${encodeId("msg", id)}.eml`,
    size,
    body: chunks(ctx, id, size),
  };
}

/** @throws Error when the mail is deleted meanwhile: the answer then ends too early, which the caller can tell */
async function* chunks({ sql }: Services, id: string, size: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const [row] = await sql<{ bytes: Buffer }[]>`
      select substring(bytes from ${at + 1} for ${CHUNK_BYTES}) as bytes from raw_messages where message_id = ${id}`;
    if (!row) throw new Error(`message ${id} went away while it was read`);
    yield row.bytes;
  }
}
