// The statement that finds the agent key behind an app's token, while the member who approved it belongs to the organization.
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { agentKeys, agents, domainGrants, enrollmentKeys } from "#db/schema/enrollment.ts";
import { appConnections, oauthAccessTokens } from "#db/schema/oauth.ts";
import { members } from "#db/schema/team.ts";
import { isGrantInEffect } from "../grants/granted-domains.ts";

/** The statement of `token`, the hash of a token, and the time `at`. */
export function prepareFindAppKey(db: Database) {
  const granted = db
    .select({ domain: domainGrants.domain })
    .from(domainGrants)
    .where(and(isGrantInEffect(sql.placeholder("at")), eq(domainGrants.organization_id, agents.organization_id)));
  return db
    .select({
      id: agentKeys.id,
      scopes: agentKeys.scopes,
      token_scopes: oauthAccessTokens.scopes,
      role: members.role,
      inbox_ids: agentKeys.inbox_ids,
      expires_at: oauthAccessTokens.expiresAt,
      revoked_at: agentKeys.revoked_at,
      organization_id: agents.organization_id,
      agent_id: agents.id,
      enrollment_key_id: agents.enrollment_key_id,
      allowed_domains: enrollmentKeys.allowed_domains,
      enrollment_revoked_at: enrollmentKeys.revoked_at,
      granted: sql<string[]>`array${granted}`,
    })
    .from(oauthAccessTokens)
    .innerJoin(appConnections, eq(appConnections.id, oauthAccessTokens.referenceId))
    .innerJoin(
      members,
      and(eq(members.organizationId, appConnections.organization_id), eq(members.userId, appConnections.user_id)),
    )
    .innerJoin(agentKeys, eq(agentKeys.id, appConnections.agent_key_id))
    .innerJoin(
      agents,
      and(eq(agents.id, agentKeys.agent_id), eq(agents.organization_id, appConnections.organization_id)),
    )
    .innerJoin(enrollmentKeys, eq(enrollmentKeys.id, agents.enrollment_key_id))
    .where(eq(oauthAccessTokens.token, sql.placeholder("token")))
    .prepare("find_app_key");
}
