// Authenticates callers of /mcp: connected apps by their OAuth token, and agents by their key.
import { LRUCache } from "lru-cache";
import type { Actor, Agent, Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { usableDomains } from "../../grants/granted-domains.ts";
import { type AppKeyRow, isConnected, prepareFindAppKey } from "../../keys/apps/find-app-key.ts";
import { scopesOfRole } from "../../keys/apps/scopes.ts";
import { agentOf } from "../../keys/find-agent-key.ts";
import { APP_TOKEN_PREFIX, storedAppToken } from "../../organizations/oauth.ts";

/** As for agent keys: a revocation must take effect within a second in every process. */
const TOKEN_CACHE_MS = 500;
const MAX_TOKENS = 10_000;
const BEARER = /^Bearer +(\S{1,200})$/i;
const FIX = "Connect the app again: its host asks you to sign in.";

type Authenticate = (authorization: string | undefined) => Promise<Actor | ServiceError>;

/** @param agents authenticates every other caller */
export function createAuthenticateApp(services: Services, agents: Authenticate): Authenticate {
  const known = new LRUCache<string, AppKeyRow>({ max: MAX_TOKENS, ttl: TOKEN_CACHE_MS });
  const find = prepareFindAppKey(services.doors.db);
  return async (authorization) => {
    const bearer = BEARER.exec(authorization ?? "")?.[1];
    if (!bearer?.startsWith(APP_TOKEN_PREFIX)) return agents(authorization);
    const token = storedAppToken(bearer, APP_TOKEN_PREFIX);
    const at = services.now();
    const row = known.get(token) ?? (await find.execute({ token, at }))[0];
    if (!row) return refusal("The token of this app is not valid, or its connection has ended.");
    known.set(token, row, { noUpdateTTL: true });
    if (!isConnected(row)) return refusal("The connection of this app was revoked.");
    if (row.expires_at <= at) return refusal("The token of this app has expired.");
    return toAgent(services, row);
  };
}

function refusal(message: string): ServiceError {
  return new ServiceError("unauthorized", message, { fix: FIX });
}

/** The scopes are those of the key that the token and the member's present role have too. */
function toAgent({ settings }: Services, row: AppKeyRow): Agent {
  const ofRole: readonly string[] = scopesOfRole(row.role);
  return agentOf(row, {
    scopes: row.scopes.filter((scope) => row.token_scopes.includes(scope) && ofRole.includes(scope)),
    allowedDomains: usableDomains(settings, row.allowed_domains, row.granted),
    budgetKeyIds: [],
  });
}
