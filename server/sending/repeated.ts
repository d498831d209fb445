// Finds the message of a repeated request by its idempotency key, which belongs to the mailbox (docs/decisions/087).
import { hash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import type { Queued } from "./outgoing.ts";

/** `content`: everything that identifies the request, as JSON; without the key itself. */
export type Request = { key: string | undefined; content: unknown };

type Mailbox = { id: string };

/** Null without a key. */
export function fingerprintOf({ key, content }: Request): Buffer | null {
  return key === undefined ? null : hash("sha256", JSON.stringify(content), "buffer");
}

/** @throws ServiceError `idempotency_conflict` */
export async function queuedBefore({ db }: Ctx<Caller>, inbox: Mailbox, request: Request): Promise<Queued | undefined> {
  const { key } = request;
  const fingerprint = fingerprintOf(request);
  if (key === undefined || !fingerprint) return;
  const { id, thread_id, status, idempotency_hash } = messages;
  const [row] = await db
    .select({ id, thread_id, status, idempotency_hash })
    .from(messages)
    .where(and(eq(messages.inbox_id, inbox.id), eq(messages.idempotency_key, key)));
  if (row && !row.idempotency_hash?.equals(fingerprint)) {
    throw new ServiceError("idempotency_conflict", "This idempotency key was used for another message.");
  }
  return row && { ...row, status: answeredStatus(row.status), replayed: true };
}

/** What a repeated send says of its message: what has left or failed since was queued. */
export function answeredStatus(status: typeof messages.$inferSelect.status): Queued["status"] {
  return status === "scheduled" || status === "held" ? status : "queued";
}

/** The message of a concurrent request with the same key. */
export async function queuedByOther(ctx: Ctx<Caller>, inbox: Mailbox, request: Request): Promise<Queued> {
  const winner = await queuedBefore(ctx, inbox, request);
  if (winner) return winner;
  // The message that held the key was refused (cap) or deleted.
  throw new ServiceError("unavailable", "Another request with this idempotency key is in progress.", {
    headers: { "Retry-After": "1" },
  });
}
