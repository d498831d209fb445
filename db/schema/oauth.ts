// Tables of connected apps: what people allowed, and the tables of better-auth's OAuth provider (with its property names, so
// that its adapter finds them). Tokens and client secrets are stored hashed or encrypted.
import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";
import { agentKeys, organizations } from "./enrollment.ts";
import { sessions, users } from "./team.ts";

/** A program that registered itself to ask people for access. */
export const oauthClients = pgTable(
  "oauth_clients",
  {
    id: uuid().primaryKey(),
    clientId: text("client_id").notNull().unique(),
    clientSecret: text("client_secret"),
    clientDiscoveryId: text("client_discovery_id"),
    disabled: boolean(),
    skipConsent: boolean("skip_consent"),
    enableEndSession: boolean("enable_end_session"),
    subjectType: text("subject_type"),
    scopes: text().array(),
    clientCredentialsScopes: text("client_credentials_scopes").array(),
    userId: uuid("user_id").references(() => users.id, { onDelete: "cascade" }),
    createdAt: moment("created_at"),
    updatedAt: moment("updated_at"),
    name: text(),
    uri: text(),
    icon: text(),
    contacts: text().array(),
    tos: text(),
    policy: text(),
    softwareId: text("software_id"),
    softwareVersion: text("software_version"),
    softwareStatement: text("software_statement"),
    redirectUris: text("redirect_uris").array().notNull(),
    postLogoutRedirectUris: text("post_logout_redirect_uris").array(),
    backchannelLogoutUri: text("backchannel_logout_uri"),
    backchannelLogoutSessionRequired: boolean("backchannel_logout_session_required"),
    tokenEndpointAuthMethod: text("token_endpoint_auth_method"),
    applicationType: text("application_type"),
    jwks: text(),
    jwksUri: text("jwks_uri"),
    grantTypes: text("grant_types").array(),
    responseTypes: text("response_types").array(),
    requirePKCE: boolean("require_pkce"),
    dpopBoundAccessTokens: boolean("dpop_bound_access_tokens"),
    referenceId: text("reference_id"),
    metadata: jsonb(),
    /** When a member connected it. Null: never; such clients are limited and deleted after an hour. */
    approved_at: moment("approved_at"),
    /** Where it was registered from, as prefixes that limits count. */
    networks: text().array(),
    /** When a page began to ask a person, and the person or the network of the browser. */
    asked_at: moment("asked_at"),
    asked_from: text(),
  },
  (t) => [
    index("oauth_clients_created").on(t.createdAt),
    index("oauth_clients_unused").on(t.createdAt).where(sql`${t.approved_at} is null`),
  ],
);

const clientId = () =>
  text("client_id")
    .notNull()
    .references(() => oauthClients.clientId, { onDelete: "cascade" });
const userId = () => uuid("user_id").references(() => users.id, { onDelete: "cascade" });
const sessionId = () => uuid("session_id").references(() => sessions.id, { onDelete: "set null" });

/**
 * A member let a client act in one organization, with the rights of one agent key without a known secret. It ends when that
 * key is revoked, or the membership ends.
 */
export const appConnections = pgTable(
  "app_connections",
  {
    id: uuid().primaryKey(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id),
    user_id: uuid()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    client_id: clientId(),
    agent_key_id: uuid()
      .notNull()
      .references(() => agentKeys.id),
    created_at: moment("created_at").notNull(),
  },
  (t) => [
    index("app_connections_organization").on(t.organization_id, t.id),
    index("app_connections_user").on(t.user_id),
    index("app_connections_client").on(t.client_id),
  ],
);

/** better-auth's `referenceId`: the connection that tokens belong to. */
const connectionId = () => uuid("reference_id").references(() => appConnections.id, { onDelete: "cascade" });

