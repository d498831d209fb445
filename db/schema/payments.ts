// Table of payments: one row for each accepted authorization, from the signature to the mailbox it paid for.
import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { bytea, moment } from "./columns.ts";

/** The webhook of a paid create, ready for its row; `sealed` is the encrypted secret as in `webhooks`, in base64. */
export type PaidWebhook = { id: string; url: string; sealed: string };

/**
 * `verified` → `settling` → `settled` → `fulfilled`, or `failed`, or `expired` (docs/decisions/015). `leased_until` is
 * the lease for calling the facilitator; `next_look_at` is the next check of the chain, null if nothing more can
 * happen.
 */
export const payments = pgTable(
  "payments",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    enrollment_key_id: uuid().notNull(),
    agent_id: uuid().notNull(),
    /** `inbox`: the mailbox of a create. `mailboxes`: prepaid mailboxes of POST /v1/purchase. */
    kind: text({ enum: ["inbox", "mailboxes"] }).notNull(),
    mailboxes: integer().notNull(),
    /** Of a purchase; that of a create is with its inbox. */
    client_id: text(),
    /** SHA-256 of the request: the signature does not cover it. */
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
    /** Unix time in seconds; the asset accepts the authorization before it, never after. */
    valid_before: bigint({ mode: "number" }).notNull(),
    x402_version: integer().$type<1 | 2>().notNull(),
    /** The signed payload, encrypted with the row's id; deleted once the row is terminal. */
    payload: bytea(),
    /** The newest block when the nonce was unused. */
    from_block: bigint({ mode: "number" }).notNull(),
    inbox_id: uuid(),
    /** The organization's own deleted inbox whose address was taken over; it gets it back if the payment fails. */
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
      .on(t.agent_id, t.client_id)
      .where(sql`${t.client_id} is not null and ${t.status} in ('verified', 'settling', 'settled', 'fulfilled')`),
    uniqueIndex("payments_inbox").on(t.inbox_id).where(sql`${t.inbox_id} is not null`),
    index("payments_organization").on(t.organization_id, t.id),
    index("payments_due").on(t.next_look_at).where(sql`${t.next_look_at} is not null`),
  ],
);
