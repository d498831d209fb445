// Lists enrollment keys with their usage, and gets one of them with what its revocation would stop.
import { and, count, desc, eq, isNotNull, isNull, lt, max, type SQL, sql } from "drizzle-orm";
import { isInForce } from "#db/conditions.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import type { Ctx, Member, System } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { findEnrollmentKey, isOwn, scopeOf } from "./find.ts";
import { hasKey } from "./list-agents.ts";
import { countRecentMailboxes, enrollmentKeyView, keyColumns, newestInboxes } from "./view.ts";

/** Agents and their keys are counted among the newest so many of a key. */
const COUNTED_AGENTS = 10_000;

/** Counted by sub-selects, so that each key costs look-ups in indexes and never a join. */
function selectKeys(ctx: Ctx<System | Member>, condition: SQL | undefined, limit: number) {
  const { db } = ctx;
  const ofAgent = db
    .select({ keys: count() })
    .from(agentKeys)
    .where(and(eq(agentKeys.agent_id, agents.id), isInForce(agentKeys, ctx.now())));
  // Ordered in pairs, as in `newestInboxes`.
  const newest = sql`(select ${agents.id} from ${agents} where ${agents.enrollment_key_id} = ${enrollmentKeys.id}
      and ${hasKey(db)}
    order by ${agents.enrollment_key_id} desc, ${agents.id} desc limit ${COUNTED_AGENTS}) agents`;
  const uses = db
    .select({ at: max(sql`greatest(${agentKeys.last_used_at}, ${agentKeys.created_at})`) })
    .from(agentKeys)
    .where(and(eq(agentKeys.agent_id, agents.id), isNull(agentKeys.revoked_at)));
  const lastUse = sql<Date | null>`(select max(${uses}) from ${newest})`;
  const ofKey = sql`(select coalesce(sum(${ofAgent}), 0) from ${newest})`;
  return db
    .select({
      ...keyColumns,
      agents: sql`(select count(*) from ${newest})`.mapWith(Number),
      active_agent_keys: sql`case when ${isNotNull(enrollmentKeys.revoked_at)} then 0 else ${ofKey} end`.mapWith(
        Number,
      ),
      last_used_at: lastUse.mapWith(agentKeys.created_at),
      live_inboxes:
        sql`(select count(*) filter (where newest.status = 'live') from ${newestInboxes(enrollmentKeys.id)})`.mapWith(
          Number,
        ),
    })
    .from(enrollmentKeys)
    .where(and(isOwn(ctx, enrollmentKeys.organization_id), condition))
    .orderBy(desc(enrollmentKeys.id))
    .limit(limit);
}

async function views(ctx: Ctx<System | Member>, rows: Awaited<ReturnType<typeof selectKeys>>) {
  const recent = await countRecentMailboxes(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...enrollmentKeyView(row, recent.get(row.id), ctx.now()),
    agents: row.agents,
    active_agent_keys: row.active_agent_keys,
    live_inboxes: row.live_inboxes,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }));
}

/**
 * Those of the member's organization, or all for the operators' command; newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listEnrollmentKeys(
  ctx: Ctx<System | Member>,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const list = `enrollment keys:${scopeOf(ctx)}`;
  const before = cursor === undefined ? undefined : lt(enrollmentKeys.id, readCursor(ctx, list, cursor));
  const page = toPage(ctx, list, await selectKeys(ctx, before, limit + 1), limit);
  return { data: await views(ctx, page.rows), next_cursor: page.next_cursor };
}

/** @throws ServiceError `enrollment_key_not_found` */
export async function getEnrollmentKey(ctx: Ctx<System | Member>, wireId: string) {
  const key = await findEnrollmentKey(ctx, wireId);
  const [rows, orphaned] = await Promise.all([
    selectKeys(ctx, eq(enrollmentKeys.id, key.id), 1),
    countOrphaned(ctx, key),
  ]);
  const [view] = await views(ctx, rows);
  if (!view) throw new Error(`the enrollment key ${wireId} has gone`);
  const { agents: agentCount, active_agent_keys, live_inboxes } = view;
  const stops = { agents: agentCount, agent_keys: active_agent_keys, live_inboxes, orphaned_inboxes: orphaned };
  return { ...view, stops };
}

/**
 * Counts the live inboxes of the key that no agent of another key may read: after the revocation only members see their mail.
 * An agent key without a list of inboxes reads all of the organization's, unless it reaches only those of its agent.
 */
async function countOrphaned(ctx: Ctx<System | Member>, key: { id: string; organization_id: string }): Promise<number> {
  const [row] = await ctx.db.execute<{ orphaned: number }>(sql`
    with others as materialized (
      select ${agentKeys.inbox_ids} from ${enrollmentKeys}
      join ${agents} on ${agents.enrollment_key_id} = ${enrollmentKeys.id}
      join ${agentKeys} on ${agentKeys.agent_id} = ${agents.id}
      where ${enrollmentKeys.organization_id} = ${key.organization_id} and ${enrollmentKeys.id} <> ${key.id}
        and ${enrollmentKeys.inbox_access} = 'organization' and ${agentKeys.inbox_access} is distinct from 'own'
        and ${enrollmentKeys.revoked_at} is null and 'mailbox:read' = any(${agentKeys.scopes})
        and ${isInForce(agentKeys, ctx.now())})
    select case when exists (select from others where inbox_ids is null) then 0 else (
      select count(*)::int from ${newestInboxes(key.id)}
      where newest.status = 'live' and newest.id not in (select unnest(inbox_ids) from others)) end as orphaned`);
  return row?.orphaned ?? 0;
}
