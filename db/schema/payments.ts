// Tables of payments: one row an authorization that was accepted, from the signature to the mailbox it paid for.
import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, moment } from "./columns.ts";

/** The webhook that a paid create brings along, ready for its row; `sealed` is the secret as in `webhooks`, in base64. */
export type PaidWebhook = { id: string; url: string; sealed: string };

/**
 * `verified` → `settling` → `settled` → `fulfilled`, or `failed`, or `expired` (docs/decisions/015). `leased_until` is the right
 * to ask the facilitator to settle; `next_look_at` is when the chain is looked at next, null when nothing more can happen.
 */
export const payments = pgTable(
  "payments",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    enrollment_key_id: uuid().notNull(),
    agent_id: uuid().notNull(),
    /** `inbox`: the mailbox that a create asked for. `mailboxes`: room for some, with POST /v1/purchase. */
    kind: text({ enum: ["inbox", "mailboxes"] }).notNull(),
    mailboxes: integer().notNull(),
    /** Of a purchase; that of a create is with its inbox. */
    client_id: text(),
    /** SHA-256 of what was asked for: the signature does not cover it. */
    request_hash: bytea().notNull(),
    /** SHA-256 of the six signed fields and the signature. */
    authorization_hash: bytea().notNull(),
    status: text({ enum: ["verified", "settling", "settled", "fulfilled", "failed", "expired"] }).notNull(),
    network: text().notNull(),
    asset: text().notNull(),
    payer: text().notNull(),
    nonce: text().notNull(),
    pay_to: text().notNull(),
    /** In the asset's smallest unit; uint256 does not fit a number. */
    amount: text().notNull(),
    /** Unix time in seconds; the asset takes the authorization before it, never after. */
    valid_before: bigint({ mode: "number" }).notNull(),
    x402_version: integer().notNull(),
    /** The signed payload, sealed with the row's id; gone once the row is terminal. */
    payload: bytea(),
    /** The newest block when the nonce was seen to be unused. */
    from_block: bigint({ mode: "number" }).notNull(),
    inbox_id: uuid(),
    /** The organization's own deleted inbox whose address was taken over; it gets it back if this comes to nothing. */
    superseded_inbox_id: uuid(),
    webhook: jsonb().$type<PaidWebhook>(),
    transaction: text(),
    error: text(),
    attempts: integer().notNull().default(0),
    leased_until: moment("leased_until"),
    looks: integer().notNull().default(0),
    next_look_at: moment("next_look_at"),
    created_at: moment("created_at").notNull(),
    settled_at: moment("settled_at"),
    completed_at: moment("completed_at"),
  },
  (t) => [
    uniqueIndex("payments_authorization").on(t.network, t.asset, t.payer, t.nonce),
    uniqueIndex("payments_client_id")
      .on(t.organization_id, t.client_id)
      .where(sql`${t.client_id} is not null and ${t.status} in ('verified', 'settling', 'settled', 'fulfilled')`),
    uniqueIndex("payments_inbox").on(t.inbox_id).where(sql`${t.inbox_id} is not null`),
    index("payments_organization").on(t.organization_id, t.id),
    index("payments_due").on(t.next_look_at).where(sql`${t.next_look_at} is not null`),
  ],
);
