// The OAuth 2.1 authorization server for connected apps: better-auth's provider, with one resource, /mcp, at two paths (docs/decisions/042).
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type { oauthProvider } from "@better-auth/oauth-provider";
import { sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import * as tables from "#db/schema/oauth.ts";
import { verifications } from "#db/schema/team.ts";
import type { Scope } from "../base/context.ts";
import type { Settings } from "../base/env.ts";
import { newId } from "../base/ids.ts";

/** The scopes of MCP's tools. */
export const APP_SCOPES = [
  "mailbox:create",
  "mailbox:read",
  "mailbox:send",
  "mailbox:delete",
] as const satisfies Scope[];
/** With it, an app gets a refresh token. */
export const OFFLINE_SCOPE = "offline_access";
export const APP_TOKEN_PREFIX = "mb_app_";
export const REFRESH_TOKEN_PREFIX = "mb_apprefresh_";

/** A token with its prefix, as the provider stores it (`storeTokens: "hashed"`). */
export function storedAppToken(token: string, prefix: string): string {
  return createHash("sha256").update(token.slice(prefix.length)).digest("base64url");
}

/** The page that asks a person. It is the sign-in page too: the dashboard asks people to sign in, and returns. */
export const CONSENT_PAGE = "/dashboard/connect";
/** The path at which clients send their requests, without AUTH_BASE. */
export const CONSENT_ENDPOINT = "/oauth2/consent";
const ACCESS_SECONDS = 3_600;
const REFRESH_SECONDS = 30 * 86_400;
/** So long a refresh token that was exchanged is answered with the same tokens again: the first answer may be lost. */
const REFRESH_REPEATED_SECONDS = 30;
const CODE_SECONDS = 600;

/** The connection that the current consent is for. The provider asks for it while it handles the request. */
const connection = new AsyncLocalStorage<string>();

/** Runs `answer`, a call of the provider, for one connection: its code and tokens belong to it. */
export function forConnection<Answer>(id: string, answer: () => Promise<Answer>): Promise<Answer> {
  return connection.run(id, answer);
}

/** Deletes the codes of connections that no app has exchanged yet. */
export async function endCodes(tx: Transaction, connections: string[]): Promise<void> {
  // The provider stores the connection in the JSON of the code.
  const patterns = connections.map((id) => `%"referenceId":"${id}"%`);
  await tx.delete(verifications).where(sql`${verifications.value} like any(${sql.param(patterns)}::text[])`);
}

/** Serves the same as /mcp, but only to callers with a key or a token: hosts that sign in start with a 401. */
export const SIGN_IN_PATH = "/mcp/sign-in";
/** The paths of the MCP server. */
export const MCP_PATHS = ["/mcp", SIGN_IN_PATH];

/** What tokens are for (RFC 8707): the URL of the MCP server, as the app calls it (RFC 9728 §3.3). */
export function mcpResource({ PUBLIC_URL }: Pick<Settings, "PUBLIC_URL">, path: string): string {
  return new URL(path, PUBLIC_URL).href;
}

/** The tables in the names of the provider. */
export const oauthTables = {
  oauthClient: tables.oauthClients,
  oauthResource: tables.oauthResources,
  oauthClientResource: tables.oauthClientResources,
  oauthRefreshToken: tables.oauthRefreshTokens,
  oauthAccessToken: tables.oauthAccessTokens,
  oauthConsent: tables.oauthConsents,
  oauthClientAssertion: tables.oauthClientAssertions,
};

/** @param provider imported with better-auth, on the first sign-in */
export function connectedApps(provider: typeof oauthProvider, settings: Settings) {
  return provider(providerOptions(settings));
}

function providerOptions(settings: Settings) {
  return {
    loginPage: CONSENT_PAGE,
    consentPage: CONSENT_PAGE,
    scopes: [...APP_SCOPES, OFFLINE_SCOPE],
    grantTypes: ["authorization_code", "refresh_token"],
    resources: MCP_PATHS.map((path) => mcpResource(settings, path)),
    enforcePerClientResources: false,
    // Tokens are rows, so that a revocation takes effect immediately.
    disableJwtPlugin: true,
    prefix: { opaqueAccessToken: APP_TOKEN_PREFIX, refreshToken: REFRESH_TOKEN_PREFIX, clientSecret: "mb_appsecret_" },
    accessTokenExpiresIn: ACCESS_SECONDS,
    refreshTokenExpiresIn: REFRESH_SECONDS,
    refreshTokenReuseInterval: REFRESH_REPEATED_SECONDS,
    codeExpiresIn: CODE_SECONDS,
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
    clientPrivileges: () => false,
    resourcePrivileges: () => false,
    postLogin: {
      page: CONSENT_PAGE,
      shouldRedirect: () => false,
      // Outside a consent no earlier one is found, so that people are asked, and choose the organization, each time.
      consentReferenceId: () => connection.getStore() ?? newId(),
    },
  } satisfies Parameters<typeof oauthProvider>[0];
}
