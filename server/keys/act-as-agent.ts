// Resolves the agent that acts for members, so that what they create counts against an enrollment key's quota.
import type { Agent, Ctx, Member } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { grantedDomains, usableDomains } from "../grants/granted-domains.ts";
import { ensureAgent, MEMBERS_HANDLE } from "./ensure-agent.ts";
import { findEnrollmentKey } from "./find.ts";

/**
 * The agent `dashboard` of an enrollment key of the member's organization; makes it when there is none.
 * @param wireId `ekey_…`
 * @throws ServiceError `enrollment_key_not_found`, also for a key that was revoked or has expired
 */
export async function actAsAgent(ctx: Ctx<Member>, wireId: string): Promise<Agent> {
  const key = await findEnrollmentKey(ctx, wireId);
  if (key.revoked_at) throw notUsable("This enrollment key was revoked. Choose another one.");
  if (key.expires_at && key.expires_at <= ctx.now()) {
    throw notUsable("This enrollment key has expired. Choose another one.");
  }
  const agent = await ensureAgent(ctx, key, { handle: MEMBERS_HANDLE });
  return {
    kind: "agent",
    organizationId: key.organization_id,
    enrollmentKeyId: key.id,
    agentId: agent.id,
    // No agent key is shown; rates are counted for the member.
    keyId: ctx.actor.userId,
    scopes: key.scopes,
    allowedDomains: usableDomains(ctx.settings, key.allowed_domains, await grantedDomains(ctx, key.organization_id)),
    inboxIds: null,
    madeBy: null,
    ancestorIds: [],
    budgetKeyIds: [],
  };
}

function notUsable(message: string): ServiceError {
  return new ServiceError("enrollment_key_not_found", message);
}
