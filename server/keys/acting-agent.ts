// What members do with an enrollment key is done by an agent of that key, as which everything counts that a key counts.
import type { Agent, Ctx, Member, Scope } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { grantedDomains, usableDomains } from "../domains/granted-domains.ts";
import { ensureAgent } from "./agents.ts";

/** One agent a key, for all members: who it was is in the audit log. */
const HANDLE = "dashboard";

type KeyRow = {
  id: string;
  organization_id: string;
  scopes: Scope[];
  allowed_domains: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
};

/**
 * The agent `dashboard` of an enrollment key of the member's organization, made when there is none.
 * @param wireId `ekey_…`
 * @throws ServiceError `enrollment_key_not_found`, also for one that was revoked or has expired
 */
export async function actingAgent(ctx: Ctx<Member>, wireId: string): Promise<Agent> {
  const key = await findUsableKey(ctx, wireId);
  const agentId = await ensureAgent(ctx, key, { handle: HANDLE });
  return {
    kind: "agent",
    organizationId: key.organization_id,
    enrollmentKeyId: key.id,
    agentId,
    // It shows no key; rates are counted by the member.
    keyId: ctx.actor.userId,
    scopes: key.scopes,
    allowedDomains: usableDomains(ctx.settings, key.allowed_domains, await grantedDomains(ctx, key.organization_id)),
    inboxIds: null,
  };
}

async function findUsableKey({ actor, sql, now }: Ctx<Member>, wireId: string): Promise<KeyRow> {
  const id = decodeId("ekey", wireId);
  const [key] = id
    ? await sql<KeyRow[]>`
        select id, organization_id, scopes, allowed_domains, expires_at, revoked_at from enrollment_keys
        where id = ${id} and organization_id = ${actor.organizationId}`
    : [];
  if (!key) throw notUsable("There is no such enrollment key.");
  if (key.revoked_at) throw notUsable("This enrollment key was revoked. Choose another one.");
  if (key.expires_at && key.expires_at <= now())
    throw notUsable("This enrollment key has expired. Choose another one.");
  return key;
}

function notUsable(message: string): ServiceError {
  return new ServiceError("enrollment_key_not_found", message);
}
