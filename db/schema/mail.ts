// Tables of mailboxes and mail.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { warningOf } from "../conditions.ts";
import type {
  AttachmentInfo,
  Authentication,
  Extraction,
  Reading,
  RecipientNames,
  Security,
  Spam,
} from "../message-parts.ts";
import { MAIL_KINDS, RECIPIENT_RESULTS, WAITING_STATUSES } from "../message-parts.ts";
import { bytea, moment, tsvector } from "./columns.ts";

/**
 * A mailbox. `address` is permanently unique (docs/decisions/009). `identity_*`: the sender identity, which is also a
 * queue.
 */
export const inboxes = pgTable(
  "inboxes",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    enrollment_key_id: uuid().notNull(),
    agent_id: uuid().notNull(),
    address: text().notNull(),
    domain: text().notNull(),
    display_name: text().notNull(),
    metadata: jsonb().$type<Record<string, string | number | boolean>>().notNull(),
    client_id: text(),
    /** `reserved`: its payment is pending; it is not visible yet, and its address is taken. */
    status: text({ enum: ["reserved", "live", "deleted"] }).notNull(),
    identity_status: text({ enum: ["opening", "open", "closing", "closed"] }).notNull(),
    /** The provider's id of the identity, if it has one. */
    identity_ref: text(),
    identity_attempts: integer().notNull().default(0),
    identity_error: text(),
    identity_next_attempt_at: moment("identity_next_attempt_at"),
    created_at: moment("created_at").notNull(),
    /** Since when the organization has the address, if an earlier mailbox had it: the ramp of the daily cap counts from it. */
    address_since: moment("address_since"),
    /** Of a deleted mailbox: the newest mailbox at its address, which what restrains the address belongs to. */
    superseded_by: uuid(),
    deleted_at: moment("deleted_at"),
    /** When the stored mail of a deleted inbox was erased. */
    erased_at: moment("erased_at"),
    /** Takes mail to unknown addresses of its domain, while its organization has a verified claim on it. */
    catch_all: boolean().notNull().default(false),
    /** What it sends waits at least so long before its first transmission. */
    outgoing_delay_seconds: integer().notNull().default(0),
  },
  (t) => [
    uniqueIndex("inboxes_address").on(t.address),
    uniqueIndex("inboxes_client_id").on(t.agent_id, t.client_id).where(sql`${t.client_id} is not null`),
    // Finds the mailboxes that an agent created.
    index("inboxes_agent").on(t.agent_id, t.id),
    // Finds whether a domain has mailboxes.
    index("inboxes_domain").on(t.domain),
    uniqueIndex("inboxes_catch_all")
      .on(t.domain, t.organization_id)
      .where(sql`${t.catch_all} and ${t.status} = 'live'`),
    index("inboxes_live").on(t.organization_id, t.id).where(sql`${t.status} = 'live'`),
    index("inboxes_identity_due")
      .on(t.identity_next_attempt_at)
      .where(sql`${t.identity_status} in ('opening', 'closing')`),
    // Counts what an enrollment key was used for, from the index alone.
    index("inboxes_enrollment_key").on(t.enrollment_key_id, t.id, t.agent_id, t.status),
    index("inboxes_superseded").on(t.superseded_by).where(sql`${t.superseded_by} is not null`),
    index("inboxes_to_erase").on(t.deleted_at).where(sql`${t.status} = 'deleted' and ${t.erased_at} is null`),
  ],
);

/**
 * Recipients of the messages that one mailbox sent on one UTC day. `replies`: recipients who wrote to the mailbox first,
 * for whom there is a separate cap; `counted`: all others. Bounces and complaints belong to the day of their message.
 */
export const sendUsage = pgTable(
  "send_usage",
  {
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    day: date({ mode: "string" }).notNull(),
    counted: integer().notNull(),
    replies: integer().notNull(),
    bounced: integer().notNull().default(0),
    complained: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.inbox_id, t.day] }),
    index("send_usage_day").on(t.organization_id, t.day),
    // Days that may have held the ramp. Without the columns that every send changes, whose updates stay cheap.
    index("send_usage_troubled").on(t.inbox_id, t.day).where(sql`${t.bounced} > 0 or ${t.complained} > 0`),
  ],
);

/**
 * Recipients that an organization sent to on one UTC day, without replies: from all of its mailboxes in the row whose `domain`
 * is empty, and from those below one registrable domain in the others. `since`: the day of their first send.
 */
export const sendTotals = pgTable(
  "send_totals",
  {
    organization_id: uuid().notNull(),
    domain: text().notNull(),
    day: date({ mode: "string" }).notNull(),
    counted: integer().notNull().default(0),
    since: date({ mode: "string" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.domain, t.day] })],
);

/** Messages that did not reach everyone, as members dismissed them. */
export const dismissedFailures = pgTable("dismissed_failures", {
  message_id: uuid().primaryKey(),
  organization_id: uuid().notNull(),
  /** The recipients whom the message had not reached by then: `index` of `message_recipients`. */
  recipients: integer().array().notNull(),
});

