// Lists the agents of an enrollment key with their agent keys, and agent keys alone; newest first, without secrets.
import { and, desc, eq, exists, getTableColumns, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { anyOf, isInForce } from "#db/conditions.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import type { Ctx, Member, System } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { encodeId } from "../base/ids.ts";
import { findEnrollmentKey, isOwn, restrictedTo, scopeOf } from "./find.ts";
import { newestInboxes } from "./view.ts";

/** Of one agent: first the keys that work, then the newest. An agent that enrolls at each start has many. */
const KEYS_MAX = 20;
/** Addresses of one agent key's restriction. */
const ADDRESSES_MAX = 50;

type Page = { limit: number; cursor?: string | undefined };

const {
  secret_hash: _secret,
  inbox_ids: _inboxes,
  budget_key_ids: _budgets,
  inbox_access: _access,
  ...keyColumns
} = getTableColumns(agentKeys);

/** What `agentKeyView` needs of a key. Active: neither the key nor its enrollment key has ended. */
function shownOf({ db, now }: Ctx<System | Member>) {
  const addresses = restrictedTo(db).limit(ADDRESSES_MAX);
  const ofEnrolled = db
    .select({ access: enrollmentKeys.inbox_access })
    .from(agents)
    .innerJoin(enrollmentKeys, eq(enrollmentKeys.id, agents.enrollment_key_id))
    .where(eq(agents.id, agentKeys.agent_id));
  const enrolled = db
    .select({ one: sql`1` })
    .from(agents)
    .innerJoin(enrollmentKeys, eq(enrollmentKeys.id, agents.enrollment_key_id))
    .where(and(eq(agents.id, agentKeys.agent_id), isNull(enrollmentKeys.revoked_at)));
  return {
    ...keyColumns,
    inbox_count: sql<number | null>`cardinality(${agentKeys.inbox_ids})`.as("inbox_count"),
    own_inboxes: sql<boolean>`coalesce(${agentKeys.inbox_access}, (${ofEnrolled})) = 'own'`.as("own_inboxes"),
    addresses: sql<string[]>`array${addresses}`.as("addresses"),
    active: sql<boolean>`(${and(isInForce(agentKeys, now()), exists(enrolled))})`.as("active"),
  };
}

type ShownKey = Omit<
  typeof agentKeys.$inferSelect,
  "secret_hash" | "inbox_ids" | "inbox_access" | "budget_key_ids" | "organization_id" | "agent_id"
> & {
  inbox_count: number | null;
  own_inboxes: boolean;
  addresses: string[];
  active: boolean;
};

function agentKeyView(key: ShownKey) {
  return {
    id: encodeId("akey", key.id),
    parent_id: key.ancestor_ids.length === 0 ? null : encodeId("akey", key.ancestor_ids.at(-1) ?? key.id),
    send_budget: key.send_budget,
    sent_count: key.sent_count,
    outgoing_delay_seconds: key.outgoing_delay_seconds,
    scopes: key.scopes,
    own_inboxes: key.own_inboxes,
    /** Null: every inbox of the organization, or of the agent. */
    inboxes: key.inbox_count === null ? null : { count: key.inbox_count, addresses: key.addresses },
    active: key.active,
    expires_at: key.expires_at?.toISOString() ?? null,
    revoked_at: key.revoked_at?.toISOString() ?? null,
    last_used_at: key.last_used_at?.toISOString() ?? null,
    created_at: key.created_at.toISOString(),
  };
}

/**
 * The agent keys of the member's organization, or all for the operators' command.
 * @throws ServiceError `invalid_cursor`
 */
export async function listAgentKeys(ctx: Ctx<System | Member>, { limit, cursor }: Page) {
  const list = `agent keys:${scopeOf(ctx)}`;
  const before = cursor === undefined ? undefined : lt(agentKeys.id, readCursor(ctx, list, cursor));
  const rows = await ctx.db
    .select({ ...shownOf(ctx), handle: agents.handle, enrollment_key_id: agents.enrollment_key_id })
    .from(agentKeys)
    .innerJoin(agents, eq(agents.id, agentKeys.agent_id))
    .where(and(isOwn(ctx, agentKeys.organization_id), before))
    .orderBy(desc(agentKeys.id))
    .limit(limit + 1);
  const page = toPage(ctx, list, rows, limit);
  const data = page.rows.map((row) => ({
    ...agentKeyView(row),
    agent_id: encodeId("agt", row.agent_id),
    handle: row.handle,
    enrollment_key_id: encodeId("ekey", row.enrollment_key_id),
  }));
  return { data, next_cursor: page.next_cursor };
}

/** @returns the keys of each agent, by its UUID: at most KEYS_MAX, and the number of all */
export async function readKeysOf(ctx: Ctx<System | Member>, agentIds: string[]) {
  const shown = ctx.db
    .select({ ...shownOf(ctx), key_count: sql<number>`count(*) over ()::int`.as("key_count") })
    .from(agentKeys)
    .where(eq(agentKeys.agent_id, agents.id))
    .orderBy(sql`active desc`, desc(agentKeys.id))
    .limit(KEYS_MAX)
    .as("shown");
  const rows = await ctx.db.select().from(agents).innerJoinLateral(shown, sql`true`).where(anyOf(agents.id, agentIds));
  const byAgent = Map.groupBy(
    rows.map((row) => row.shown),
    (key) => key.agent_id,
  );
  return (agentId: string) => {
    const own = byAgent.get(agentId) ?? [];
    return { key_count: own[0]?.key_count ?? 0, keys: own.map(agentKeyView) };
  };
}

async function countInboxes({ db }: Ctx<System | Member>, keyId: string, agentIds: string[]) {
  const rows = await db.execute<{ agent_id: string; made: number }>(sql`
    select newest.agent_id, count(*)::int as made from ${newestInboxes(keyId)}
    where newest.agent_id = any(${sql.param(agentIds)}::uuid[]) group by 1`);
  return new Map(rows.map(({ agent_id, made }) => [agent_id, made]));
}

/** The condition that an agent has a key. One that never had any is none: members create mailboxes as the agent `dashboard`. */
export function hasKey(db: Database): SQL {
  return exists(db.select({ one: sql`1` }).from(agentKeys).where(eq(agentKeys.agent_id, agents.id)));
}

/** @throws ServiceError `enrollment_key_not_found`, `invalid_cursor` */
export async function listAgents(ctx: Ctx<System | Member>, input: Page & { id: string }) {
  const key = await findEnrollmentKey(ctx, input.id);
  const list = `agents:${key.id}`;
  const before = input.cursor === undefined ? undefined : lt(agents.id, readCursor(ctx, list, input.cursor));
  const rows = await ctx.db
    .select()
    .from(agents)
    .where(
      and(
        eq(agents.enrollment_key_id, key.id),
        eq(agents.organization_id, key.organization_id),
        hasKey(ctx.db),
        before,
      ),
    )
    .orderBy(desc(agents.id))
    .limit(input.limit + 1);
  const page = toPage(ctx, list, rows, input.limit);
  const ids = page.rows.map(({ id }) => id);
  const [made, keys] = await Promise.all([countInboxes(ctx, key.id, ids), readKeysOf(ctx, ids)]);
  const data = page.rows.map((row) => ({
    id: encodeId("agt", row.id),
    handle: row.handle,
    name: row.name,
    created_at: row.created_at.toISOString(),
    inboxes: made.get(row.id) ?? 0,
    ...keys(row.id),
  }));
  return { data, next_cursor: page.next_cursor };
}
