// POST /v1/inboxes/{addr}/import: stores a mail that another service had received. It can be read, and has no other effect: no
// event, no verdict on its sender, its sender becomes no correspondent. It has no envelope, which is how it is told from received mail.
import { hash } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Transaction } from "#db/client.ts";
import { byMessageId, hasMessageId } from "#db/conditions.ts";
import { rawMessages } from "#db/schema/content.ts";
import { inboxes, messages, threads } from "#db/schema/mail.ts";
import { record } from "../../activity/record.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { hashedId, newId, newIdAt } from "../../base/ids.ts";
import { findInbox, type InboxRow } from "../../base/tenancy.ts";
import { type Bucket, fullBucket, refill } from "../../base/token-bucket.ts";
import { storeWith } from "../../blobs/store.ts";
import { takeStorage } from "../../inboxes/storage/count.ts";
import { firstValue, type HeaderBlock, readHeaders } from "../../mime/headers.ts";
import { type MailSummary, summarize } from "../../receiving/headers.ts";
import { kindOf } from "../../receiving/kind.ts";

declare module "../../base/context.ts" {
  interface Services {
    /** By organization: how much it may import. */
    importRates: LRUCache<string, Bucket>;
  }
}

export const IMPORT_MAX_BYTES = 26_214_400;
/** Of an organization; a mail takes one for each of these octets that it begins. */
const RATE = { perSecond: 100, burst: 1_000 };
const TOKEN_BYTES = 262_144;
const ORGANIZATIONS_MAX = 10_000;
/** Older dates are errors of the program that wrote them. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);
/** The first key of the advisory lock; the second is derived from the mailbox. "imp" in ASCII. */
const LOCK = 0x696d70;

export type Imported = { id: string; thread_id: string; created_at: Date; repeated: boolean };

/** `read` is called once, after the mailbox is found. */
type Given = { addr: string; isRead: boolean; read(): Promise<Buffer> };

export function createImportRates(): LRUCache<string, Bucket> {
  return new LRUCache({ max: ORGANIZATIONS_MAX });
}

/**
 * The same octets in the same mailbox are stored once, until that message is deleted. Its time is that of its topmost Received header,
 * otherwise of Date, if that is between 1990 and now; otherwise now.
 * @throws ServiceError `inbox_not_found`, `invalid_request`, `payload_too_large`, `rate_limited`, `storage_quota_exceeded`, `unavailable`
 */
