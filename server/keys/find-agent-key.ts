// The statement that finds the agent key of a call, with its agent and its enrollment key.
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { agentKeys, agents, domainGrants, enrollmentKeys } from "#db/schema/enrollment.ts";
import type { Agent } from "../base/context.ts";
import { isGrantInEffect } from "../grants/granted-domains.ts";

/**
 * What a statement selects to make an agent of a key. It joins the key, its agent and its enrollment key, and has a placeholder `at`
 * for the time. `granted`: the domains of the grants of the organization that are in effect.
 */
export function callerColumns(db: Database) {
  const granted = db
    .select({ domain: domainGrants.domain })
    .from(domainGrants)
    .where(and(isGrantInEffect(sql.placeholder("at")), eq(domainGrants.organization_id, agents.organization_id)));
  return {
    id: agentKeys.id,
    scopes: agentKeys.scopes,
    inbox_ids: agentKeys.inbox_ids,
    made_by: sql<
      string | null
    >`case when 'own' in (${enrollmentKeys.inbox_access}, ${agentKeys.inbox_access}) then ${agents.id} end`,
    ancestor_ids: agentKeys.ancestor_ids,
    revoked_at: agentKeys.revoked_at,
    organization_id: agents.organization_id,
    agent_id: agents.id,
    enrollment_key_id: agents.enrollment_key_id,
    allowed_domains: enrollmentKeys.allowed_domains,
    enrollment_revoked_at: enrollmentKeys.revoked_at,
    granted: sql<string[]>`array${granted}`,
  };
}

type CallerRow = Pick<typeof agentKeys.$inferSelect, "id" | "agent_id" | "inbox_ids" | "ancestor_ids"> &
  Pick<typeof agents.$inferSelect, "organization_id" | "enrollment_key_id"> & { made_by: string | null };

/** The agent of a row with `callerColumns`. @param own what depends on how it was authenticated */
export function agentOf(row: CallerRow, own: Pick<Agent, "scopes" | "allowedDomains" | "budgetKeyIds">): Agent {
  return {
    kind: "agent",
    organizationId: row.organization_id,
    enrollmentKeyId: row.enrollment_key_id,
    agentId: row.agent_id,
    keyId: row.id,
    inboxIds: row.inbox_ids,
    madeBy: row.made_by,
    ancestorIds: row.ancestor_ids,
    ...own,
  };
}

/**
 * The statement of `id` and the time `at`. It is built once, because building it costs more than running it
 * (docs/decisions/028).
 */
export function prepareFindAgentKey(db: Database) {
  return (
    db
      .select({
        ...callerColumns(db),
        secret_hash: agentKeys.secret_hash,
        budget_key_ids: agentKeys.budget_key_ids,
        expires_at: agentKeys.expires_at,
        last_used_at: agentKeys.last_used_at,
      })
      .from(agentKeys)
      // All three are of one organization, whatever a row refers to.
      .innerJoin(agents, and(eq(agents.id, agentKeys.agent_id), eq(agents.organization_id, agentKeys.organization_id)))
      .innerJoin(
        enrollmentKeys,
        and(
          eq(enrollmentKeys.id, agents.enrollment_key_id),
          eq(enrollmentKeys.organization_id, agents.organization_id),
        ),
      )
      .where(eq(agentKeys.id, sql.placeholder("id")))
      .prepare("find_agent_key")
  );
}
