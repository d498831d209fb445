// Queues an outbound message of any kind in one transaction: once per idempotency key, counted against the daily cap,
// with its thread, search words and attachments.
import { and, eq } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { Share } from "../base/limiter.ts";
import type { Place } from "../base/ports/blobs.ts";
import type { InboxRow } from "../base/tenancy.ts";
import { storeWith } from "../blobs/store.ts";
import { refuseNotReady } from "../domains/ready.ts";
import { isStorageFull, takeStorage } from "../inboxes/storage/count.ts";
import { withRoom } from "../inboxes/storage/make-room.ts";
import { insertFiles } from "../messages/files/insert.ts";
import { noMessage } from "../messages/find.ts";
import { refuseIfPaused } from "../pauses/find.ts";
import { searchVector } from "../receiving/search-index.ts";
import { ownMessageId } from "../recipients/limits/correspondents.ts";
import { requireAllowed } from "../recipients/lists/check.ts";
import { insertRecipients } from "../recipients/outcomes/record.ts";
import { requireUnsuppressed } from "../recipients/suppressions/check.ts";
import { queueInBatch, sendOf } from "./batch.ts";
import { wordsOf } from "./content/search-words.ts";
import { beginThread, joinThread } from "./conversation.ts";
import { expectReply } from "./expected-replies.ts";
import { withAttaching } from "./files.ts";
import {
  allRecipients,
  isPlain,
  type Made,
  messageRow,
  type Outgoing,
  plainRow,
  plannedOf,
  type Queued,
  queueFields,
  sizeOf,
} from "./outgoing.ts";
import { fingerprintOf, queuedBefore, queuedByOther, type Request } from "./repeated.ts";
import { heldEvent, holdingPolicy, holdMessage } from "./reviews/hold.ts";
import { scheduleHeld, takeOrSchedule } from "./scheduled/schedule.ts";

/** A message that can be queued, or checked. */
export type Prepared = {
  inbox: InboxRow;
  request: Request;
  /** Builds the message, and counts in `share` what it loads; not called if the idempotency key is repeated. */
  compose(share: Share): Outgoing | Promise<Outgoing>;
  /** Runs in the transaction that stores the message. */
  claim?(tx: Transaction, messageId: string): Promise<void>;
  /** Gives back storage: after the limits were taken, because every send locks limits before storage. */
  free?(tx: Transaction): Promise<void>;
};

/**
 * @returns those of the first time if the idempotency key is repeated
 * @throws ServiceError `idempotency_conflict`, `domain_not_ready`, `daily_send_cap_exceeded`, `sending_paused`, `storage_quota_exceeded`, `unavailable`;
 * `inbox_not_found` if the mailbox was deleted, for a reply `message_not_found` if mailbox or thread was; and errors of
 * `compose` and of the conversation
 */
export async function queueOnce(ctx: Ctx<Caller>, { inbox, request, compose, claim, free }: Prepared): Promise<Queued> {
  const before = await queuedBefore(ctx, inbox, request);
  if (before) return before;
  await refuseNotReady(ctx, inbox);
  return withAttaching(ctx, async (share) => queueOutgoing(ctx, { inbox, request, claim, free }, await compose(share)));
}

