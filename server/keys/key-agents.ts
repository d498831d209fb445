// The agents of an enrollment key with their agent keys, newest first, without secrets.
import type { Ctx, Member, Scope } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { encodeId } from "../base/ids.ts";
import { findKeyId } from "./keys.ts";

/** Of one agent: those that work first, then the newest. An agent that enrols at each start has many. */
const KEYS_MAX = 20;
/** Addresses of one agent key's restriction. */
const ADDRESSES_MAX = 50;

type AgentRow = { id: string; handle: string; name: string | null; created_at: Date; inboxes: number };
type AgentKeyRow = {
  id: string;
  agent_id: string;
  scopes: Scope[];
  inbox_count: number | null;
  addresses: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
  active: boolean;
  of: number;
};

function agentKeyView(row: AgentKeyRow) {
  return {
    id: encodeId("akey", row.id),
    scopes: row.scopes,
    /** Null: every inbox of the organization. */
    inboxes: row.inbox_count === null ? null : { count: row.inbox_count, addresses: row.addresses },
    active: row.active,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

function selectAgentKeys({ sql, now }: Ctx<Member>, agentIds: string[]) {
  return sql<AgentKeyRow[]>`
    select k.* from unnest(${agentIds}::uuid[]) as agent(id), lateral (
      select ak.id, ak.agent_id, ak.scopes, cardinality(ak.inbox_ids) as inbox_count,
        array(
          select i.address from inboxes i where i.id = any(ak.inbox_ids) and i.status = 'live'
          order by i.id limit ${ADDRESSES_MAX}) as addresses,
        ak.expires_at, ak.revoked_at, ak.created_at,
        ak.revoked_at is null and (ak.expires_at is null or ak.expires_at > ${now()}) and exists (
          select from agents a join enrollment_keys e on e.id = a.enrollment_key_id
          where a.id = ak.agent_id and e.revoked_at is null) as active,
        count(*) over ()::int as of
      from agent_keys ak where ak.agent_id = agent.id
      order by active desc, ak.id desc limit ${KEYS_MAX}) k`;
}

/** @throws ServiceError `enrollment_key_not_found`, `invalid_cursor` */
export async function listAgents(ctx: Ctx<Member>, input: { id: string; limit: number; cursor?: string | undefined }) {
  const { sql, actor } = ctx;
  const keyId = await findKeyId(ctx, input.id);
  const list = `agents:${keyId}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const rows = await sql<Omit<AgentRow, "inboxes">[]>`
    select id, handle, name, created_at from agents
    where enrollment_key_id = ${keyId} and organization_id = ${actor.organizationId}
      ${before ? sql`and id < ${before}` : sql``}
    order by id desc limit ${input.limit + 1}`;
  const page = toPage(ctx, list, rows, input.limit);
  const ids = page.rows.map(({ id }) => id);
  const [made, keys] = await Promise.all([
    sql<{ agent_id: string; inboxes: number }[]>`
      select agent_id, count(*)::int as inboxes from inboxes
      where enrollment_key_id = ${keyId} and agent_id = any(${ids}) group by agent_id`,
    selectAgentKeys(ctx, ids),
  ]);
  const inboxes = new Map(made.map((row) => [row.agent_id, row.inboxes]));
  const ofAgent = Map.groupBy(keys, ({ agent_id }) => agent_id);
  const data = page.rows.map((row) => {
    const own = ofAgent.get(row.id) ?? [];
    return {
      id: encodeId("agt", row.id),
      handle: row.handle,
      name: row.name,
      created_at: row.created_at.toISOString(),
      inboxes: inboxes.get(row.id) ?? 0,
      key_count: own[0]?.of ?? 0,
      keys: own.map(agentKeyView),
    };
  });
  return { data, next_cursor: page.next_cursor };
}
