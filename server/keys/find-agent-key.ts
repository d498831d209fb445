// The statement that finds the agent key of a call, with its agent and its enrollment key.
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { agentKeys, agents, domainGrants, enrollmentKeys } from "#db/schema/enrollment.ts";
import { isGrantInEffect } from "../grants/granted-domains.ts";

/**
 * The statement of `id` and the time `at`. It is built once, because building it costs more than running it
 * (docs/decisions/028). `granted`: the domains of the grants of its organization that are in effect.
 */
export function prepareFindAgentKey(db: Database) {
  const granted = db
    .select({ domain: domainGrants.domain })
    .from(domainGrants)
    .where(and(isGrantInEffect(sql.placeholder("at")), eq(domainGrants.organization_id, agents.organization_id)));
  return db
    .select({
      id: agentKeys.id,
      secret_hash: agentKeys.secret_hash,
      scopes: agentKeys.scopes,
      inbox_ids: agentKeys.inbox_ids,
      budget_key_ids: agentKeys.budget_key_ids,
      expires_at: agentKeys.expires_at,
      revoked_at: agentKeys.revoked_at,
      organization_id: agents.organization_id,
      agent_id: agents.id,
      enrollment_key_id: agents.enrollment_key_id,
      allowed_domains: enrollmentKeys.allowed_domains,
      enrollment_revoked_at: enrollmentKeys.revoked_at,
      granted: sql<string[]>`array${granted}`,
    })
    .from(agentKeys)
    .innerJoin(agents, eq(agents.id, agentKeys.agent_id))
    .innerJoin(enrollmentKeys, eq(enrollmentKeys.id, agents.enrollment_key_id))
    .where(eq(agentKeys.id, sql.placeholder("id")))
    .prepare("find_agent_key");
}
