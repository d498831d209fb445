// Authenticates agents: reads an agent key from `Authorization: Bearer …` and finds its agent.
import { LRUCache } from "lru-cache";
import type { Actor, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { sameHash, tokenHash, tokenId } from "../base/secrets.ts";
import { usableDomains } from "../grants/granted-domains.ts";
import { agentOf, prepareFindAgentKey } from "../keys/find-agent-key.ts";
import { noteUses } from "../keys/last-use.ts";
import { APP_TOKEN_PREFIX } from "../organizations/oauth.ts";

/** A revocation must take effect within a second in every process. */
const KEY_CACHE_MS = 500;
const MAX_KEYS = 50_000;
export const BEARER = /^Bearer +(\S+)$/i;

type KeyRow = Awaited<ReturnType<ReturnType<typeof prepareFindAgentKey>["execute"]>>[number];

export type Authenticate = (authorization: string | undefined) => Promise<Actor | ServiceError>;

/**
 * Maps an Authorization header to the caller. It returns a refusal instead of throwing it, because only some procedures
 * need a caller.
 */
export function createAuthenticate(services: Services): Authenticate {
  const known = new LRUCache<string, KeyRow>({ max: MAX_KEYS, ttl: KEY_CACHE_MS });
  const find = prepareFindAgentKey(services.doors.db);
  const noteUse = noteUses(services);

  /** With the allowed domains that are usable now. The cache above limits how long a revoked grant stays usable. */
  async function loadKey(id: string): Promise<KeyRow | undefined> {
    const [row] = await find.execute({ id, at: services.now() });
    return row && { ...row, allowed_domains: usableDomains(services.settings, row.allowed_domains, row.granted) };
  }

  async function findKey(id: string, secretHash: Buffer): Promise<KeyRow | undefined> {
    const cached = known.get(id);
    const row = cached ?? (await loadKey(id));
    if (!row || !sameHash(row.secret_hash, secretHash)) return;
    if (!cached) known.set(id, row);
    return row;
  }

  return async (authorization) => {
    if (authorization === undefined) return { kind: "anonymous" };
    const token = BEARER.exec(authorization)?.[1];
    if (!token) return refusal("The Authorization header must have the form `Bearer <agent key>`.");
    if (token.startsWith("mb_enroll_")) {
      return refusal("This is an enrollment key. Redeem it at POST /v1/enroll for an agent key.");
    }
    if (token.startsWith(APP_TOKEN_PREFIX)) {
      return refusal("This is the token of a connected app. It is valid at /mcp only.");
    }
    const id = tokenId("agent", token);
    if (!id) return refusal("This is not a valid agent key.");
    const row = await findKey(id, tokenHash(token));
    if (!row) return refusal("This agent key does not exist.");
    const ended = endOf(row, services.now());
    if (ended) {
      services.facts.note({ organization: row.organization_id, refusedKey: encodeId("akey", row.id) });
      return refusal(ended);
    }
    noteUse(row);
    const { scopes, allowed_domains: allowedDomains, budget_key_ids: budgetKeyIds } = row;
    return agentOf(row, { scopes, allowedDomains, budgetKeyIds });
  };
}

function endOf({ revoked_at, enrollment_revoked_at, expires_at }: KeyRow, now: Date): string | undefined {
  if (revoked_at || enrollment_revoked_at) return "This agent key was revoked.";
  return expires_at && expires_at <= now ? "This agent key has expired." : undefined;
}

function refusal(message: string): ServiceError {
  return new ServiceError("unauthorized", message);
}
