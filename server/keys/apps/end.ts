// Ends connections of apps: revokes their agent keys, and deletes their tokens, codes and consents. Connections end when a
// member revokes them, when the membership ends, and when the member sets a new password.
import { and, eq, inArray, type SQL } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { appConnections, oauthAccessTokens, oauthConsents, oauthRefreshTokens } from "#db/schema/oauth.ts";
import type { Ctx, Member, Role } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import { endCodes } from "../../organizations/oauth.ts";
import { narrowKeys, revokeWithIssued } from "../revoke.ts";
import { isVisible } from "./list.ts";
import { scopesOfRole } from "./scopes.ts";

/** The apps of people, in one organization or in all. */
type Owned = { userIds: string[]; organizationId?: string };

declare module "../../base/context.ts" {
  interface Services {
    /** For organizations/, which apps/ builds on: what happens to the apps of members whose rights end. */
    memberApps: MemberApps;
  }
}
export type MemberApps = {
  end(tx: Transaction, owned: Owned, at: Date): Promise<void>;
  narrow(tx: Transaction, owned: Owned, role: Role): Promise<void>;
};

export const memberApps: MemberApps = {
  async end(tx, owned, at) {
    await endConnections(tx, at, isOwned(owned));
  },
  /** Without this, the scopes would return with a higher role. */
  async narrow(tx, owned, role) {
    const rows = await tx.select({ key: appConnections.agent_key_id }).from(appConnections).where(isOwned(owned));
    await narrowKeys(
      tx,
      rows.map(({ key }) => key),
      scopesOfRole(role),
    );
  },
};

function isOwned({ userIds, organizationId }: Owned): SQL | undefined {
  const { user_id, organization_id } = appConnections;
  return and(inArray(user_id, userIds), organizationId ? eq(organization_id, organizationId) : undefined);
}

/**
 * A running wait of the app ends with its next mail or repetition, as with every revoked key.
 * @throws ServiceError `app_not_found`, also for another member's connection, unless the caller is an admin
 */
export async function revokeApp(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const { db, actor, now } = ctx;
  const id = decodeId("app", wireId);
  const own = eq(appConnections.organization_id, actor.organizationId);
  const ended = id
    ? await db.transaction((tx) => endConnections(tx, now(), and(own, eq(appConnections.id, id), isVisible(actor))))
    : 0;
  if (ended === 0) throw new ServiceError("app_not_found", `There is no connected app ${wireId}.`);
}

/**
 * The rows stay, with a revoked key: a token that a running request of the app creates now is refused too.
 * @returns how many connections matched
 */
export async function endConnections(tx: Transaction, at: Date, which: SQL | undefined): Promise<number> {
  const rows = await tx
    .select({ id: appConnections.id, key: appConnections.agent_key_id })
    .from(appConnections)
    .where(which)
    .orderBy(appConnections.id)
    .for("update");
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await revokeWithIssued(
    tx,
    rows.map(({ key }) => key),
    at,
  );
  await deleteTokens(tx, ids);
  await tx.delete(oauthConsents).where(anyOf(oauthConsents.referenceId, ids));
  await endCodes(tx, ids);
  return rows.length;
}

/** Access tokens first, since they refer to refresh tokens. */
async function deleteTokens(tx: Transaction, connections: string[]): Promise<void> {
  await tx.delete(oauthAccessTokens).where(anyOf(oauthAccessTokens.referenceId, connections));
  await tx.delete(oauthRefreshTokens).where(anyOf(oauthRefreshTokens.referenceId, connections));
}
