// GET /v1/messages/{id}/raw: returns the exact bytes of inbound mail.
import { eq, sql } from "drizzle-orm";
import { rawMessages } from "#db/schema/mail.ts";
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
async function* chunks({ db }: Services, id: string, size: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < size; at += CHUNK_BYTES) {
    const chunk = sql`substring(${rawMessages.bytes} from ${at + 1} for ${CHUNK_BYTES})`.mapWith(rawMessages.bytes);
    const [row] = await db.select({ bytes: chunk }).from(rawMessages).where(eq(rawMessages.message_id, id));
    if (!row) throw new Error(`message ${id} was deleted while it was read`);
    yield row.bytes;
  }
}
