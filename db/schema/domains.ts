// Tables of domains that organizations claim, and of the DKIM keys that sign their mail.
import { sql } from "drizzle-orm";
import { date, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { DomainRecord, ProviderDomain } from "../domain-records.ts";
import { bytea, moment } from "./columns.ts";
import { organizations } from "./enrollment.ts";

/** Claims of several organizations on one domain exist side by side; only one of them can be verified. */
export const domains = pgTable(
  "domains",
  {
    id: uuid().primaryKey(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id),
    /** Lower-case ASCII, without a trailing dot. */
    domain: text().notNull(),
    /** The value that the ownership record must have. */
    token: text().notNull(),
    status: text({ enum: ["pending", "verified", "lost"] }).notNull(),
    records: jsonb().$type<DomainRecord[]>().notNull(),
    /** What the mail provider knows of the domain. Null: it was not asked. */
    provider: jsonb().$type<ProviderDomain>(),
    /** The first check since the last success that did not find the ownership record of a verified domain. */
    ownership_missing_since: moment("ownership_missing_since"),
    verified_at: moment("verified_at"),
    last_checked_at: moment("last_checked_at"),
    /** When the next check is due; during a check, when its lease ends. */
    next_check_at: moment("next_check_at").notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("domains_organization_domain").on(t.organization_id, t.domain),
    index("domains_organization").on(t.organization_id, t.id),
    index("domains_domain").on(t.domain),
    index("domains_due").on(t.next_check_at),
  ],
);

/** The private key is sealed with ENCRYPTION_KEY and the row's id (server/base/secrets.ts). */
export const dkimKeys = pgTable(
  "dkim_keys",
  {
    id: uuid().primaryKey(),
    /** Null: a key of DEFAULT_DOMAIN. */
    domain_id: uuid().references(() => domains.id, { onDelete: "cascade" }),
    domain: text().notNull(),
    selector: text({ enum: ["mb1", "mb2"] }).notNull(),
    /** SubjectPublicKeyInfo in base64, as `p=` of the record has it. */
    public_key: text().notNull(),
    private_key: bytea().notNull(),
    /** `next` waits until its record is found; `retired` was replaced and stays published for a while. */
    state: text({ enum: ["signing", "next", "retired"] }).notNull(),
    retired_at: moment("retired_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("dkim_keys_selector").on(t.domain_id, t.selector),
    uniqueIndex("dkim_keys_default").on(t.domain, t.selector).where(sql`${t.domain_id} is null`),
  ],
);

/**
 * Domains that were deleted here and are to be removed at the mail provider, which has each domain once for all
 * organizations. A row waits while another organization uses the domain there.
 */
export const providerRemovals = pgTable(
  "provider_removals",
  {
    id: uuid().primaryKey(),
    domain: text().notNull(),
    /** The provider's id of the domain, as in `domains.provider`. */
    ref: text().notNull(),
    attempts: integer().notNull().default(0),
    /** When it is tried next; during an attempt, when its lease ends. */
    next_attempt_at: moment("next_attempt_at").notNull(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [index("provider_removals_domain").on(t.domain), index("provider_removals_due").on(t.next_attempt_at)],
);

/** How many mails to `postmaster` at a domain were forwarded on one UTC day. */
export const postmasterDays = pgTable(
  "postmaster_days",
  {
    domain: text().notNull(),
    day: date({ mode: "string" }).notNull(),
    forwarded: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.domain, t.day] })],
);