/** Addresses that provably wrote to a mailbox, in lower case, with the first proof. Mail to them counts as replies. */
export const correspondents = pgTable(
  "correspondents",
  {
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    address: text().notNull(),
    proof: text({ enum: ["aligned", "local", "answer"] }).notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.inbox_id, t.address] })],
);

/**
 * Bytes of stored mail (server/inboxes/storage/count.ts): of each mailbox, and of an organization as a whole in the row whose
 * `inbox_id` is all zeros.
 */
export const storageUsage = pgTable(
  "storage_usage",
  {
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    bytes: bigint({ mode: "number" }).notNull(),
    /** The quota of the last write; null: none. */
    quota: bigint({ mode: "number" }),
  },
  (t) => [
    primaryKey({ columns: [t.organization_id, t.inbox_id] }),
    check("storage_usage_within_quota", sql`${t.bytes} <= ${t.quota}`),
  ],
);

export const threads = pgTable(
  "threads",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    subject: text().notNull(),
    /** The newest message; the list of threads is ordered by it. */
    last_message_id: uuid().notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("threads_latest").on(t.inbox_id, t.last_message_id),
    index("threads_organization").on(t.organization_id, t.last_message_id),
  ],
);

/** What is stored of a mail. */
const messageColumns = () => ({
  id: uuid().primaryKey(),
  organization_id: uuid().notNull(),
  inbox_id: uuid().notNull(),
  thread_id: uuid().notNull(),
  direction: text({ enum: ["inbound", "outbound"] }).notNull(),
  /**
   * Inbound: received, then parsed or unparsed. Outbound: held until a member decides, or rejected; scheduled,
   * queued and sending while a recipient waits, then the worst of its recipients (server/recipients/outcomes/record.ts).
   */
  status: text({ enum: ["received", "parsed", "unparsed", ...WAITING_STATUSES, ...RECIPIENT_RESULTS] }).notNull(),
  from_address: text().notNull(),
  from_name: text(),
  to_addresses: text().array().notNull(),
  cc_addresses: text().array().notNull(),
  bcc_addresses: text().array().notNull(),
  reply_to: text().array().notNull(),
  /** Names that To, Cc and Reply-To show, by address. Null: none; inbound. */
  recipient_names: jsonb().$type<RecipientNames>(),
  subject: text().notNull(),
  /** Of inbound mail; null: outbound, or received by an earlier version. */
  kind: text({ enum: MAIL_KINDS }),
  /** The Message-ID header without angle brackets; null if the mail has none. */
  rfc_message_id: text(),
  in_reply_to: text(),
  references: text("references_ids").array().notNull(),
  /** Header lines in order, `[name, value]`, unfolded; null until the mail is parsed. Outbound: what the author added, null if nothing. */
  headers: jsonb().$type<[string, string][]>(),
  text: text(),
  html: text(),
  /** Extracted from the bodies (server/extraction): the new part, and the visible text. Null: not parsed. */
  extracted_text: text(),
  safe_text: text(),
  extraction: jsonb().$type<Extraction>(),
  /** The result of sender authentication (server/receiving/authentication); null: not checked, or outbound. */
  authentication: jsonb().$type<Authentication>(),
  security: jsonb().$type<Security>(),
  /** The verdict (server/receiving/spam.ts); null: not judged yet, outbound, or received by an earlier version. */
  spam: jsonb().$type<Spam>(),
  /**
   * Null: the mail is shown. In a mailbox with the policy `quarantine`, `pending` until the verdict, then `spam` or null. Neither
   * has an event, and their thread does not count them (server/messages/quarantine/).
   */
  quarantine: text({ enum: ["pending", "spam"] }),
  /** How it was read (server/mime). Null: not parsed, outbound, or parsed by a version that did not open containers. */
  reading: jsonb().$type<Reading>(),
  /** Words of sender, subject and body, and those of its organization and mailbox (server/extraction/search.ts). */
  search: tsvector("search"),
  read: boolean().notNull().default(false),
  labels: text().array().notNull().default(sql`'{}'`),
  /** When a waiter claimed it. */
  claimed_at: moment("claimed_at"),
  attachments: jsonb().$type<AttachmentInfo[]>().notNull(),
  /** Octets of the raw mail (inbound) or of the bodies and attachments (outbound). */
  size: bigint({ mode: "number" }).notNull(),
  envelope_from: text(),
  envelope_to: text(),
  remote_ip: text(),
  helo: text(),
  /** The address of this service that sent it, if the service itself passed it here (server/adapters/local-outbound.ts). Null: it came from outside. */
  local_sender: text(),
  /** sha256(envelope sender, Message-ID, body): the same mail received twice is stored once. */
  duplicate_key: bytea(),
  idempotency_key: text(),
  idempotency_hash: bytea(),
  /** Outbound: the agent key that wrote it, the keys above it, and the enrollment key. Null: a member wrote it, or an earlier version. */
  sent_by: uuid().array(),
  /** Whether it has a one-click unsubscribe link (RFC 8058). */
  list_unsubscribe: boolean().notNull().default(false),
  provider_message_id: text(),
  error: text(),
  attempts: integer().notNull().default(0),
  /** Inbound: how often it ended the thread that parsed it, by CPU time or memory. */
  parse_faults: integer().notNull().default(0),
  /** When the next attempt is due; during an attempt, when its lease ends. Null while queued: a pause stopped it (server/pauses). */
  next_attempt_at: moment("next_attempt_at"),
  sent_at: moment("sent_at"),
  created_at: moment("created_at").notNull(),
  /** Outbound: the span of the call that stored it, for its hand-over and outcomes; null without tracing. */
  traceparent: text(),
});

