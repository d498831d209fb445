// Ends connections of apps: revokes their agent keys, and deletes their tokens.
import { and, eq, type SQL } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { appConnections, oauthAccessTokens, oauthRefreshTokens } from "#db/schema/oauth.ts";
import type { Ctx, Member } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { revokeAgentKey } from "../keys/revoke.ts";
import { isVisible } from "./visible.ts";

/**
 * A running wait of the app ends with its next mail or repetition, as with every revoked key.
 * @throws ServiceError `app_not_found`, also for another member's connection, unless the caller is an admin
 */
export async function revokeApp(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const id = decodeId("app", wireId);
  const ended = id ? await endConnections(ctx, and(eq(appConnections.id, id), isVisible(ctx.actor))) : 0;
  if (ended === 0) throw new ServiceError("app_not_found", `There is no connected app ${wireId}.`);
}

/** @returns how many connections of the member's organization matched */
export async function endConnections(ctx: Ctx<Member>, which: SQL | undefined): Promise<number> {
  const rows = await ctx.db
    .select({ id: appConnections.id, key: appConnections.agent_key_id })
    .from(appConnections)
    .where(and(eq(appConnections.organization_id, ctx.actor.organizationId), which));
  const ids = rows.map(({ id }) => id);
  for (const { key } of rows) await revokeAgentKey(ctx, encodeId("akey", key));
  await ctx.db.delete(oauthAccessTokens).where(anyOf(oauthAccessTokens.referenceId, ids));
  await ctx.db.delete(oauthRefreshTokens).where(anyOf(oauthRefreshTokens.referenceId, ids));
  return rows.length;
}
