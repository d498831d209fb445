// The whole data model: every table, its indexes, and why each index is there.
// Ids are UUIDv7; the wire shows them as TypeIDs (server/ids.ts). Every tenant table carries `organization_id`, so that the
// schema can be distributed by it. High-volume tables hold no foreign keys: their rows are written with what they point at.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import type { AttachmentInfo, RecipientResult } from "./message-parts.ts";

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });

export const organizations = pgTable("organizations", {
  id: uuid().primaryKey(),
  name: text().notNull().unique(),
  created_at: moment("created_at").notNull(),
});

/** Secrets of keys are stored as SHA-256 of the whole token and nothing else. `used_count` is the hot quota column. */
export const enrollmentKeys = pgTable(
  "enrollment_keys",
  {
    id: uuid().primaryKey(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    secret_hash: bytea().notNull(),
    allowed_domains: text().array().notNull(),
    scopes: text().array().notNull(),
    max_mailboxes: integer().notNull(),
    used_count: integer().notNull().default(0),
    expires_at: moment("expires_at"),
    revoked_at: moment("revoked_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [index("enrollment_keys_organization").on(t.organization_id, t.id)],
);

export const agents = pgTable(
  "agents",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    enrollment_key_id: uuid()
      .notNull()
      .references(() => enrollmentKeys.id),
    handle: text().notNull(),
    name: text(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [uniqueIndex("agents_handle").on(t.enrollment_key_id, t.handle)],
);

export const agentKeys = pgTable(
  "agent_keys",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    agent_id: uuid()
      .notNull()
      .references(() => agents.id),
    secret_hash: bytea().notNull(),
    scopes: text().array().notNull(),
    /** Null: every inbox of the organization. */
    inbox_ids: uuid().array(),
    expires_at: moment("expires_at"),
    revoked_at: moment("revoked_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [index("agent_keys_agent").on(t.agent_id)],
);

/** A mailbox. `address` is unique for ever (docs/decisions/009). `identity_*`: the sender identity, a queue of its own. */
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
    status: text({ enum: ["live", "deleted"] }).notNull(),
    identity_status: text({ enum: ["opening", "open", "closing", "closed"] }).notNull(),
    /** What the provider calls the identity, when it has a name of its own for it. */
    identity_ref: text(),
    identity_attempts: integer().notNull().default(0),
    identity_error: text(),
    identity_next_attempt_at: moment("identity_next_attempt_at"),
    created_at: moment("created_at").notNull(),
    deleted_at: moment("deleted_at"),
    /** When the stored mail of a deleted inbox was gone. */
    erased_at: moment("erased_at"),
  },
  (t) => [
    uniqueIndex("inboxes_address").on(t.address),
    uniqueIndex("inboxes_client_id").on(t.organization_id, t.client_id).where(sql`${t.client_id} is not null`),
    // Is a domain ours? Has it another mailbox?
    index("inboxes_domain").on(t.domain),
    index("inboxes_live").on(t.organization_id, t.id).where(sql`${t.status} = 'live'`),
    index("inboxes_identity_due")
      .on(t.identity_next_attempt_at)
      .where(sql`${t.identity_status} in ('opening', 'closing')`),
    index("inboxes_to_erase").on(t.deleted_at).where(sql`${t.status} = 'deleted' and ${t.erased_at} is null`),
  ],
);

/** Sends of one mailbox on one UTC day: what the daily cap counts, and replies, which have a cap of their own. */
export const sendUsage = pgTable(
  "send_usage",
  {
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    day: date({ mode: "string" }).notNull(),
    counted: integer().notNull(),
    replies: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.inbox_id, t.day] })],
);

export const threads = pgTable(
  "threads",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    subject: text().notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [index("threads_inbox").on(t.inbox_id, t.id)],
);