export const oauthResources = pgTable("oauth_resources", {
  id: uuid().primaryKey(),
  identifier: text().notNull().unique(),
  name: text().notNull(),
  accessTokenTtl: integer("access_token_ttl"),
  refreshTokenTtl: integer("refresh_token_ttl"),
  signingAlgorithm: text("signing_algorithm"),
  signingKeyId: text("signing_key_id"),
  allowedScopes: text("allowed_scopes").array(),
  customClaims: jsonb("custom_claims"),
  dpopBoundAccessTokensRequired: boolean("dpop_bound_access_tokens_required"),
  disabled: boolean(),
  createdAt: moment("created_at"),
  updatedAt: moment("updated_at"),
  policyVersion: integer("policy_version"),
  metadata: jsonb(),
});

export const oauthClientResources = pgTable(
  "oauth_client_resources",
  {
    id: uuid().primaryKey(),
    clientId: clientId(),
    resourceId: text("resource_id")
      .notNull()
      .references(() => oauthResources.identifier, { onDelete: "cascade" }),
    metadata: jsonb(),
    createdAt: moment("created_at"),
  },
  (t) => [uniqueIndex("oauth_client_resources_pair").on(t.clientId, t.resourceId)],
);

export const oauthRefreshTokens = pgTable(
  "oauth_refresh_tokens",
  {
    id: uuid().primaryKey(),
    token: text().notNull().unique(),
    clientId: clientId(),
    sessionId: sessionId(),
    userId: userId().notNull(),
    referenceId: connectionId(),
    authorizationCodeId: text("authorization_code_id"),
    resources: text().array(),
    requestedUserInfoClaims: text("requested_user_info_claims").array(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    revoked: moment("revoked"),
    rotatedAt: moment("rotated_at"),
    rotationReplayResponse: text("rotation_replay_response"),
    rotationReplayExpiresAt: moment("rotation_replay_expires_at"),
    authTime: moment("auth_time"),
    confirmation: jsonb(),
    scopes: text().array().notNull(),
  },
  (t) => [
    index("oauth_refresh_tokens_connection").on(t.referenceId),
    index("oauth_refresh_tokens_client").on(t.clientId),
    index("oauth_refresh_tokens_user").on(t.userId),
    index("oauth_refresh_tokens_session").on(t.sessionId),
    index("oauth_refresh_tokens_code").on(t.authorizationCodeId),
    index("oauth_refresh_tokens_expiry").on(t.expiresAt),
  ],
);

export const oauthAccessTokens = pgTable(
  "oauth_access_tokens",
  {
    id: uuid().primaryKey(),
    token: text().notNull().unique(),
    clientId: clientId(),
    sessionId: sessionId(),
    userId: userId(),
    referenceId: connectionId(),
    authorizationCodeId: text("authorization_code_id"),
    resources: text().array(),
    requestedUserInfoClaims: text("requested_user_info_claims").array(),
    refreshId: uuid("refresh_id").references(() => oauthRefreshTokens.id, { onDelete: "cascade" }),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
    revoked: moment("revoked"),
    confirmation: jsonb(),
    scopes: text().array().notNull(),
  },
  (t) => [
    index("oauth_access_tokens_connection").on(t.referenceId),
    index("oauth_access_tokens_client").on(t.clientId),
    index("oauth_access_tokens_user").on(t.userId),
    index("oauth_access_tokens_session").on(t.sessionId),
    index("oauth_access_tokens_refresh").on(t.refreshId),
    index("oauth_access_tokens_code").on(t.authorizationCodeId),
    index("oauth_access_tokens_expiry").on(t.expiresAt),
  ],
);

export const oauthConsents = pgTable(
  "oauth_consents",
  {
    id: uuid().primaryKey(),
    clientId: clientId(),
    userId: userId(),
    referenceId: connectionId(),
    resources: text().array(),
    requestedUserInfoClaims: text("requested_user_info_claims").array(),
    scopes: text().array().notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    index("oauth_consents_client").on(t.clientId),
    index("oauth_consents_user").on(t.userId),
    index("oauth_consents_connection").on(t.referenceId),
  ],
);

/** Assertions with which clients identified themselves, each accepted once. */
export const oauthClientAssertions = pgTable("oauth_client_assertions", {
  id: text().primaryKey(),
  expiresAt: moment("expires_at").notNull(),
});
