// The statement that finds the agent key behind an app's token, while the member who approved it belongs to the organization.
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { appConnections, oauthAccessTokens } from "#db/schema/oauth.ts";
import { members } from "#db/schema/team.ts";
import { callerColumns } from "../find-agent-key.ts";

/** The statement of `token`, the hash of a token, and the time `at`. */
export function prepareFindAppKey(db: Database) {
  return db
    .select({
      ...callerColumns(db),
      token_scopes: oauthAccessTokens.scopes,
      role: members.role,
      expires_at: oauthAccessTokens.expiresAt,
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

export type AppKeyRow = Awaited<ReturnType<ReturnType<typeof prepareFindAppKey>["execute"]>>[number];

/** Whether neither the key of the connection nor its enrollment key was revoked. */
export function isConnected({ revoked_at, enrollment_revoked_at }: AppKeyRow): boolean {
  return !revoked_at && !enrollment_revoked_at;
}