async function queueOutgoing(
  ctx: Ctx<Caller>,
  { inbox, request, claim, free }: Omit<Prepared, "compose">,
  outgoing: Outgoing,
): Promise<Queued> {
  if (outgoing.refusal) throw outgoing.refusal;
  const made = madeOf(inbox, request, outgoing);
  const row = claim || free || !isPlain(ctx, outgoing) ? undefined : plainRow(ctx, inbox, outgoing, made);
  if (row && (await queueInBatch(ctx, { inbox, row })))
    return { id: row.id, thread_id: row.thread_id, status: "queued" };
  const contents = outgoing.files.map(({ bytes }) => bytes);
  const store = () =>
    storeWith(ctx, inbox.organization_id, contents, async (tx, places) => {
      await refuseIfPaused(tx, ctx.actor, inbox);
      await requireAllowed(tx, inbox, allRecipients(outgoing));
      await requireUnsuppressed(tx, inbox, allRecipients(outgoing));
      const message = await insertMessage(ctx, tx, { inbox, outgoing, places }, made);
      if (message) await claim?.(tx, message.id);
      const planned = message && plannedOf(message.id, outgoing);
      // What is held is counted when it leaves.
      const take = message?.status === "held" ? scheduleHeld : takeOrSchedule;
      const paused = planned ? await take(ctx, tx, inbox, planned) : [];
      if (message && outgoing.replyBy)
        await expectReply(tx, ownOf(inbox, message), { replyBy: outgoing.replyBy, now: ctx.now() });
      if (message) await free?.(tx);
      if (message) await takeStorage(ctx, tx, inbox, message.size);
      if (message) await record(ctx, tx, [sendOf(message.id)], { inbox_id: inbox.id });
      const held = message?.status === "held" ? [heldEvent(inbox, message)] : [];
      const recorded = await ctx.eventLog.record(plainOf(tx), [...held, ...paused], ctx.now());
      return message && { ...message, recorded };
    });
  const full = { owner: inbox, size: sizeOf(outgoing) };
  const queued = await withRoom(ctx, store, ({ error }) => (isStorageFull(error) ? full : undefined));
  if (!queued) return queuedByOther(ctx, inbox, request);
  ctx.eventLog.announce(queued.recorded);
  ctx.signals.raise("outbound");
  return { id: queued.id, thread_id: queued.thread_id, status: queued.status };
}

function ownOf(inbox: InboxRow, { id, thread_id }: Queued) {
  return { message_id: id, organization_id: inbox.organization_id, inbox_id: inbox.id, thread_id };
}

export function madeOf(inbox: InboxRow, request: Request, outgoing: Outgoing): Made {
  return { key: request.key ?? null, fingerprint: fingerprintOf(request), words: wordsOf(inbox, outgoing) };
}

/** Undefined if a concurrent request took the idempotency key. */
export async function insertMessage(
  ctx: Ctx<Caller>,
  tx: Transaction,
  { inbox, outgoing, places }: { inbox: InboxRow; outgoing: Outgoing; places: Place[] },
  { key, fingerprint, words }: Made,
): Promise<(Queued & { size: number }) | undefined> {
  const { conversation } = outgoing;
  const isLive = and(eq(inboxes.id, inbox.id), eq(inboxes.status, "live"));
  const [live] = await tx.select({ id: inboxes.id }).from(inboxes).where(isLive).for("share");
  if (!live) throw conversation ? noMessage() : new ServiceError("inbox_not_found", "The inbox does not exist.");
  const policy = await holdingPolicy(ctx, tx, inbox, allRecipients(outgoing));
  const id = newId();
  const threadId = conversation?.threadId ?? newId();
  const files = outgoing.files.map((file) => ({ ...file, id: newId() }));
  const fields = {
    ...messageRow(inbox, outgoing, files, id),
    thread_id: threadId,
    ...queueFields(ctx, inbox, policy ? "held" : outgoing.sendAt ? "scheduled" : "queued", { key, fingerprint }),
  };
  const rfc_message_id = ownMessageId(ctx.secrets, id, inbox.domain);
  const row = { ...fields, rfc_message_id, search: searchVector(fields, words) };
  // Before the thread is locked: a repeated request waits here for the first, and must not find the thread changed by
  // it.
  const inserted = await tx.insert(messages).values(row).onConflictDoNothing();
  if (inserted.count === 0) return;
  if (conversation) await joinThread(tx, conversation, id);
  else await beginThread(ctx, tx, { inbox, subject: outgoing.subject, threadId, id });
  await insertRecipients(tx, fields, outgoing);
  await insertFiles(tx, { organization_id: inbox.organization_id, message_id: id }, files, places);
  const expectedLast = conversation?.expectedLast ?? null;
  if (policy) await holdMessage(ctx, tx, { mailbox: inbox, policy, expectedLast }, id);
  return { id, thread_id: threadId, status: fields.status, size: fields.size };
}
