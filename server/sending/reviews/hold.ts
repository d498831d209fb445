// Decides whether a message waits for a member, and writes its review, in the transaction that stores the message.
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import { approvedRecipients, reviewRevisions, reviews } from "#db/schema/reviews.ts";
import type { Caller, Ctx, Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import { type NewEvent, newEvent } from "../../events/record.ts";
import { countCorrespondents } from "../../recipients/limits/correspondents.ts";
import { contentHash, hashFiles } from "./content-hash.ts";
import { writeEmails } from "./email.ts";
import { type Policy, readPolicy } from "./policy.ts";

/** Of one mailbox. More would only make the queue unreadable. */
const HELD_MAX = 200;
const SECOND_MS = 1_000;
/** The first key of the advisory lock; the second is derived from the organization's id. "rev" in ASCII. */
const REVIEWS_LOCK = 0x726576;

type Holding = {
  mailbox: Mailbox;
  policy: Pick<Policy, "ttl_seconds">;
  expectedLast: string | null;
  cause?: (typeof reviews.$inferSelect)["cause"];
  /** Whether its recipients were counted against the daily cap. */
  counted?: boolean;
};
type Mailbox = { id: string; organization_id: string; address: string };

/** The policy under which the message waits; undefined if it may leave. What members send themselves never waits. */
export async function holdingPolicy(
  { actor }: Ctx<Caller>,
  tx: Transaction,
  mailbox: Mailbox,
  recipients: string[],
): Promise<Policy | undefined> {
  return actor.kind === "member" ? undefined : policyFor(tx, mailbox, recipients);
}

/** The policy under which a message of an agent waits; undefined if it may leave. */
export async function policyFor(tx: Transaction, mailbox: Mailbox, recipients: string[]): Promise<Policy | undefined> {
  const policy = await readPolicy(tx, mailbox.organization_id, mailbox.id);
  const review = policy.own ?? policy.organization;
  if (review === "none") return;
  if (review === "first_contact" && (await areKnown(tx, mailbox, recipients))) return;
  return policy;
}

/** Whether each recipient provably wrote to the mailbox, or was approved for it before. */
async function areKnown(tx: Transaction, { id }: Mailbox, recipients: string[]): Promise<boolean> {
  const addresses = [...new Set(recipients.map((address) => address.toLowerCase()))];
  const { inbox_id, address } = approvedRecipients;
  const approved = await tx
    .select({ address })
    .from(approvedRecipients)
    .where(and(eq(inbox_id, id), anyOf(address, addresses)));
  const known = new Set(approved.map((row) => row.address));
  const others = addresses.filter((each) => !known.has(each));
  return others.length === 0 || (await countCorrespondents(tx, id, others)) === others.length;
}

/**
 * Writes the review of a stored message, and the emails that ask for a decision.
 * @throws ServiceError `too_many_held`
 */
export async function holdMessage(ctx: Services, tx: Transaction, holding: Holding, id: string): Promise<void> {
  const { mailbox } = holding;
  await lockReviews(tx, mailbox);
  const isWaiting = and(eq(reviews.inbox_id, mailbox.id), eq(reviews.status, "pending"));
  const held = await tx.$count(reviews, isWaiting);
  if (held >= HELD_MAX) {
    throw new ServiceError("too_many_held", `${held} messages of this mailbox wait for approval, which is the limit.`);
  }
  await writeReview(ctx, tx, holding, id);
}

/** For the end of the transaction that holds the message. */
export function heldEvent(
  { organization_id, id: inbox_id, address }: Mailbox,
  held: { id: string; thread_id: string },
): NewEvent {
  const message = { id: encodeId("msg", held.id), thread_id: encodeId("thr", held.thread_id) };
  const about = { organization_id, inbox_id, message_id: held.id };
  return newEvent(about, { event: "message.held", inbox: address, message });
}

/** Makes the limits of waiting messages and of emails exact. */
async function lockReviews(tx: Transaction, { organization_id }: Mailbox): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${REVIEWS_LOCK}::int, hashtext(${organization_id}))`);
}

/**
 * Holds a message that was accepted before, and that is locked: it was scheduled or queued. No limit refuses it, because it is
 * stored already.
 */
export async function holdAccepted(ctx: Services, tx: Transaction, holding: Holding, id: string): Promise<void> {
  await tx.update(messages).set({ status: "held", next_attempt_at: null }).where(eq(messages.id, id));
  await lockReviews(tx, holding.mailbox);
  await writeReview(ctx, tx, holding, id);
}

async function writeReview(
  ctx: Services,
  tx: Transaction,
  { mailbox, policy, expectedLast, cause = "policy", counted = false }: Holding,
  id: string,
): Promise<void> {
  const [message] = await tx.select().from(messages).where(eq(messages.id, id));
  if (!message) throw new Error("unreachable: the message was written");
  const created_at = ctx.now();
  const hash = contentHash(message, await hashFiles(tx, id));
  const own = { message_id: id, organization_id: mailbox.organization_id, revision: 1, hash, created_at };
  const expires_at = new Date(created_at.getTime() + policy.ttl_seconds * SECOND_MS);
  const waiting = { status: "pending" as const, cause, counted, expires_at, expected_last_message_id: expectedLast };
  await tx.insert(reviews).values({ ...own, ...waiting, inbox_id: mailbox.id });
  const { to_addresses: to, cc_addresses: cc, bcc_addresses: bcc, recipient_names, subject, text, html } = message;
  const content = { to, cc, bcc, ...(recipient_names && { names: recipient_names }), subject, text, html };
  await tx.insert(reviewRevisions).values({ ...own, content, author: "agent" });
  await writeEmails(ctx, tx, message, { hash, expires_at, cause });
}
