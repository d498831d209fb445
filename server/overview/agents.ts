// The agents of the organization for the dashboard: a page of them, one with its keys, and what one sent and received by day.
import { and, desc, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import { anyOf, isInForce } from "#db/conditions.ts";
import { activity } from "#db/schema/activity.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { webhooks } from "#db/schema/events.ts";
import { inboxes, messages, sendUsage } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { lowestId } from "../base/id-range.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { hasKey, readKeysOf } from "../keys/list-agents.ts";
import { quotaOf } from "../keys/view.ts";
import { dayOf } from "../recipients/limits/ramp.ts";
import { lastDays } from "./days.ts";
import type { AgentsInput } from "./schema.ts";

/** A part of a handle or name is searched in so many of the newest agents. */
const SEARCHED_AGENTS = 20_000;
/** Mailboxes of one agent are counted among its newest so many. */
const COUNTED_INBOXES = 1_000;
/** The newest keys of an agent, whose changes say when it was last active. */
const KEYS_LOOKED_AT = 20;
/** The newest keys of one agent, among which the key with the newest change is looked for. */
const KEYS_COMPARED = 2_000;
/** With more received messages in the days, they are not counted by day. */
const RECEIVED_MAX = 50_000;

/**
 * Newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listAgentsOfAll(ctx: Ctx<Member>, { limit, cursor, q }: AgentsInput) {
  const part = q?.toLowerCase() ?? "";
  const list = `all agents:${ctx.actor.organizationId}:${part}`;
  const before = cursor === undefined ? undefined : lt(agents.id, readCursor(ctx, list, cursor));
  const newest = selectAgents(ctx, before)
    .limit(part === "" ? limit + 1 : SEARCHED_AGENTS)
    .as("newest");
  const rows = await ctx.db
    .select()
    .from(newest)
    .where(
      part === ""
        ? undefined
        : sql`strpos(lower(${newest.handle}), ${part}) > 0 or strpos(lower(${newest.name}), ${part}) > 0`,
    )
    .orderBy(desc(newest.id))
    .limit(limit + 1);
  const page = toPage(ctx, list, rows, limit);
  return { data: await agentViews(ctx, page.rows), next_cursor: page.next_cursor };
}

/** @throws ServiceError `agent_not_found` */
export async function getAgent(ctx: Ctx<Member>, wireId: string) {
  const row = await findAgent(ctx, wireId);
  const [[view], keys, last, [enrollment]] = await Promise.all([
    agentViews(ctx, [row]),
    readKeysOf(ctx, [row.id]),
    readLastChangedKey(ctx, row.id),
    ctx.db
      .select()
      .from(enrollmentKeys)
      .where(and(eq(enrollmentKeys.id, row.key_id), eq(enrollmentKeys.organization_id, ctx.actor.organizationId))),
  ]);
  if (!view || !enrollment) throw new Error(`the agent ${wireId} has gone`);
  const { scopes, inbox_access, allowed_domains } = enrollment;
  const limits = { ...quotaOf(enrollment), scopes, inbox_access, allowed_domains };
  const last_changed_key = last && {
    id: encodeId("akey", last.id),
    active: last.active && !view.enrollment_key.revoked,
  };
  return { ...view, limits, ...keys(row.id), last_changed_key };
}

/**
 * The agent of the member's organization.
 * @param wireId `agt_…`
 * @throws ServiceError `agent_not_found`, the same for an agent that never existed and for another organization's
 */
export async function findAgent(ctx: Ctx<Member>, wireId: string) {
  const id = decodeId("agt", wireId);
  const [row] = id ? await selectAgents(ctx, eq(agents.id, id)) : [];
  if (!row) throw new ServiceError("agent_not_found", `There is no agent ${wireId}.`);
  return row;
}

function selectAgents({ db, actor }: Ctx<Member>, which: SQL | undefined) {
  const { id, handle, name, created_at } = agents;
  return db
    .select({
      id,
      handle,
      name,
      created_at,
      key_id: agents.enrollment_key_id,
      key_name: sql<string>`${enrollmentKeys.name}`.as("key_name"),
      key_revoked_at: enrollmentKeys.revoked_at,
    })
    .from(agents)
    .innerJoin(enrollmentKeys, eq(enrollmentKeys.id, agents.enrollment_key_id))
    .where(and(eq(agents.organization_id, actor.organizationId), hasKey(db), which))
    .orderBy(desc(agents.organization_id), desc(id))
    .$dynamic();
}

type Row = Awaited<ReturnType<typeof findAgent>>;

async function agentViews(ctx: Ctx<Member>, rows: Row[]) {
  const ids = rows.map(({ id }) => id);
  const [keys, live, sent, seen, hooks] = await Promise.all([
    countWorkingKeys(ctx, ids),
    countInboxes(ctx, ids),
    countSentToday(ctx, ids),
    readLastActive(ctx, ids),
    countWebhooks(ctx, ids),
  ]);
  return rows.map((row) => ({
    id: encodeId("agt", row.id),
    handle: row.handle,
    name: row.name,
    created_at: row.created_at.toISOString(),
    enrollment_key: {
      id: encodeId("ekey", row.key_id),
      name: row.key_name,
      revoked: row.key_revoked_at !== null,
    },
    working_keys: row.key_revoked_at === null ? (keys.get(row.id) ?? 0) : 0,
    inboxes: live.get(row.id) ?? 0,
    sent_today: sent.get(row.id) ?? 0,
    webhooks: hooks.get(row.id) ?? 0,
    last_active_at: seen.get(row.id)?.toISOString() ?? null,
  }));
}

type Figure<Value> = { id: string; value: Value };
const byId = <Value>(rows: Figure<Value>[]) => new Map(rows.map(({ id, value }) => [id, value]));
const count = sql<number>`count(*)::int`;

async function countWorkingKeys({ db, actor, now }: Ctx<Member>, ids: string[]) {
  const { agent_id, organization_id, revoked_at } = agentKeys;
  const own = and(anyOf(agent_id, ids), eq(organization_id, actor.organizationId));
  const rows = await db
    .select({ id: agent_id, value: count })
    .from(agentKeys)
    .where(and(own, isNull(revoked_at), isInForce(agentKeys, now())))
    .groupBy(agent_id);
  return byId(rows);
}

/** The newest mailboxes of the agent `a`. Ordered in pairs, so that only the index on both columns has this order. */
function newestInboxes({ actor }: Ctx<Member>, most: number): SQL {
  const { id, agent_id, organization_id, status } = inboxes;
  return sql`(select ${id}, ${agent_id}, ${status} from ${inboxes}
    where ${agent_id} = a.id and ${organization_id} = ${actor.organizationId}
    order by ${agent_id} desc, ${id} desc limit ${most})`;
}

async function countInboxes(ctx: Ctx<Member>, ids: string[]) {
  const rows = await ctx.db.execute<Figure<number>>(sql`
    select a.id, count(*) filter (where i.status = 'live')::int as value
    from unnest(${sql.param(ids)}::uuid[]) as a(id) cross join lateral ${newestInboxes(ctx, COUNTED_INBOXES)} i group by 1`);
  return byId(rows);
}

/** Recipients of mail that left the mailboxes which the agent created. */
async function countSentToday({ db, actor, now }: Ctx<Member>, ids: string[]) {
  const { organization_id, inbox_id, day, counted, replies } = sendUsage;
  const rows = await db
    .select({ id: inboxes.agent_id, value: sql<number>`sum(${counted} + ${replies})::int` })
    .from(sendUsage)
    .innerJoin(inboxes, and(eq(inboxes.id, inbox_id), anyOf(inboxes.agent_id, ids)))
    .where(and(eq(organization_id, actor.organizationId), eq(day, dayOf(now()))))
    .groupBy(inboxes.agent_id);
  return byId(rows);
}

/** When one of its newest keys was issued or changed something. Reading is not recorded. */
async function readLastActive(ctx: Ctx<Member>, ids: string[]) {
  const rows = await ctx.db.execute<Figure<Date>>(sql`
    select a.id, max(greatest(k.created_at, last.created_at)) as value
    from unnest(${sql.param(ids)}::uuid[]) as a(id)
    cross join lateral ${newestKeys(ctx, KEYS_LOOKED_AT)} k
    left join lateral ${newestChange(ctx)} last on true
    group by 1`);
  return byId(rows.map(({ id: agent, value }) => ({ id: agent, value: new Date(value) })));
}

async function readLastChangedKey(ctx: Ctx<Member>, agentId: string) {
  const [last] = await ctx.db.execute<{ id: string; active: boolean }>(sql`
    select k.id, k.active from (select ${agentId}::uuid as id) a
    cross join lateral ${newestKeys(ctx, KEYS_COMPARED)} k
    cross join lateral ${newestChange(ctx)} last
    order by last.id desc limit 1`);
  return last ?? null;
}

/** Of the agent `a`. */
function newestKeys({ actor, now }: Ctx<Member>, most: number): SQL {
  const { id, agent_id, created_at, organization_id } = agentKeys;
  return sql`(select ${id}, ${created_at}, (${isInForce(agentKeys, now())}) as active from ${agentKeys}
    where ${agent_id} = a.id and ${organization_id} = ${actor.organizationId}
    order by ${agent_id} desc, ${id} desc limit ${most})`;
}

/** Of the key `k`. */
function newestChange({ actor }: Ctx<Member>): SQL {
  const { id, key_id, created_at, organization_id } = activity;
  return sql`(select ${id}, ${created_at} from ${activity}
    where ${key_id} = k.id and ${organization_id} = ${actor.organizationId}
    order by ${key_id} desc, ${id} desc limit 1)`;
}

/** Webhooks of mailboxes that it created, and those for all of its mailboxes; without test receivers. */
async function countWebhooks({ db, actor }: Ctx<Member>, ids: string[]) {
  const agent = sql<string>`coalesce(${webhooks.agent_id}, ${inboxes.agent_id})`;
  const rows = await db
    .select({ id: agent, value: count })
    .from(webhooks)
    .leftJoin(inboxes, eq(inboxes.id, webhooks.inbox_id))
    .where(
      and(
        eq(webhooks.organization_id, actor.organizationId),
        isNull(webhooks.expires_at),
        sql`${agent} = any(${sql.param(ids)}::uuid[])`,
      ),
    )
    .groupBy(agent);
  return byId(rows);
}

/**
 * The last 14 UTC days, today included, oldest first, of the newest mailboxes that the agent created. Deleted mail is not
 * counted as received; `received` is null when there is too much to count.
 * @throws ServiceError `agent_not_found`
 */
export async function readAgentDays(ctx: Ctx<Member>, wireId: string) {
  const { id } = await findAgent(ctx, wireId);
  const days = lastDays(ctx.now());
  const [first = ctx.now()] = days;
  const own = sql`(select a.id from (select ${id}::uuid as id) a)`;
  const boxes = sql`(select i.id from ${own} a cross join lateral ${newestInboxes(ctx, COUNTED_INBOXES)} i)`;
  const { day, counted, replies, bounced, inbox_id } = sendUsage;
  const sentRows = ctx.db.execute<{ day: string; sent: number; bounced: number }>(sql`
    select u.day::text as day, sum(u.sent)::int as sent, sum(u.bounced)::int as bounced
    from ${boxes} box cross join lateral (
      select ${day}, ${counted} + ${replies} as sent, ${bounced} from ${sendUsage}
      where ${inbox_id} = box.id and ${sendUsage.organization_id} = ${ctx.actor.organizationId} and ${day} >= ${dayOf(first)}::date
      order by ${inbox_id}, ${day} limit ${days.length}) u
    group by 1`);
  const receivedRows = ctx.db.execute<{ day: string; received: number }>(sql`
    select (m.created_at at time zone 'UTC')::date::text as day, count(*)::int as received
    from (
      select ${messages.created_at} from ${boxes} box join ${messages} on ${messages.inbox_id} = box.id
      where ${messages.organization_id} = ${ctx.actor.organizationId} and ${messages.direction} = 'inbound'
        and ${messages.id} >= ${lowestId(first)} and ${messages.created_at} >= ${first.toISOString()}
      limit ${RECEIVED_MAX}) m
    group by 1`);
  const [sent, received] = await Promise.all([sentRows, receivedRows]);
  const isPartial = received.reduce((sum, row) => sum + row.received, 0) >= RECEIVED_MAX;
  const data = days.map((start) => {
    const name = dayOf(start);
    const out = sent.find((row) => row.day === name);
    const come = received.find((row) => row.day === name)?.received ?? 0;
    return { day: name, sent: out?.sent ?? 0, bounced: out?.bounced ?? 0, received: isPartial ? null : come };
  });
  return { data };
}