export async function importMail(ctx: Ctx<Caller>, { addr, isRead, read }: Given): Promise<Imported> {
  const inbox = await findInbox(ctx, addr);
  const raw = await read();
  if (raw.length > IMPORT_MAX_BYTES) {
    throw new ServiceError("payload_too_large", `The mail is larger than ${IMPORT_MAX_BYTES} bytes.`);
  }
  const block = readHeaders(raw);
  if (block.lines.length === 0) {
    throw new ServiceError("invalid_request", "The body is not a mail: it does not begin with headers.", {
      fix: "Send one raw mail (RFC 5322) as the body: curl --data-binary @mail.eml -H 'Content-Type: message/rfc822'.",
    });
  }
  takeRate(ctx, raw.length);
  const key = hash("sha256", Buffer.concat([Buffer.from("import\0"), raw]), "buffer");
  const earlier = await findImported(ctx.db, inbox, key);
  if (earlier) return earlier;
  const row = rowOf(ctx, inbox, { raw, block, key, isRead });
  const { organization_id } = inbox;
  const stored = await storeWith(ctx, organization_id, [raw], async (tx, [place]) => {
    if (!place) throw new Error("unreachable: one content has one place");
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK}::int, hashtext(${inbox.id}))`);
    await holdInbox(tx, inbox);
    const same = await findImported(tx, inbox, key);
    if (same) return same;
    const thread_id = await threadOf(tx, inbox, row.summary);
    const { summary, ...values } = row;
    const { id, created_at } = values;
    const last = { subject: summary.subject, last_message_id: id, created_at };
    await tx
      .insert(threads)
      .values({ id: thread_id, organization_id, inbox_id: inbox.id, ...last })
      .onConflictDoUpdate({
        target: threads.id,
        set: { last_message_id: sql`greatest(${threads.last_message_id}, excluded.last_message_id)` },
      });
    await takeStorage(ctx, tx, inbox, raw.length);
    await tx.insert(messages).values({ ...values, thread_id });
    await tx.insert(rawMessages).values({ message_id: id, organization_id, bytes: place.bytes, blob: place.blob });
    await record(ctx, tx, [{ kind: "message", id, before: null, after: {} }], { inbox_id: inbox.id });
    return { id, thread_id, created_at, repeated: false };
  });
  ctx.signals.raise("bodies");
  return stored;
}

/** Whether a stored message was imported: mail that arrived has an envelope sender, empty or not. */
export function isImported({
  direction,
  envelope_from,
}: Pick<typeof messages.$inferSelect, "direction" | "envelope_from">): boolean {
  return direction === "inbound" && envelope_from === null;
}

/** @throws ServiceError `rate_limited` */
function takeRate({ importRates, actor }: Ctx<Caller>, bytes: number): void {
  const now = performance.now();
  const bucket = importRates.get(actor.organizationId) ?? fullBucket(RATE, now);
  importRates.set(actor.organizationId, bucket);
  const cost = Math.ceil(bytes / TOKEN_BYTES);
  if (refill(RATE, bucket, now) < cost) {
    throw new ServiceError("rate_limited", "This organization imports mail faster than the service takes it.", {
      headers: { "Retry-After": "1" },
    });
  }
  bucket.tokens -= cost;
}

async function findImported(
  db: Pick<Transaction, "select">,
  inbox: InboxRow,
  key: Buffer,
): Promise<Imported | undefined> {
  const { id, thread_id, created_at, duplicate_key, inbox_id, organization_id } = messages;
  const [row] = await db
    .select({ id, thread_id, created_at })
    .from(messages)
    .where(and(eq(duplicate_key, key), eq(inbox_id, inbox.id), eq(organization_id, inbox.organization_id)));
  return row && { ...row, repeated: true };
}

/** A concurrent delete of the mailbox waits for the transaction. @throws ServiceError `inbox_not_found` */
async function holdInbox(tx: Transaction, { id, organization_id }: InboxRow): Promise<void> {
  const isLive = and(eq(inboxes.id, id), eq(inboxes.organization_id, organization_id), eq(inboxes.status, "live"));
  const [live] = await tx.select({ id: inboxes.id }).from(inboxes).where(isLive).for("share");
  if (!live) throw new ServiceError("inbox_not_found", "The inbox does not exist.");
}

/**
 * The thread of the last known mail that it answers. Otherwise one whose id comes from the Message-ID of the first mail of the
 * conversation, so that mails find each other whatever their order; first the one that answers to this mail have made.
 */
async function threadOf(tx: Transaction, inbox: InboxRow, summary: MailSummary): Promise<string> {
  const { references, inReplyTo, messageId } = summary;
  const answered = inReplyTo === null || references.includes(inReplyTo) ? references : [...references, inReplyTo];
  const last = answered.length === 0 ? undefined : await lastKnown(tx, inbox, answered);
  if (last !== undefined) return last;
  const idOf = (root: string) => hashedId(JSON.stringify(["thread", inbox.id, root]));
  const [root = messageId] = answered;
  if (messageId !== null && root !== messageId) {
    const id = idOf(messageId);
    const [made] = await tx
      .select({ id: threads.id })
      .from(threads)
      .where(and(eq(threads.id, id), eq(threads.inbox_id, inbox.id)));
    if (made) return made.id;
  }
  return root === null ? newId() : idOf(root);
}

/** The thread of the oldest mail with the last of these ids that the mailbox has. */
async function lastKnown(tx: Transaction, inbox: InboxRow, answered: string[]): Promise<string | undefined> {
  const oldest = tx
    .select({ thread_id: messages.thread_id })
    .from(messages)
    .where(
      and(
        hasMessageId(messages, { inbox: inbox.id, messageId: sql`r.id` }),
        eq(messages.organization_id, inbox.organization_id),
        isNull(messages.quarantine),
      ),
    )
    .orderBy(...byMessageId(messages))
    .limit(1)
    .as("oldest");
  const [found] = await tx
    .select({ thread_id: oldest.thread_id })
    .from(sql`unnest(${sql.param(answered)}::text[]) with ordinality as r(id, place)`)
    .crossJoinLateral(oldest)
    .orderBy(sql`r.place desc`)
    .limit(1);
  return found?.thread_id;
}

type Mail = { raw: Buffer; block: HeaderBlock; key: Buffer; isRead: boolean };

/** All columns but the thread. The parser reads the body. */
function rowOf({ now }: Ctx<Caller>, inbox: InboxRow, { raw, block, key, isRead }: Mail) {
  const summary = summarize(block);
  const from = summary.from?.address ?? "";
  const created_at = receivedAt(block, now());
  return {
    summary,
    id: newIdAt(created_at.getTime()),
    organization_id: inbox.organization_id,
    inbox_id: inbox.id,
    direction: "inbound" as const,
    status: "received" as const,
    from_address: from,
    from_name: summary.from?.name ?? null,
    to_addresses: summary.to,
    cc_addresses: summary.cc,
    bcc_addresses: [],
    reply_to: summary.replyTo,
    subject: summary.subject,
    kind: kindOf({ envelopeFrom: from, raw, block, from, subject: summary.subject }),
    rfc_message_id: summary.messageId,
    in_reply_to: summary.inReplyTo,
    references: summary.references,
    attachments: [],
    size: raw.length,
    duplicate_key: key,
    read: isRead,
    next_attempt_at: now(),
    created_at,
  };
}

function receivedAt(block: HeaderBlock, now: Date): Date {
  const received = firstValue(block, "received")?.split(";").at(-1);
  for (const text of [received, firstValue(block, "date")]) {
    const ms = Date.parse(text ?? "");
    if (ms >= EARLIEST_MS && ms <= now.getTime()) return new Date(ms);
  }
  return now;
}