/** Mail in both directions. Outbound rows are also the send queue, inbound ones the parse queue. */
export const messages = pgTable(
  "messages",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    thread_id: uuid().notNull(),
    direction: text({ enum: ["inbound", "outbound"] }).notNull(),
    /** Inbound: received, then parsed or unparsed. Outbound: queued, sending, then sent or failed. */
    status: text({ enum: ["received", "parsed", "unparsed", "queued", "sending", "sent", "failed"] }).notNull(),
    from_address: text().notNull(),
    from_name: text(),
    to_addresses: text().array().notNull(),
    cc_addresses: text().array().notNull(),
    bcc_addresses: text().array().notNull(),
    reply_to: text().array().notNull(),
    subject: text().notNull(),
    /** The Message-ID header without angle brackets; null when the mail has none. */
    rfc_message_id: text(),
    in_reply_to: text(),
    references: text("references_ids").array().notNull(),
    /** Header lines in order, `[name, value]`, unfolded; null until the mail is parsed. */
    headers: jsonb().$type<[string, string][]>(),
    text: text(),
    html: text(),
    attachments: jsonb().$type<AttachmentInfo[]>().notNull(),
    /** Octets of the raw mail (inbound) or of the bodies and attachments (outbound). */
    size: bigint({ mode: "number" }).notNull(),
    envelope_from: text(),
    envelope_to: text(),
    remote_ip: text(),
    helo: text(),
    /** sha256(envelope sender, Message-ID, body): the same mail handed over twice is stored once. */
    duplicate_key: bytea(),
    idempotency_key: text(),
    idempotency_hash: bytea(),
    recipient_results: jsonb().$type<RecipientResult[]>(),
    provider_message_id: text(),
    error: text(),
    attempts: integer().notNull().default(0),
    next_attempt_at: moment("next_attempt_at"),
    sent_at: moment("sent_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("messages_inbox").on(t.inbox_id, t.id),
    index("messages_thread").on(t.thread_id, t.id),
    index("messages_rfc_message_id").on(t.rfc_message_id, t.inbox_id).where(sql`${t.rfc_message_id} is not null`),
    // "Has this person written to this mailbox?"
    index("messages_correspondent")
      .on(t.inbox_id, sql`lower(${t.from_address})`)
      .where(sql`${t.direction} = 'inbound'`),
    uniqueIndex("messages_duplicate").on(t.duplicate_key, t.inbox_id).where(sql`${t.duplicate_key} is not null`),
    uniqueIndex("messages_idempotency")
      .on(t.organization_id, t.idempotency_key)
      .where(sql`${t.idempotency_key} is not null`),
    index("messages_due").on(t.next_attempt_at).where(sql`${t.status} in ('queued', 'sending')`),
    index("messages_unread_bodies").on(t.next_attempt_at).where(sql`${t.status} = 'received'`),
  ],
);

/** The exact bytes of an inbound mail. */
export const rawMessages = pgTable("raw_messages", {
  message_id: uuid().primaryKey(),
  organization_id: uuid().notNull(),
  bytes: bytea().notNull(),
});

/** The bytes of an outbound message's attachments. */
export const attachments = pgTable(
  "attachments",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    message_id: uuid().notNull(),
    bytes: bytea().notNull(),
  },
  (t) => [index("attachments_message").on(t.message_id)],
);

/** The durable log that webhooks are a door to. `body` is the exact text that every attempt sends and signs. */
export const events = pgTable(
  "events",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    inbox_id: uuid().notNull(),
    message_id: uuid().notNull(),
    kind: text({ enum: ["message.received"] }).notNull(),
    body: text().notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [index("events_message").on(t.message_id)],
);

/** A customer's endpoint. The secret is AES-256-GCM with the webhook's id as additional data (server/secrets.ts). */
export const webhooks = pgTable(
  "webhooks",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    /** Null: every inbox of the organization. */
    inbox_id: uuid(),
    url: text().notNull(),
    events: text().array().notNull(),
    secret: bytea().notNull(),
    active: boolean().notNull(),
    disabled_reason: text(),
    /** The first failure since the last success; five days of it disable the webhook. */
    failing_since: moment("failing_since"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("webhooks_organization").on(t.organization_id, t.id),
    index("webhooks_inbox").on(t.organization_id, t.inbox_id),
  ],
);

/** One event owed to one webhook: the delivery queue and its outcome. */
export const deliveries = pgTable(
  "deliveries",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    webhook_id: uuid().notNull(),
    event_id: uuid().notNull(),
    status: text({ enum: ["pending", "succeeded", "failed"] }).notNull(),
    attempts: integer().notNull().default(0),
    /** When the next attempt is due; while one is under way, when its lease ends. Null once finished. */
    next_attempt_at: moment("next_attempt_at"),
    last_status: integer(),
    last_error: text(),
    created_at: moment("created_at").notNull(),
    completed_at: moment("completed_at"),
  },
  (t) => [
    index("deliveries_due").on(t.next_attempt_at).where(sql`${t.status} = 'pending'`),
    index("deliveries_webhook").on(t.webhook_id, t.id),
  ],
);
