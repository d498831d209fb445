// Tables of the event log, webhooks and their deliveries.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { EVENT_KINDS, WEBHOOK_FORMATS, WEBHOOK_KINDS } from "../event-kinds.ts";
import { MAIL_KINDS } from "../message-parts.ts";
import { EMAIL_CLASSES, EMAIL_TOPICS, NOTICE_CHANNELS } from "../notice-topics.ts";
import { bytea, moment } from "./columns.ts";

/**
 * The number of events of an organization. The row lock that assigns positions makes their order the order of commits.
 */
export const eventPositions = pgTable("event_positions", {
  organization_id: uuid().primaryKey(),
  last: bigint({ mode: "number" }).notNull(),
});

/**
 * The durable log that webhooks, waits and the event stream read. `body` is the exact text that every delivery sends
 * and signs. Positions increase in an organization without gaps, in the order of commits, so a reader that has seen one
 * has missed none before it.
 */
export const events = pgTable(
  "events",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    position: bigint({ mode: "number" }).notNull(),
    /** Null for events without an inbox: a webhook for all inboxes was disabled. */
    inbox_id: uuid(),
    message_id: uuid(),
    kind: text({ enum: EVENT_KINDS }).notNull(),
    body: text().notNull(),
    created_at: moment("created_at").notNull(),
    /** The span that stored it, for the work that other processes do later; null without tracing. */
    traceparent: text(),
  },
  (t) => [
    index("events_message").on(t.message_id),
    uniqueIndex("events_position").on(t.organization_id, t.position),
    index("events_inbox").on(t.inbox_id, t.position),
    // Counts the positions of events other than received mail.
    index("events_no_mail").on(t.organization_id, t.position).where(sql`${t.kind} <> 'message.received'`),
    // Finds events past their retention.
    index("events_created").on(t.created_at),
  ],
);

/**
 * A customer's endpoint. The secret is AES-256-GCM with the webhook's id as additional data (server/base/secrets.ts).
 */
export const webhooks = pgTable(
  "webhooks",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    /** Null: every inbox of the organization, or of `agent_id`. */
    inbox_id: uuid(),
    /** The agent whose inboxes alone it is for: it was registered by a key that reaches no others. */
    agent_id: uuid(),
    url: text().notNull(),
    /** What people call it. Null: its URL names it. */
    name: text(),
    events: text({ enum: WEBHOOK_KINDS }).array().notNull(),
    /** The form of its deliveries. Null: Mailberth's own. */
    format: text({ enum: WEBHOOK_FORMATS }),
    secret: bytea().notNull(),
    /** The previous secret, which also signs until then. */
    previous_secret: bytea(),
    previous_secret_expires_at: moment("previous_secret_expires_at"),
    /** Of events about a message, only those of mail to this recipient: an address, or a part of one. Null: all mail. */
    to_filter: text(),
    /** The same for kinds of mail. Null: all kinds. */
    kind_filter: text({ enum: MAIL_KINDS }),
    /** Of events about a message, only those of this sender, with this part of the subject, with this label. Null: all. */
    from_filter: text(),
    subject_filter: text(),
    label_filter: text(),
    /** Headers of its deliveries: JSON, sealed like the secret, and their names. Null: none. */
    headers: bytea(),
    header_names: text().array(),
    /** Whether deliveries of received mail have the message. Null: no. */
    include_message: boolean(),
    active: boolean().notNull(),
    disabled_reason: text(),
    disabled_at: moment("disabled_at"),
    /** The first failure since the last success; after five days the webhook is disabled. */
    failing_since: moment("failing_since"),
    created_at: moment("created_at").notNull(),
    /** When a test receiver ends (server/webhooks/receivers). Null: an endpoint of a customer. */
    expires_at: moment("expires_at"),
  },
  (t) => [
    index("webhooks_organization").on(t.organization_id, t.id),
    index("webhooks_inbox").on(t.organization_id, t.inbox_id),
    index("webhooks_expiring").on(t.expires_at).where(sql`${t.expires_at} is not null`),
  ],
);

/** One event for one webhook: the delivery queue and its outcome. */
export const deliveries = pgTable(
  "deliveries",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    webhook_id: uuid().notNull(),
    event_id: uuid().notNull(),
    /** Kept here because a delivery can outlive its event. */
    event_kind: text({ enum: WEBHOOK_KINDS }).notNull().default("message.received"),
    status: text({ enum: ["pending", "succeeded", "failed"] }).notNull(),
    attempts: integer().notNull().default(0),
    /** When the next attempt is due; during an attempt, when its lease ends. Null once finished. */
    next_attempt_at: moment("next_attempt_at"),
    /** When an extra attempt that a caller requested is due; during the attempt, when its lease ends. */
    resend_at: moment("resend_at"),
    last_status: integer(),
    last_error: text(),
    created_at: moment("created_at").notNull(),
    completed_at: moment("completed_at"),
  },
  (t) => [
    index("deliveries_due").on(t.next_attempt_at).where(sql`${t.status} = 'pending'`),
    index("deliveries_resend").on(t.resend_at).where(sql`${t.status} = 'pending' and ${t.resend_at} is not null`),
    index("deliveries_webhook").on(t.webhook_id, t.id),
    index("deliveries_failed").on(t.webhook_id, t.id).where(sql`${t.status} = 'failed'`),
    index("deliveries_event").on(t.event_id),
    // Finds deliveries past their retention.
    index("deliveries_created").on(t.created_at),
  ],
);

