// Changes a held message: a new revision, on which an approval is decided anew.
import { eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import type { RecipientNames, ReviewedContent } from "#db/message-parts.ts";
import { messageRecipients, messages } from "#db/schema/mail.ts";
import { reviewRevisions, reviews } from "#db/schema/reviews.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { invalidField } from "../../base/errors.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import { changeStorage } from "../../inboxes/storage/count.ts";
import { searchVector } from "../../receiving/search-index.ts";
import { insertRecipients } from "../../recipients/outcomes/record.ts";
import { requireOneRecipient } from "../../recipients/suppressions/unsubscribe.ts";
import { wordsOf } from "../content/search-words.ts";
import { readRecipients, requireBody, shownNames } from "../content/sendable.ts";
import { contentHash, hashFiles } from "./content-hash.ts";
import { lockPending, type Seen } from "./decide.ts";

const REVISIONS_MAX = 20;

/**
 * @returns the hash of the new revision, in hex
 * @throws ServiceError `message_not_found`, `already_decided`, `review_changed`, `invalid_request`, `storage_quota_exceeded`
 */
export async function editHeld(ctx: Ctx<Member>, seen: Seen, given: Omit<ReviewedContent, "names">): Promise<string> {
  const recipients = readRecipients(given);
  requireBody(given);
  return ctx.db.transaction(async (tx) => {
    const { review, message: before, inbox } = await lockPending(tx, seen, ctx.now());
    if (review.revision >= REVISIONS_MAX)
      throw invalidField("revision", `a message has at most ${REVISIONS_MAX} revisions`);
    // It may have left for some of its recipients.
    if (review.cause === "key_revoked")
      throw invalidField("id", "a message of a revoked key is approved or rejected as it is");
    if (before.list_unsubscribe) requireOneRecipient(recipients);
    const { to, cc, bcc } = recipients;
    const named = { to, cc, replyTo: before.reply_to };
    // The name in Reply-To stays.
    const names = shownNames({ ...named, names: [...recipients.names, ...ofReplyTo(before)] });
    const content = { ...given, to, cc, bcc, ...(names && { names }) };
    const changed = { ...before, ...columnsOf(content), size: before.size + bytesOf(content) - bytesOf(before) };
    const hash = contentHash(changed, await hashFiles(tx, before.id));
    await store(ctx, tx, inbox, { before, changed });
    const own = { revision: review.revision + 1, hash };
    await tx.update(reviews).set(own).where(eq(reviews.message_id, before.id));
    const { organization_id } = before;
    const made = { message_id: before.id, organization_id, content, author: ctx.actor.email, created_at: ctx.now() };
    await tx.insert(reviewRevisions).values({ ...made, ...own });
    return hash.toString("hex");
  });
}

type Message = typeof messages.$inferSelect;

function columnsOf({ to, cc, bcc, names, subject, text, html }: ReviewedContent) {
  const recipients = { to_addresses: to, cc_addresses: cc, bcc_addresses: bcc, recipient_names: names ?? null };
  return { ...recipients, subject, text: text || null, html: html || null };
}

function ofReplyTo({ reply_to, recipient_names, to_addresses, cc_addresses }: Message): RecipientNames {
  const given = [...to_addresses, ...cc_addresses];
  return (recipient_names ?? []).filter(([address]) => reply_to.includes(address) && !given.includes(address));
}

function bytesOf({ text, html }: Pick<ReviewedContent, "text" | "html">): number {
  return Buffer.byteLength(text ?? "") + Buffer.byteLength(html ?? "");
}

async function store(
  ctx: Ctx<Member>,
  tx: Transaction,
  inbox: InboxRow,
  { before, changed }: { before: Message; changed: Message },
): Promise<void> {
  const {
    to_addresses: to,
    cc_addresses: cc,
    bcc_addresses: bcc,
    recipient_names,
    subject,
    text,
    html,
    size,
  } = changed;
  const sender = { address: before.from_address, display_name: before.from_name ?? "" };
  const search = searchVector(before, wordsOf(sender, { to, cc, names: recipient_names ?? [], subject, text, html }));
  const recipients = { to_addresses: to, cc_addresses: cc, bcc_addresses: bcc, recipient_names };
  await tx
    .update(messages)
    .set({ ...recipients, subject, text, html, size, search })
    .where(eq(messages.id, before.id));
  await tx.delete(messageRecipients).where(eq(messageRecipients.message_id, before.id));
  await insertRecipients(tx, before, { to, cc, bcc });
  await changeStorage(ctx, tx, inbox, { size, before: before.size });
}