/** Mail in both directions. Outbound rows are also the send queue, inbound ones the parse queue. */
export const messages = pgTable("messages", messageColumns(), (t) => [
  index("messages_inbox").on(t.inbox_id, t.id),
  index("messages_organization").on(t.organization_id, t.id),
  index("messages_thread").on(t.thread_id, t.id),
  // Finds the oldest mail of a mailbox with a Message-ID among any number of them (db/conditions.ts).
  index("messages_rfc_message_id").on(t.rfc_message_id, t.inbox_id, t.id).where(sql`${t.rfc_message_id} is not null`),
  index("messages_direction").on(t.inbox_id, t.direction, t.id),
  // Finds whether a person has written to this mailbox, and lists their messages.
  index("messages_sender").on(t.inbox_id, sql`lower(${t.from_address})`, t.id).where(sql`${t.direction} = 'inbound'`),
  // Finds the message of a provider's event.
  index("messages_provider").on(t.provider_message_id).where(sql`${t.provider_message_id} is not null`),
  uniqueIndex("messages_duplicate").on(t.duplicate_key, t.inbox_id).where(sql`${t.duplicate_key} is not null`),
  uniqueIndex("messages_idempotency").on(t.inbox_id, t.idempotency_key).where(sql`${t.idempotency_key} is not null`),
  index("messages_due").on(t.next_attempt_at).where(sql`${t.status} in ('queued', 'sending')`),
  index("messages_search").using("gin", t.search),
  index("messages_labels").using("gin", t.labels).where(sql`${t.labels} <> '{}'`),
  index("messages_unread").on(t.inbox_id, t.id).where(sql`not ${t.read}`),
  index("messages_failed").on(t.organization_id, t.id).where(sql`${t.status} in ('failed', 'bounced')`),
  // Mail to be parsed, by organization, so that they take turns; and mail that may be parsed again.
  index("messages_received").on(t.organization_id, t.next_attempt_at).where(sql`${t.status} = 'received'`),
  index("messages_pending").on(t.id).where(sql`${t.quarantine} = 'pending'`),
  index("messages_quarantine").on(t.organization_id, t.id).where(sql`${t.quarantine} is not null`),
  index("messages_unparsed").on(t.id).where(sql`${t.status} = 'unparsed'`),
  index("messages_risky")
    .on(t.organization_id, t.id)
    .where(sql`(${warningOf(t)}) is not null`),
]);

/**
 * Deleted mail: rows of `messages` as they were, so that they can return. Raw mail, attachments and recipients stay where they are.
 */
export const trashedMessages = pgTable(
  "trashed_messages",
  {
    ...messageColumns(),
    /** Made when it was deleted, so that lists are in that order. */
    trash_id: uuid().notNull(),
    deleted_at: moment("deleted_at").notNull(),
  },
  (t) => [
    uniqueIndex("trashed_messages_organization").on(t.organization_id, t.trash_id),
    index("trashed_messages_inbox").on(t.inbox_id, t.trash_id),
    index("trashed_messages_deleted").on(t.deleted_at),
  ],
);

/** The outcome of an outbound message for each recipient, in the order of To, Cc and Bcc. */
export const messageRecipients = pgTable(
  "message_recipients",
  {
    message_id: uuid().notNull(),
    /** From 0. Return paths name it. */
    index: integer().notNull(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    address: text().notNull(),
    status: text({ enum: ["queued", ...RECIPIENT_RESULTS] }).notNull(),
    smtp_code: integer(),
    enhanced_code: text(),
    reason: text(),
    /** When the status or the reason last changed. Null: nothing has happened yet. */
    at: moment("at"),
    /** Only if the message was erased after it left: when it was counted. What becomes of it still counts. */
    counted_at: moment("counted_at"),
  },
  (t) => [
    primaryKey({ columns: [t.message_id, t.index] }),
    index("message_recipients_erased").on(t.message_id).where(sql`${t.counted_at} is not null`),
  ],
);

/**
 * Addresses that get no mail: of a whole organization where `inbox_id` is all zeros, or of one mailbox, after an
 * unsubscription.
 */
export const suppressions = pgTable(
  "suppressions",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    /** In lower case. */
    address: text().notNull(),
    reason: text().notNull(),
    /** The message whose outcome added it. */
    message_id: uuid(),
    /** `service`: an outcome or an unsubscription added it. */
    set_by: text({ enum: ["member", "agent", "service"] })
      .notNull()
      .default("member"),
    /** The agent key that added it. */
    set_by_key: uuid(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("suppressions_address").on(t.organization_id, t.address, t.inbox_id),
    index("suppressions_organization").on(t.organization_id, t.id),
  ],
);
