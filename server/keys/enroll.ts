// POST /v1/enroll: redeems an enrollment key for an agent with a new key.
import { eq } from "drizzle-orm";
import { enrollmentKeys } from "#db/schema/enrollment.ts";
import type { Anonymous, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { sameHash, tokenHash, tokenId } from "../base/secrets.ts";
import { grantedDomains, usableDomains } from "../grants/granted-domains.ts";
import { writeEnrolled } from "../organizations/audit.ts";
import { ensureAgent, refuseMembersHandle } from "./ensure-agent.ts";
import { requireFreeKey, writeAgentKey } from "./issue-agent-key.ts";
import { quotaOf } from "./view.ts";

/**
 * The same handle with the same enrollment key is the same agent with one more key. Its earlier keys stay valid, up to a cap.
 * @param from the call, for the audit log; its `admit` counts the redemption against the rate of the enrollment key
 * @throws ServiceError `unauthorized` when the enrollment key is unknown, mistyped, expired or revoked, `invalid_request` for the
 *   handle of members, `too_many_agent_keys`, and what `from.admit` throws
 */
export async function enroll(
  ctx: Ctx<Anonymous>,
  input: { token: string; agent_handle: string; agent_name?: string | undefined },
  from: { requestId: string; remote: string; admit: (enrollmentKeyId: string) => void },
) {
  const key = await findEnrollmentKey(ctx, input.token);
  from.admit(key.id);
  refuseMembersHandle(input.agent_handle);
  await requireFreeKey(ctx, key.id, input.agent_handle);
  const agent = await ensureAgent(ctx, key, { handle: input.agent_handle, name: input.agent_name });
  const { scopes } = key;
  const issued = await writeAgentKey(ctx, agent, { scopes }, (tx, id) =>
    writeEnrolled(tx, ctx, {
      organizationId: key.organization_id,
      enrollmentKey: { id: encodeId("ekey", key.id), name: key.name },
      agentKey: encodeId("akey", id),
      agent: agent.handle,
      requestId: from.requestId,
      remote: from.remote,
    }),
  );
  return {
    agent_id: encodeId("agt", agent.id),
    agent_key: issued.key,
    scopes,
    org_id: encodeId("org", key.organization_id),
    quota: quotaOf(key),
    allowed_domains: usableDomains(ctx.settings, key.allowed_domains, await grantedDomains(ctx, key.organization_id)),
  };
}

async function findEnrollmentKey(ctx: Ctx<Anonymous>, token: string) {
  const id = tokenId("enroll", token);
  if (!id) throw new ServiceError("unauthorized", "This is not an enrollment key, or it is mistyped.");
  const [key] = await ctx.db.select().from(enrollmentKeys).where(eq(enrollmentKeys.id, id));
  if (!key || !sameHash(key.secret_hash, tokenHash(token))) {
    throw new ServiceError("unauthorized", "This enrollment key is not known.");
  }
  if (key.revoked_at) throw new ServiceError("unauthorized", "This enrollment key was revoked.");
  if (key.expires_at && key.expires_at <= ctx.now()) {
    throw new ServiceError("unauthorized", "This enrollment key has expired.");
  }
  return key;
}
