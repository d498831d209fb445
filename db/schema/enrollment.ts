// Tables of callers: organizations, enrollment keys with their quota, agents and their keys.
import { sql } from "drizzle-orm";
import { boolean, foreignKey, index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { INBOX_ACCESS, SCOPES } from "../scopes.ts";
import { bytea, moment } from "./columns.ts";

export const organizations = pgTable("organizations", {
  id: uuid().primaryKey(),
  /** Owners may choose a name that another organization has. */
  name: text().notNull(),
  /** Addresses that are notified when a webhook is disabled. */
  owner_emails: text().array().notNull().default(sql`'{}'`),
  /** Whether its creates require a payment, and it may buy. */
  paid_provisioning: boolean().notNull().default(false),
  /** Whether its members must sign in with their company account. */
  require_company_sign_in: boolean().notNull().default(false),
  require_second_factor: boolean().notNull().default(false),
  created_at: moment("created_at").notNull(),
});

/** Only the SHA-256 of the whole token is stored. `used_count` is the hot quota column. */
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
    /** `own`: each of its agents reaches only the mailboxes that it created itself. */
    inbox_access: text({ enum: INBOX_ACCESS }).notNull().default("organization"),
    scopes: text({ enum: SCOPES }).array().notNull(),
    max_mailboxes: integer().notNull(),
    used_count: integer().notNull().default(0),
    /** Prepaid mailboxes that are not created yet: a create uses one before it requires a payment. */
    prepaid: integer().notNull().default(0),
    expires_at: moment("expires_at"),
    revoked_at: moment("revoked_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [uniqueIndex("enrollment_keys_organization_id").on(t.organization_id, t.id)],
);

/**
 * The domains that an organization may use beside DEFAULT_DOMAIN, each with its subdomains. Effective grants of two
 * organizations never overlap.
 */
export const domainGrants = pgTable(
  "domain_grants",
  {
    id: uuid().primaryKey(),
    domain: text().notNull(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id),
    /** The grant lasts until this key is revoked or expires. Null: until the operator revokes the grant. */
    enrollment_key_id: uuid(),
    /** `verification`: the organization proved in DNS that it owns the domain. */
    granted_by: text({ enum: ["operator", "verification"] })
      .notNull()
      .default("operator"),
    /** A revoked grant has no effect. It stays, because mailboxes of the organization on the domain may still exist. */
    revoked_at: moment("revoked_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("domain_grants_domain")
      .on(t.domain)
      .where(sql`${t.enrollment_key_id} is null and ${t.revoked_at} is null`),
    index("domain_grants_organization").on(t.organization_id),
    index("domain_grants_closest").on(t.domain),
    foreignKey({
      name: "domain_grants_enrollment_key_fk",
      columns: [t.organization_id, t.enrollment_key_id],
      foreignColumns: [enrollmentKeys.organization_id, enrollmentKeys.id],
    }),
  ],
);

export const agents = pgTable(
  "agents",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    enrollment_key_id: uuid().notNull(),
    handle: text().notNull(),
    name: text(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("agents_handle").on(t.enrollment_key_id, t.handle),
    index("agents_enrollment_key").on(t.enrollment_key_id, t.id),
    uniqueIndex("agents_organization_id").on(t.organization_id, t.id),
    // An agent and its keys never belong to two organizations.
    foreignKey({
      name: "agents_enrollment_key_fk",
      columns: [t.organization_id, t.enrollment_key_id],
      foreignColumns: [enrollmentKeys.organization_id, enrollmentKeys.id],
    }),
  ],
);

export const agentKeys = pgTable(
  "agent_keys",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    agent_id: uuid().notNull(),
    /** Of a key that another key issued, as its issuer calls it. */
    name: text(),
    secret_hash: bytea().notNull(),
    scopes: text({ enum: SCOPES }).array().notNull(),
    /** Null: every inbox of the organization. */
    inbox_ids: uuid().array(),
    /** Narrower than the enrollment key, if it is `own`. Null: as the enrollment key has it. */
    inbox_access: text({ enum: INBOX_ACCESS }),
    /** The key that issued it, the key that issued that one, and so on; the first is the oldest. They end together with it. */
    ancestor_ids: uuid().array().notNull().default(sql`'{}'`),
    /** Recipients that it and the keys below it may send to. Null: no separate budget. */
    send_budget: integer(),
    sent_count: integer().notNull().default(0),
    /** Those of itself and its ancestors that have a budget. */
    budget_key_ids: uuid().array().notNull().default(sql`'{}'`),
    /** What it and the keys below it send waits at least so long before its first transmission. */
    outgoing_delay_seconds: integer().notNull().default(0),
    expires_at: moment("expires_at"),
    revoked_at: moment("revoked_at"),
    /** Up to some minutes late. Null: it was not used, or only before this was recorded. */
    last_used_at: moment("last_used_at"),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("agent_keys_agent").on(t.agent_id),
    // An agent that enrolls at each start has many revoked keys.
    index("agent_keys_unrevoked").on(t.agent_id).where(sql`revoked_at is null`),
    foreignKey({
      name: "agent_keys_agent_fk",
      columns: [t.organization_id, t.agent_id],
      foreignColumns: [agents.organization_id, agents.id],
    }),
  ],
);
