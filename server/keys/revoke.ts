// Revokes enrollment keys and agent keys, for the operators' command, for members and for agents. Each process notices within a second. Their mail that
// waits is held for a member.
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
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
 * Revokes agent keys and the keys below them, at every depth. Nothing issues keys meanwhile: a statement does not see a key that was
 * issued while it waited. It stops no mail: an agent that enrolls at each start loses its oldest key in this way.
 */
export async function revokeWithIssued(tx: Transaction, ids: string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await lockKeysOf(tx, ids);
  const revoke = (which: ReturnType<typeof anyOf>) =>
    tx
      .update(agentKeys)
      .set({ revoked_at: at })
      .where(and(which, isNull(agentKeys.revoked_at)));
  await revoke(anyOf(agentKeys.id, ids));
  // A key belongs to the agent of the key that issued it.
  const theirs = sql`(select ${agentKeys.agent_id} from ${agentKeys} where ${anyOf(agentKeys.id, ids)})`;
  await revoke(sql`${agentKeys.agent_id} in ${theirs} and ${agentKeys.ancestor_ids} && ${sql.param(ids)}::uuid[]`);
}

/** Until the transaction ends, no other process issues or revokes keys of this enrollment key. */
export async function lockKeys(tx: Transaction, enrollmentKeyId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`agent-keys:${enrollmentKeyId}`}, 0))`);
}

/** In one order, so that two revocations cannot wait for each other. */
async function lockKeysOf(tx: Transaction, ids: string[]): Promise<void> {
  const above = await tx
    .selectDistinct({ id: agents.enrollment_key_id })
    .from(agentKeys)
    .innerJoin(agents, eq(agents.id, agentKeys.agent_id))
    .where(anyOf(agentKeys.id, ids))
    .orderBy(agents.enrollment_key_id);
  for (const { id } of above) await lockKeys(tx, id);
}

/** Takes all other scopes from agent keys, for good. */
export async function narrowKeys(tx: Transaction, ids: string[], scopes: readonly Scope[]): Promise<void> {
  if (ids.length === 0) return;
  const kept = sql`array(select unnest(${agentKeys.scopes}) intersect select unnest(${sql.param(scopes)}::text[]))`;
  await tx.update(agentKeys).set({ scopes: kept }).where(anyOf(agentKeys.id, ids));
}