/**
 * The delivery log: every attempt, its request and its answer. Written once. The table is partitioned by the day of its ids, so that
 * old attempts are dropped with their partition (db/partitions.ts); drizzle knows only its columns and indexes.
 */
export const deliveryAttempts = pgTable(
  "delivery_attempts",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    webhook_id: uuid().notNull(),
    delivery_id: uuid().notNull(),
    /** From 1; continues when a delivery is sent again. */
    number: integer().notNull(),
    started_at: moment("started_at").notNull(),
    duration_ms: integer().notNull(),
    /** Null: no answer, and `error` says why. */
    status: integer(),
    error: text(),
    /** `[name, value]`, as sent. */
    request_headers: jsonb().$type<[string, string][]>().notNull(),
    /** The first KiB of the answer. */
    response_body: text(),
    next_attempt_at: moment("next_attempt_at"),
  },
  (t) => [index("delivery_attempts_delivery").on(t.delivery_id, t.id)],
);

/** The service's own mail to people: a queue. */
export const notices = pgTable(
  "notices",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    /**
     * `reset` and `invitation` contain a link that opens an account, `review` one that approves a message: they are never sent to a mailbox of this service.
     * `confirmation` asks whether an address wants notices.
     */
    kind: text({ enum: ["notice", "reset", "invitation", "review", "confirmation"] })
      .notNull()
      .default("notice"),
    to_address: text().notNull(),
    /** The route (`notice_routes`) of the member who chose to get it: it is not sent once the route has ended. */
    route_id: uuid(),
    /** `chat`: it is posted to the URL of the route. */
    channel: text({ enum: NOTICE_CHANNELS }).notNull().default("mail"),
    /** What it is about. Null: written by an earlier version. */
    topic: text({ enum: EMAIL_TOPICS }),
    /** How many things it is about: the subject of a merged email has the sum. */
    things: integer().notNull().default(1),
    subject: text().notNull(),
    text: text().notNull(),
    /** The link of the mail, encrypted; null once the mail was sent or failed. */
    link: bytea(),
    attempts: integer().notNull().default(0),
    next_attempt_at: moment("next_attempt_at"),
    error: text(),
    sent_at: moment("sent_at"),
    /** When it passed the gate (server/system-mail/gate.ts). Null: it waits for that, and may leave with others as one email. */
    passed_at: moment("passed_at"),
    /** The email that it is a part of. */
    merged_into: uuid(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("notices_due").on(t.next_attempt_at).where(sql`${t.next_attempt_at} is not null`),
    index("notices_waiting")
      .on(t.organization_id, t.to_address)
      .where(sql`${t.next_attempt_at} is not null and ${t.passed_at} is null`),
    index("notices_merged").on(t.merged_into).where(sql`${t.merged_into} is not null`),
  ],
);

/** Which emails passed the gate: what its limits count. */
export const letterPasses = pgTable(
  "letter_passes",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    /** The mailbox that the email reaches, in lower case and without a tag, or the route of a chat. */
    recipient: text().notNull(),
    class: text({ enum: EMAIL_CLASSES }).notNull(),
    topic: text({ enum: EMAIL_TOPICS }),
    passed_at: moment("passed_at").notNull(),
  },
  (t) => [
    index("letter_passes_recipient").on(t.recipient, t.passed_at),
    index("letter_passes_organization").on(t.organization_id, t.passed_at),
    index("letter_passes_passed").on(t.passed_at),
  ],
);

/** What is known of addresses of an organization (`owner_emails`) that are no member's: they get notices once confirmed. */
export const noticeAddresses = pgTable(
  "notice_addresses",
  {
    organization_id: uuid().notNull(),
    address: text().notNull(),
    /** When the email that asks was written last. */
    asked_at: moment("asked_at"),
    confirmed_at: moment("confirmed_at"),
    /** The person wants no notices: nothing more is sent there. */
    refused_at: moment("refused_at"),
  },
  (t) => [primaryKey({ columns: [t.organization_id, t.address] })],
);

/** Ids of events that a provider posted, so that each is taken once (server/receiving/provider). */
export const providerEvents = pgTable(
  "provider_events",
  { id: text().primaryKey(), created_at: moment("created_at").notNull() },
  (t) => [index("provider_events_created").on(t.created_at)],
);
