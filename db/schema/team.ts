// Tables of people: accounts, sessions, memberships and invitations in better-auth's format (with its property names,
// so that its adapter finds them), and the audit log.
import { type SQL, sql } from "drizzle-orm";
import { boolean, foreignKey, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import type { SettingChange } from "../activity-parts.ts";
import { NOTICE_TOPICS } from "../notice-topics.ts";
import { bytea, moment } from "./columns.ts";
import { organizations } from "./enrollment.ts";

/**
 * The mailbox that mail to `email` would reach, as `readMailbox` of server/base/addresses.ts computes it: no mailbox
 * may be created there.
 */
const mailbox = () =>
  text()
    .notNull()
    .generatedAlwaysAs((): SQL => sql`lower(regexp_replace("email", '^([^@+]+)[+][^@]*@', '\\1@'))`);

export const users = pgTable(
  "users",
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    email: text().notNull().unique(),
    mailbox: mailbox(),
    emailVerified: boolean("email_verified").notNull(),
    image: text(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [index("users_mailbox").on(t.mailbox)],
);

const userId = () =>
  uuid("user_id")
    .notNull()
    .references(() => users.id, { onDelete: "cascade" });
const organizationId = () =>
  uuid("organization_id")
    .notNull()
    .references(() => organizations.id);

export const sessions = pgTable(
  "sessions",
  {
    id: uuid().primaryKey(),
    userId: userId(),
    token: text().notNull().unique(),
    expiresAt: moment("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    /** The address that the company's issuer confirmed. Null: signed in by password. */
    companyEmail: text("company_email"),
    /** Whether it began with the second factor of the account. */
    secondFactor: boolean("second_factor").notNull().default(false),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [index("sessions_user").on(t.userId), index("sessions_expires").on(t.expiresAt)],
);

/**
 * A sign-in method: the hash of a password (scrypt; `credential`), or a company account (`oidc:` and the issuer, with its
 * subject as the account's id). The other columns are not used.
 */
export const accounts = pgTable(
  "accounts",
  {
    id: uuid().primaryKey(),
    userId: userId(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: moment("access_token_expires_at"),
    refreshTokenExpiresAt: moment("refresh_token_expires_at"),
    scope: text(),
    password: text(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    index("accounts_user").on(t.userId),
    uniqueIndex("accounts_company").on(t.providerId, t.accountId).where(sql`${t.providerId} like 'oidc:%'`),
    uniqueIndex("accounts_company_user").on(t.providerId, t.userId).where(sql`${t.providerId} like 'oidc:%'`),
  ],
);

/** The second factors that are on: time-based one-time passwords (RFC 6238), and recovery codes. */
export const secondFactors = pgTable("second_factors", {
  userId: userId().primaryKey(),
  /** In base64url, encrypted with the user's id as context. */
  secret: bytea().notNull(),
  /** The time step of the last code that was used. Codes of it and of earlier steps are refused. */
  lastStep: integer("last_step").notNull(),
  /** Authentication codes of the recovery codes that were not used yet. */
  recoveryCodes: text("recovery_codes").array().notNull(),
  createdAt: moment("created_at").notNull(),
});

/** One-time values with an expiry: password reset links, and links for owners. */
export const verifications = pgTable(
  "verifications",
  {
    id: uuid().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [index("verifications_identifier").on(t.identifier)],
);

export const members = pgTable(
  "members",
  {
    id: uuid().primaryKey(),
    organizationId: organizationId(),
    userId: userId(),
    role: text({ enum: ["owner", "admin", "member"] }).notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [uniqueIndex("members_organization_user").on(t.organizationId, t.userId), index("members_user").on(t.userId)],
);

/** Where a member gets notices, beside the addresses of the organization. Ends with the membership. */
export const noticeRoutes = pgTable(
  "notice_routes",
  {
    id: uuid().primaryKey(),
    organizationId: uuid("organization_id").notNull(),
    userId: uuid("user_id").notNull(),
    topics: text({ enum: NOTICE_TOPICS }).array().notNull(),
    /** The incoming webhook of a chat, encrypted with the id as context. Null: to the mail address of the account. */
    chatUrl: bytea("chat_url"),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [
    index("notice_routes_member").on(t.organizationId, t.userId),
    uniqueIndex("notice_routes_mail").on(t.organizationId, t.userId).where(sql`${t.chatUrl} is null`),
    foreignKey({
      name: "notice_routes_member_fk",
      columns: [t.organizationId, t.userId],
      foreignColumns: [members.organizationId, members.userId],
    }).onDelete("cascade"),
  ],
);

export const invitations = pgTable(
  "invitations",
  {
    id: uuid().primaryKey(),
    organizationId: organizationId(),
    inviterId: uuid("inviter_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    email: text().notNull(),
    mailbox: mailbox(),
    /** SHA-256 of the token in the link. Null: created by an earlier version, and expired. */
    tokenHash: bytea("token_hash").unique(),
    role: text({ enum: ["owner", "admin", "member"] }).notNull(),
    status: text({ enum: ["pending", "accepted", "canceled"] }).notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [index("invitations_organization").on(t.organizationId), index("invitations_mailbox").on(t.mailbox)],
);

/** Changes by members. Written before the change, so that every change is recorded; `outcome` is its result. */
export const auditEntries = pgTable(
  "audit_entries",
  {
    id: uuid().primaryKey(),
    organization_id: uuid().notNull(),
    /** Null once the person is deleted; `actor` keeps the name. */
    user_id: uuid(),
    actor: text().notNull(),
    action: text().notNull(),
    subject: text(),
    /** The id of what was changed or made (`whk_…`), and its name at that time. Mail has no name here: it is erased with the mail. */
    object_id: text(),
    object_name: text(),
    /** Settings from what they were to what they are. Null: none, or not known. */
    changes: jsonb().$type<SettingChange[]>(),
    /** `begun`, `done`, or an error code. */
    outcome: text().notNull(),
    request_id: text(),
    created_at: moment("created_at").notNull(),
  },
  (t) => [index("audit_entries_organization").on(t.organization_id, t.id)],
);
