// The connected apps of an organization.
import { and, desc, eq, isNull, max, type SQL, sql } from "drizzle-orm";
import { agentKeys } from "#db/schema/enrollment.ts";
import { appConnections, oauthAccessTokens, oauthClients } from "#db/schema/oauth.ts";
import { users } from "#db/schema/team.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { clientName } from "./find-client.ts";

/** Which connections a member may see and end: members their own, admins and owners all. */
export function isVisible({ role, userId }: Member): SQL | undefined {
  return role === "member" ? eq(appConnections.user_id, userId) : undefined;
}

const APPS_MAX = 200;

/** Newest first; revoked ones are left out. */
export async function listApps({ db, actor }: Ctx<Member>) {
  const lastToken = db
    .select({ at: max(oauthAccessTokens.createdAt) })
    .from(oauthAccessTokens)
    .where(eq(oauthAccessTokens.referenceId, appConnections.id));
  const rows = await db
    .select({
      id: appConnections.id,
      name: oauthClients.name,
      clientId: oauthClients.clientId,
      person: { name: users.name, email: users.email },
      scopes: agentKeys.scopes,
      createdAt: appConnections.created_at,
      lastTokenAt: sql<Date | null>`(${lastToken})`.mapWith(oauthAccessTokens.createdAt),
    })
    .from(appConnections)
    .innerJoin(agentKeys, eq(agentKeys.id, appConnections.agent_key_id))
    .innerJoin(oauthClients, eq(oauthClients.clientId, appConnections.client_id))
    .innerJoin(users, eq(users.id, appConnections.user_id))
    .where(
      and(eq(appConnections.organization_id, actor.organizationId), isNull(agentKeys.revoked_at), isVisible(actor)),
    )
    .orderBy(desc(appConnections.id))
    .limit(APPS_MAX);
  return {
    data: rows.map(({ id, person, scopes, createdAt, lastTokenAt, ...client }) => ({
      id: encodeId("app", id),
      name: clientName(client),
      person,
      scopes,
      created_at: createdAt.toISOString(),
      last_token_at: lastTokenAt?.toISOString() ?? null,
    })),
  };
}
