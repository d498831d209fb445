// Revokes enrollment keys and agent keys, for the operators' command, for members and for agents. Each process notices within a second. Their mail that
// waits is held for a member.
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { agentKeys, enrollmentKeys } from "#db/schema/enrollment.ts";
import { record } from "../activity/record.ts";
import type { Agent, Ctx, Member, Scope, System } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { stopRevoked } from "../pauses/revocations.ts";
import { findAgentKey, findEnrollmentKey } from "./find.ts";
import { getEnrollmentKey } from "./list-enrollment-keys.ts";

/**
 * Revokes the key and, with it, every agent that was enrolled with it.
 * @throws ServiceError `enrollment_key_not_found`
 */
export async function revokeEnrollmentKey(ctx: Ctx<System | Member>, wireId: string) {
  const { id, organization_id } = await findEnrollmentKey(ctx, wireId);
  const at = ctx.now();
  await ctx.db.transaction(async (tx) => {
    await tx
      .update(enrollmentKeys)
      .set({ revoked_at: at })
      .where(and(eq(enrollmentKeys.id, id), isNull(enrollmentKeys.revoked_at)));
    await stopRevoked(tx, { id, organization_id }, { scope: "enrollment_key", at });
  });
  return getEnrollmentKey(ctx, wireId);
}

/**
 * Revokes the key with every key that it issued. The first revocation counts: a second one changes nothing.
 * @param isTakenBack an undo cancels its mail that waits
 * @throws ServiceError `agent_key_not_found`
 */
export async function revokeAgentKey(ctx: Ctx<System | Member | Agent>, wireId: string, isTakenBack = false) {
  const { id, organization_id, revoked_at } = await findAgentKey(ctx, wireId);
  const now = ctx.now();
  const { actor } = ctx;
  await ctx.db.transaction(async (tx) => {
    await revokeWithIssued(tx, [id], now);
    await stopRevoked(tx, { id, organization_id }, { scope: "agent_key", at: now, isTakenBack });
    const change = { kind: "key" as const, id, before: {}, after: {}, final: "A revoked key stays revoked." };
    if (actor.kind === "agent" && !revoked_at) await record({ ...ctx, actor }, tx, [change]);
  });
  return { id: encodeId("akey", id), revoked_at: (revoked_at ?? now).toISOString() };
}

/**
 * Revokes agent keys and then the keys below them, so that it also finds a key that one of them is issuing now. It stops no mail:
 * an agent that enrolls at each start loses its oldest key in this way.
 */
export async function revokeWithIssued(tx: Transaction, ids: string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  const revoke = (which: ReturnType<typeof anyOf>) =>
    tx
      .update(agentKeys)
      .set({ revoked_at: at })
      .where(and(which, isNull(agentKeys.revoked_at)));
  await revoke(anyOf(agentKeys.id, ids));
  // A key belongs to the agent of the key that issued it.
  const agents = sql`(select ${agentKeys.agent_id} from ${agentKeys} where ${anyOf(agentKeys.id, ids)})`;
  await revoke(sql`${agentKeys.agent_id} in ${agents} and ${agentKeys.ancestor_ids} && ${sql.param(ids)}::uuid[]`);
}

/** Takes all other scopes from agent keys, for good. */
export async function narrowKeys(tx: Transaction, ids: string[], scopes: readonly Scope[]): Promise<void> {
  if (ids.length === 0) return;
  const kept = sql`array(select unnest(${agentKeys.scopes}) intersect select unnest(${sql.param(scopes)}::text[]))`;
  await tx.update(agentKeys).set({ scopes: kept }).where(anyOf(agentKeys.id, ids));
}
