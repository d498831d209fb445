// GET /v1/messages/{id}/raw: returns the exact bytes of inbound mail.
import type { Caller, Ctx, Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import { findStored } from "./stored.ts";

const CHUNK_BYTES = 1_048_576;

/**
 * The mail as received, without its envelope, read from the database in chunks of 1 MiB.
 * @throws ServiceError `message_not_found`, also for outbound messages, which have no raw bytes
 */
export async function rawMessage(ctx: Ctx<Caller>, wireId: string) {
  const { id, size, direction } = await findStored(ctx, wireId);
  if (direction === "outbound") {
    throw new ServiceError("message_not_found", "Only inbound messages have raw bytes. This message is outbound.");
  }
  return {
    contentType: "message/rfc822",
    filename: `${encodeId("msg", id)}.eml`,
    size,
    body: chunks(ctx, id, size),
  };
}

/** @throws Error if the mail is deleted during the read: the answer then ends early, which the caller can detect */
async function* chunks({ sql }: Services, id: string, size: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const [row] = await sql<{ bytes: Buffer }[]>`
      select substring(bytes from ${at + 1} for ${CHUNK_BYTES}) as bytes from raw_messages where message_id = ${id}`;
    if (!row) throw new Error(`message ${id} was deleted while it was read`);
    yield row.bytes;
  }
}
