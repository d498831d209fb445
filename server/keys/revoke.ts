// Revokes enrollment keys and agent keys, for the operators' command and for members. Each process notices within a second.
import { and, eq, isNull } from "drizzle-orm";
import { agentKeys, enrollmentKeys } from "#db/schema/enrollment.ts";
import type { Ctx, Member, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { findEnrollmentKey, isOwn } from "./find.ts";
import { getEnrollmentKey } from "./list-enrollment-keys.ts";

/**
 * Revokes the key and, with it, every agent that was enrolled with it.
 * @throws ServiceError `enrollment_key_not_found`
 */
export async function revokeEnrollmentKey(ctx: Ctx<System | Member>, wireId: string) {
  const { id } = await findEnrollmentKey(ctx, wireId);
  await ctx.db
    .update(enrollmentKeys)
    .set({ revoked_at: ctx.now() })
    .where(and(eq(enrollmentKeys.id, id), isNull(enrollmentKeys.revoked_at)));
  return getEnrollmentKey(ctx, wireId);
}

/**
 * The first revocation counts: a second one changes nothing.
 * @throws ServiceError `agent_key_not_found`
 */
export async function revokeAgentKey(ctx: Ctx<System | Member>, wireId: string) {
  const id = decodeId("akey", wireId);
  const own = id && and(eq(agentKeys.id, id), isOwn(ctx, agentKeys.organization_id));
  const now = ctx.now();
  if (own) {
    await ctx.db
      .update(agentKeys)
      .set({ revoked_at: now })
      .where(and(own, isNull(agentKeys.revoked_at)));
  }
  const [row] = own ? await ctx.db.select({ revoked_at: agentKeys.revoked_at }).from(agentKeys).where(own) : [];
  if (!id || !row) throw new ServiceError("agent_key_not_found", `There is no agent key ${wireId}.`);
  return { id: encodeId("akey", id), revoked_at: (row.revoked_at ?? now).toISOString() };
}
