// Tables of what happened, and of the webhooks that are told of it.
import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, moment } from "./columns.ts";

/** How many events an organization has had: the row lock that numbers them makes their order that of their commits. */
export const eventPositions = pgTable("event_positions", {
  organization_id: uuid().primaryKey(),
  last: bigint({ mode: "number" }).notNull(),
});

/**
 * The durable log that webhooks, waits and the event stream are doors to. `body` is the exact text that every delivery sends
 * and signs. Positions count up in an organization without gaps, in the order of commits, so that whoever has seen one has
 * missed none before it.
 */
export const events = pgTable(
  "events",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    position: bigint({ mode: "number" }).notNull(),
    /** Null for what is no inbox's: a webhook for all of them was disabled. */
    inbox_id: uuid(),
    message_id: uuid(),
    kind: text({ enum: ["message.received", "webhook.disabled"] }).notNull(),
    body: text().notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("events_message").on(t.message_id),
    uniqueIndex("events_position").on(t.organization_id, t.position),
    index("events_inbox").on(t.inbox_id, t.position),
    // How many of the log's positions are no mail's?
    index("events_no_mail").on(t.organization_id, t.position).where(sql`${t.kind} <> 'message.received'`),
    // Is anything older than what is kept?
    index("events_created").on(t.created_at),
  ],
);

/** A customer's endpoint. The secret is AES-256-GCM with the webhook's id as additional data (server/base/secrets.ts). */
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
    /** The one before the last rotation, which signs as well until then. */
    previous_secret: bytea(),
    previous_secret_expires_at: moment("previous_secret_expires_at"),
    active: boolean().notNull(),
    disabled_reason: text(),
    disabled_at: moment("disabled_at"),
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
    /** When an extra attempt that a caller asked for is due, beside the schedule; while it is under way, when its lease ends. */
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
    // Is anything older than what is kept?
    index("deliveries_created").on(t.created_at),
  ],
);

/** The log of deliveries: every attempt, what was sent with it and what came back. Written once, kept as long as events. */
export const deliveryAttempts = pgTable(
  "delivery_attempts",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    webhook_id: uuid().notNull(),
    delivery_id: uuid().notNull(),
    /** From 1; goes on counting when a delivery is sent again. */
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
  (t) => [
    index("delivery_attempts_delivery").on(t.delivery_id, t.id),
    index("delivery_attempts_started").on(t.started_at),
  ],
);

/** Mail of the service itself, to owners: a queue. */
export const notices = pgTable(
  "notices",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    /** `reset` and `invitation` carry a link that opens an account: they never go into a mailbox of this service. */
    kind: text({ enum: ["notice", "reset", "invitation"] })
      .notNull()
      .default("notice"),
    to_address: text().notNull(),
    subject: text().notNull(),
    text: text().notNull(),
    /** The link of the letter, sealed; null once the letter was sent or given up. */
    link: bytea(),
    attempts: integer().notNull().default(0),
    next_attempt_at: moment("next_attempt_at"),
    error: text(),
    sent_at: moment("sent_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [index("notices_due").on(t.next_attempt_at).where(sql`${t.next_attempt_at} is not null`)],
);
