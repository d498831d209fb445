// Issues an agent key: the row holds its hash, the answer the key itself, once.
import { agentKeys } from "#db/schema/enrollment.ts";
import type { Scope, Services } from "../context.ts";
import { newId } from "../ids.ts";
import { newToken, tokenHash } from "../secrets.ts";

/** @returns the key row's UUID and the bearer key, `mb_agent_…`, which is shown nowhere else */
export async function issueAgentKey(
  ctx: Services,
  grant: {
    organizationId: string;
    agentId: string;
    scopes: readonly Scope[];
    inboxIds?: string[] | null;
    expiresAt?: Date | null;
  },
): Promise<{ id: string; key: string }> {
  const id = newId();
  const key = newToken("agent", id);
  await ctx.db.insert(agentKeys).values({
    id,
    organization_id: grant.organizationId,
    agent_id: grant.agentId,
    secret_hash: tokenHash(key),
    scopes: [...grant.scopes],
    inbox_ids: grant.inboxIds ?? null,
    expires_at: grant.expiresAt ?? null,
    created_at: ctx.now(),
  });
  return { id, key };
}
