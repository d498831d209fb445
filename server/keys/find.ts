// Finds enrollment keys and agent keys: those of a member's organization, those below an agent's key, or for the operators' command all.
import { and, eq, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "#db/client.ts";
import { agentKeys, enrollmentKeys } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Agent, Ctx, Member, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";

/** The condition that rows belong to the caller's organization; undefined for the operators' command. */
export function isOwn({ actor }: Ctx<System | Member>, organizationId: PgColumn) {
  return actor.kind === "member" ? eq(organizationId, actor.organizationId) : undefined;
}

/** What the cursor of a list is bound to: an organization, or all of them. */
export function scopeOf({ actor }: Ctx<System | Member>): string {
  return actor.kind === "member" ? actor.organizationId : "all";
}

/**
 * @param wireId `ekey_…`
 * @throws ServiceError `enrollment_key_not_found`, the same for a key that never existed and for another organization's
 */
export async function findEnrollmentKey(ctx: Ctx<System | Member>, wireId: string) {
  const id = decodeId("ekey", wireId);
  const [row] = id
    ? await ctx.db
        .select()
        .from(enrollmentKeys)
        .where(and(eq(enrollmentKeys.id, id), isOwn(ctx, enrollmentKeys.organization_id)))
    : [];
  if (!row) throw new ServiceError("enrollment_key_not_found", `There is no enrollment key ${wireId}.`);
  return row;
}

/** The condition for the keys that the agent's key issued, or that keys below it issued. */
export function isBelow({ organizationId, agentId, keyId }: Agent) {
  const own = and(eq(agentKeys.organization_id, organizationId), eq(agentKeys.agent_id, agentId));
  return and(own, sql`${keyId}::uuid = any(${agentKeys.ancestor_ids})`);
}

/**
 * @param wireId `akey_…`
 * @throws ServiceError `agent_key_not_found`, the same for a key that never existed and for one that the caller may not see
 */
export async function findAgentKey(ctx: Ctx<System | Member | Agent>, wireId: string) {
  const { actor } = ctx;
  const id = decodeId("akey", wireId);
  const seen = actor.kind === "agent" ? isBelow(actor) : isOwn({ ...ctx, actor }, agentKeys.organization_id);
  const [row] = id
    ? await ctx.db
        .select({
          id: agentKeys.id,
          organization_id: agentKeys.organization_id,
          agent_id: agentKeys.agent_id,
          revoked_at: agentKeys.revoked_at,
        })
        .from(agentKeys)
        .where(and(eq(agentKeys.id, id), seen))
    : [];
  if (row) return row;
  if (actor.kind !== "agent") throw new ServiceError("agent_key_not_found", `There is no agent key ${wireId}.`);
  throw new ServiceError("agent_key_not_found", "This key issued no key with this id.", {
    fix: "GET /v1/keys lists the keys that this key issued.",
  });
}

/** The query for the addresses of live mailboxes that the agent key of the outer query is restricted to. */
export function restrictedTo(db: Database) {
  return db
    .select({ address: inboxes.address })
    .from(inboxes)
    .where(and(sql`${inboxes.id} = any(${agentKeys.inbox_ids})`, eq(inboxes.status, "live")))
    .orderBy(inboxes.id);
}
