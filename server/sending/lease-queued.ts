// Leases due outbound messages for this process, with all data needed to send them.
import { hash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import type { attachments } from "#db/schema/content.ts";
import { type inboxes, messageRecipients, type messages, suppressions } from "#db/schema/mail.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { leaseEnd } from "../base/lease.ts";
import type { OutboundMail, RecipientResult } from "../base/ports/outbound.ts";
import { loadContent } from "../blobs/load.ts";
import { isGivenUp } from "../domains/ready.ts";
import { returnDomains } from "../receiving/returns/return-domains.ts";
import { returnPath } from "../receiving/returns/return-path.ts";
import { suppresses } from "../recipients/suppressions/check.ts";
import { unsubscribeUrl } from "../recipients/suppressions/unsubscribe.ts";
import { type Content, contentHash } from "./reviews/content-hash.ts";

const ROWS_MAX = 64;
/**
 * The due messages that share a lease by organization: so many that are due longest, and as many of the latest due. A mail with more
 * than so many of another organization on both sides waits until one side is shorter.
 */
const LOOK_ROWS = 256;
/** Bodies and attachments in memory for one batch; a larger message is leased alone. */
const LEASE_MAX_BYTES = 32 * 1024 * 1024;
/** The content of an attachment that could not be read. Its message is not sent. */
const UNREAD = Buffer.alloc(0);

type MessageRow = typeof messages.$inferSelect;
type InboxRow = typeof inboxes.$inferSelect;
/** The columns that a mail is composed from. `left_at`: when it was queued, like `countedAt`: a scheduled message at its time, a held one with its approval. */
type Composed = Pick<InboxRow, "domain"> & { left_at: Date } & Pick<
    MessageRow,
    | "id"
    | "from_address"
    | "from_name"
    | "to_addresses"
    | "cc_addresses"
    | "bcc_addresses"
    | "recipient_names"
    | "reply_to"
    | "subject"
    | "text"
    | "html"
    | "attachments"
    | "rfc_message_id"
    | "in_reply_to"
    | "references"
    | "headers"
  >;

/** The columns that settling a message needs. `was` is `sending` if an earlier lease expired, so that its result is unknown. */
type Kept = Pick<MessageRow, "id" | "organization_id" | "inbox_id" | "sent_by" | "attempts" | "error" | "traceparent"> &
  Pick<InboxRow, "identity_status" | "identity_error"> & {
    was: Extract<MessageRow["status"], "queued" | "sending">;
    inbox_status: InboxRow["status"];
  };

/** `is_paused`: whether a pause stops it. */
type Row = Composed & Kept & Pick<MessageRow, "list_unsubscribe"> & { is_paused: boolean };

export type Leased = Kept & {
  /** The values of `next_attempt_at` under this lease: the first, unless it was renewed and the answer was lost. */
  leases: Date[];
  mail: OutboundMail;
  /** Those without a result. */
  recipients: Waiting[];
  /** Results that arrived during this attempt. */
  results: RecipientResult[];
  /** Whether a member approved something else than this. */
  isChanged: boolean;
  /** Whether the organization no longer holds the domain of the mailbox. */
  isGivenUp: boolean;
  /** Why its attachments could not be read now; undefined: they were. */
  unread: string | undefined;
  /** Whether a member approved it. */
  isApproved: boolean;
  /** Aborts when a pause stops it (watch-pauses.ts). */
  stop: AbortController;
  /** When this process last looked for its pauses, on the clock of `performance`. */
  lookedAt: number;
};
/** `suppressed`: why the address gets no mail; null if it may get some. */
type Waiting = { index: number; address: string; suppressed: string | null };

/**
 * Of each organization in turn the longest due first, limited in rows and bytes. `attempts` counts the lease.
 * @param served organizations that need no more at the moment
 */
export async function leaseQueued(ctx: Ctx<System>, served: string[]): Promise<Leased[]> {
  const at = ctx.now();
  const lookedAt = performance.now();
  const leasedUntil = leaseEnd(at);
  const rows = await leaseDue(ctx, at, leasedUntil, served);
  if (rows.length === 0) return [];
  const [{ bytes, unread }, recipients, approved, givenUp, senders] = await Promise.all([
    attachmentBytes(
      ctx,
      rows.filter((row) => !row.is_paused),
    ),
    waitingOf(ctx, rows),
    approvedHashes(ctx.db, rows),
    givenUpOf(ctx, rows),
    ctx.outbound.usesReturnPaths ? returnDomains(ctx, rows) : undefined,
  ]);
  // A message without its attachments was deleted since it was leased, so nothing can be recorded for it.
  const whole = rows.filter(
    (row) => row.is_paused || unread.has(row.id) || row.attachments.every((file) => bytes.has(file.id)),
  );
  return whole.map((row) => {
    const { id } = row;
    const stop = new AbortController();
    if (row.is_paused) stop.abort();
    const waiting = recipients.get(id) ?? [];
    const envelopes = senders && envelopesOf(ctx, { id, domain: senders.get(id) ?? row.domain }, waiting);
    const mail = { ...mailOf(row, bytes), ...unsubscribeOf(ctx, row), ...(envelopes && { envelopes }) };
    const isRead = !unread.has(id) && !row.is_paused;
    const isChanged = isRead && !isAsApproved(approved.get(id), row, bytes);
    const known = {
      isChanged,
      isGivenUp: givenUp.has(holdingOf(row)),
      unread: unread.get(id),
      isApproved: Boolean(approved.get(id)),
    };
    return { ...keptOf(row), ...known, stop, lookedAt, leases: [leasedUntil], mail, recipients: waiting, results: [] };
  });
}

/**
 * The rows that a turn names are found by their ids, one after the other until there are enough: `lower` keeps the planner from
 * reading the whole queue for each, which it does while the table has no statistics.
 */
async function leaseDue({ sql }: Ctx<System>, at: Date, leasedUntil: Date, served: string[]): Promise<Row[]> {
  const isDue = sql`status in ('queued', 'sending') and next_attempt_at <= ${at}`;
  const look = (latest: ReturnType<Services["sql"]>) => sql`
    select id, organization_id, next_attempt_at from messages
    where ${isDue} and organization_id <> all(${served}::uuid[]) order by next_attempt_at ${latest} limit ${LOOK_ROWS}`;
  return sql<Row[]>`
    with looked as materialized (
      (${look(sql``)}) union (${look(sql`desc`)})
    ), turns as materialized (
      select id, row_number() over (partition by organization_id order by next_attempt_at, id) as turn, next_attempt_at as since
      from looked
    ), due as materialized (
      select found.id, status, size, turn, since from (select * from turns order by turn, since) next, lateral (
        select id, status, size from messages where messages.id = next.id and next_attempt_at <= ${at}
          and lower(status) in ('queued', 'sending') for update skip locked) found
      limit ${ROWS_MAX}
    ), job as (
      select id, status as was, (sum(size) over (order by turn, since, id) - size)::bigint as before from due
    )
    update messages m set status = 'sending', attempts = m.attempts + 1, next_attempt_at = ${leasedUntil}
    from job, inboxes i
    where m.id = any(array(select id from due)) and m.id = job.id and job.before < ${LEASE_MAX_BYTES} and i.id = m.inbox_id
    returning m.id, m.organization_id, m.attempts, job.was, m.error, m.from_address, m.from_name, m.to_addresses, m.cc_addresses,
      m.bcc_addresses, m.reply_to, m.recipient_names, m.subject, m.rfc_message_id, m.in_reply_to, m.references_ids as references, m.headers, m.text, m.html,
      m.attachments, coalesce((select s.released_at from scheduled_sends s where s.message_id = m.id),
        (select r.decided_at from reviews r where r.message_id = m.id and r.status = 'approved'), m.created_at) as left_at,
      m.inbox_id, m.sent_by, exists (
        select 1 from sending_pauses p where p.target_id = any(m.sent_by || array[m.organization_id, m.inbox_id]) and (
          p.cause <> 'revocation' or not exists (
            select 1 from reviews r where r.message_id = m.id and r.status = 'approved'))) as is_paused,
      m.list_unsubscribe, m.traceparent, i.domain, i.status as inbox_status, i.identity_status, i.identity_error`;
}

function holdingOf({ organization_id, domain }: Pick<Row, "organization_id" | "domain">): string {
  return `${organization_id} ${domain}`;
}

/** The domains of mailboxes that their organizations no longer hold. */
async function givenUpOf(ctx: Ctx<System>, rows: Row[]): Promise<Set<string>> {
  const holdings = [...new Map(rows.map((row) => [holdingOf(row), row]))];
  const all = await Promise.all(holdings.map(async ([name, row]) => ((await isGivenUp(ctx, row)) ? [name] : [])));
  return new Set(all.flat());
}

function keptOf({ id, organization_id, inbox_id, sent_by, attempts, was, error, ...row }: Row): Kept {
  const { inbox_status, identity_status, identity_error, traceparent } = row;
  const identity = { inbox_status, identity_status, identity_error };
  return { id, organization_id, inbox_id, sent_by, attempts, was, error, traceparent, ...identity };
}

export function unsubscribeOf(
  ctx: Parameters<typeof unsubscribeUrl>[0],
  { list_unsubscribe, inbox_id, ...row }: Pick<Row, "list_unsubscribe" | "inbox_id" | Recipients>,
): Pick<OutboundMail, "unsubscribeUrl"> {
  const [address] = [...row.to_addresses, ...row.cc_addresses, ...row.bcc_addresses];
  if (!list_unsubscribe || address === undefined) return {};
  return { unsubscribeUrl: unsubscribeUrl(ctx, { inboxId: inbox_id, address: address.toLowerCase() }) };
}

/** One envelope for each recipient, so that a bounce names the recipient. */
function envelopesOf(
  ctx: Ctx<System>,
  { id, domain }: Pick<Row, "id" | "domain">,
  waiting: Waiting[],
): OutboundMail["envelopes"] {
  return waiting.map(({ index, address }) => ({
    from: returnPath(ctx, { messageId: id, index }, domain),
    to: address,
  }));
}

async function waitingOf({ db }: Ctx<System>, rows: Row[]): Promise<Map<string, Waiting[]>> {
  const { message_id, index, address, status } = messageRecipients;
  const ofRows = anyOf(
    message_id,
    rows.map(({ id }) => id),
  );
  const found = await db
    .selectDistinctOn([message_id, index], { message_id, index, address, suppressed: suppressions.reason })
    .from(messageRecipients)
    .leftJoin(suppressions, suppresses(messageRecipients))
    .where(and(ofRows, eq(status, "queued")))
    .orderBy(message_id, index);
  return Map.groupBy(found, (each) => each.message_id);
}

/** The bytes of each attachment, and why those of a message cannot be read. */
type AttachmentBytes = { bytes: Map<string, Buffer>; unread: Map<string, string> };

async function attachmentBytes(ctx: Ctx<System>, rows: Row[]): Promise<AttachmentBytes> {
  const ids = rows.filter((row) => row.attachments.length > 0).map((row) => row.id);
  const read: AttachmentBytes = { bytes: new Map(), unread: new Map() };
  if (ids.length === 0) return read;
  const files = await ctx.sql<Omit<typeof attachments.$inferSelect, "sha256">[]>`
    select id, organization_id, message_id, bytes, blob from attachments where message_id = any(${ids}::uuid[])`;
  const reading = files.map(async (file) => {
    const about = { message: file.message_id, attachment: file.id };
    try {
      read.bytes.set(file.id, await loadContent(ctx, file.organization_id, file, about));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      read.unread.set(file.message_id, `An attachment could not be read: ${error.message}`);
    }
  });
  await Promise.all(reading);
  return read;
}

type Recipients = "to_addresses" | "cc_addresses" | "bcc_addresses";
/** Every attempt uses what was stored when the message was accepted, so that a retry sends the same message. */
export function mailOf(row: Composed, bytes: Map<string, Buffer>): OutboundMail {
  const id = encodeId("msg", row.id);
  return {
    id,
    from: { address: row.from_address, name: row.from_name ?? "" },
    to: row.to_addresses,
    cc: row.cc_addresses,
    bcc: row.bcc_addresses,
    replyTo: row.reply_to,
    names: row.recipient_names ?? [],
    subject: row.subject,
    text: row.text,
    html: row.html,
    messageId: row.rfc_message_id ?? `${id}@${row.domain}`,
    inReplyTo: row.in_reply_to,
    references: row.references,
    headers: row.headers ?? [],
    date: row.left_at,
    attachments: row.attachments.map((file) => ({
      filename: file.filename ?? "attachment",
      contentType: file.content_type,
      content: bytes.get(file.id) ?? UNREAD,
      ...(file.content_id !== undefined && { contentId: file.content_id }),
    })),
  };
}

/** The hash of the approved content of messages that were held, by message; null: none was approved. */
async function approvedHashes(db: Database, sent: { id: string }[]): Promise<Map<string, Buffer | null>> {
  const { message_id, status } = reviews;
  const ids = sent.map(({ id }) => id);
  const rows = await db.select({ message_id, status, hash: reviews.hash }).from(reviews).where(anyOf(message_id, ids));
  return new Map(rows.map((row) => [row.message_id, row.status === "approved" ? row.hash : null]));
}

/** Whether what leaves is what a member approved. @param approved undefined: the message was never held */
function isAsApproved(approved: Buffer | null | undefined, content: Content, files: Map<string, Buffer>): boolean {
  if (approved === undefined) return true;
  const attached = content.attachments.map(({ id }) => files.get(id) ?? Buffer.alloc(0));
  const hashes = content.attachments.map(({ id }, i): [string, string] => [id, hash("sha256", attached[i] as Buffer)]);
  return approved?.equals(contentHash(content, new Map(hashes))) ?? false;
}
