// Adds a message to its thread: a new one, or that of the message it answers, unless that thread has a newer message or two
// programs answer each other. Both are checked with the thread locked.
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { inboxes, threads } from "#db/schema/mail.ts";
import { isMessageId, readMailbox } from "../base/addresses.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import type { InboxRow } from "../base/tenancy.ts";
import { noMessage } from "../messages/find.ts";
import { lockThread, newestOf, type Others, requireNewest } from "../messages/threads/newest.ts";
import type { Answered } from "./answered.ts";
import type { Conversation } from "./outgoing.ts";

/**
 * A conversation between mailboxes of this service stops at so many mails within this time (RFC 3834). Slower
 * conversations, and those with other services, are not limited.
 */
const LOOP_MAILS = 10;
const LOOP_WINDOW_MS = 600_000;

type Answer = { recipients: string[]; expectedLast: string | undefined };

/**
 * @param answer.recipients all recipients
 * @param answer.expectedLast API id of the message that the caller believes is the thread's newest; a message of
 * another thread never is
 * @throws ServiceError `invalid_request` if that is not a message id; later, from `checks`, `thread_moved_on`,
 * `reply_refused`
 */
export function continueThread(ctx: Ctx<Caller>, answered: Answered, answer: Answer): Conversation {
  const expected = answer.expectedLast === undefined ? undefined : readMessageId(answer.expectedLast);
  const partners = partnersOf(answered, answer.recipients);
  const threadId = answered.message.thread_id;
  return {
    threadId,
    expectedLast: expected ?? null,
    ...threadIds(answered),
    checks: [
      async (tx, messageId) => {
        if (expected !== undefined) await requireNewest(tx, { threadId, messageId }, expected);
      },
      async (tx, messageId) => {
        if (partners.length > 0) await refuseLoop(ctx, tx, { threadId, messageId }, partners);
      },
    ],
  };
}

function readMessageId(wireId: string): string {
  const id = decodeId("msg", wireId);
  if (id) return id;
  throw invalidField("expected_last_message_id", "not a message id");
}

/** Mailboxes that receive the reply: the sender of an inbound message, the recipients of an outbound one. */
function partnersOf({ message, inbox }: Answered, recipients: string[]): string[] {
  const { direction, from_address, to_addresses, cc_addresses } = message;
  const there = direction === "inbound" ? [from_address] : [...to_addresses, ...cc_addresses];
  const mailboxes = new Set(there.map(readMailbox));
  return recipients
    .map(readMailbox)
    .filter((each) => each !== undefined && each !== inbox.address && mailboxes.has(each)) as string[];
}

async function refuseLoop(ctx: Ctx<Caller>, tx: Transaction, others: Others, partners: string[]): Promise<void> {
  const since = ctx.now().getTime() - LOOP_WINDOW_MS;
  const newest = await newestOf(tx, others, LOOP_MAILS);
  if (newest.filter(({ created_at }) => created_at.getTime() > since).length < LOOP_MAILS) return;
  const hosted = await tx.$count(inboxes, and(anyOf(inboxes.address, partners), eq(inboxes.status, "live")));
  if (hosted === 0) return;
  throw new ServiceError(
    "reply_refused",
    `This thread has had ${LOOP_MAILS} mails within ${LOOP_WINDOW_MS / 60_000} minutes between mailboxes of this service, which looks as ` +
      "if two programs answer each other. Wait a few minutes and repeat, or send a new message.",
  );
}

export async function joinThread(tx: Transaction, { threadId, checks }: Conversation, id: string): Promise<void> {
  if (!(await lockThread(tx, threadId))) throw noMessage();
  for (const check of checks) await check(tx, id);
  const last_message_id = sql`greatest(${threads.last_message_id}, ${id}::uuid)`;
  await tx.update(threads).set({ last_message_id }).where(eq(threads.id, threadId));
}

export async function beginThread(
  ctx: Ctx<Caller>,
  tx: Transaction,
  { inbox, subject, threadId, id }: { inbox: InboxRow; subject: string; threadId: string; id: string },
): Promise<void> {
  await tx.insert(threads).values({
    id: threadId,
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    subject,
    last_message_id: id,
    created_at: ctx.now(),
  });
}

// Builds In-Reply-To and References of a reply (RFC 5322 §3.6.4), limited in length for long threads.
/** Of a longer list, the first and so many of the last are kept: mail programs use the root or the nearest ones. */
const LAST_IDS = 20;
const IDS_CHARS = 4_000;

/** The parent's References; without them its In-Reply-To, if that is one id. */
function parentReferences({ message, headers }: Answered): string[] {
  if (message.references.length > 0 || message.in_reply_to === null) return message.references;
  const written = headers.find(([name]) => name.toLowerCase() === "in-reply-to")?.[1] ?? "";
  return written.split("<").length > 2 ? [] : [message.in_reply_to];
}

/** @returns ids without angle brackets, oldest first; ids that a header cannot hold are dropped */
function threadIds(answered: Answered): { inReplyTo: string | null; references: string[] } {
  const own = answered.message.rfc_message_id;
  const parent = own !== null && isMessageId(own) ? own : null;
  const earlier = parentReferences(answered).filter((id) => id !== parent && isMessageId(id));
  const ids = [...new Set(earlier), ...(parent === null ? [] : [parent])];
  const kept = ids.length > LAST_IDS + 1 ? [...ids.slice(0, 1), ...ids.slice(-LAST_IDS)] : ids;
  let chars = kept.reduce((sum, id) => sum + id.length, 0);
  while (chars > IDS_CHARS && kept.length > 1) {
    // Drops the root second to last, and the parent's id never.
    const [dropped] = kept.splice(kept.length > 2 ? 1 : 0, 1);
    chars -= dropped?.length ?? 0;
  }
  return { inReplyTo: parent, references: kept };
}
