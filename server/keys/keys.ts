// The enrollment keys of an organization as its members see them: a page, or one with what its revocation would stop.
import type { Fragment } from "postgres";
import type { Ctx, Member } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { FIRST_ID, readTime } from "../base/id-range.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { revokeAgentKey } from "./agent-keys.ts";
import { issueEnrollmentKey, revokeEnrollmentKey } from "./enrollment-keys.ts";
import { createdLately, forecast, statusOf } from "./usage.ts";

export type IssueInput = {
  name: string;
  max_mailboxes: number;
  allowed_domains?: string[] | undefined;
  expires_at?: string | undefined;
};
export type KeyRow = {
  id: string;
  name: string;
  max_mailboxes: number;
  used_count: number;
  prepaid: number;
  allowed_domains: string[];
  expires_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
};
type CountedKey = KeyRow & { agents: number; active_agent_keys: number; live_inboxes: number };

/** Of `agent_keys ak`: whether it opens anything, as far as the key itself says. */
function isActive({ sql, now }: Ctx<Member>): Fragment {
  return sql`ak.revoked_at is null and (ak.expires_at is null or ak.expires_at > ${now()})`;
}

/** Counted by sub-selects, so that each key costs look-ups in indexes and never a join. */
function selectKeys(ctx: Ctx<Member>, condition: Fragment, limit: number) {
  const { sql, actor } = ctx;
  return sql<CountedKey[]>`
    select k.id, k.name, k.max_mailboxes, k.used_count, k.prepaid, k.allowed_domains, k.expires_at, k.revoked_at, k.created_at,
      (select count(*)::int from agents a where a.enrollment_key_id = k.id) as agents,
      case when k.revoked_at is not null then 0 else (
        select coalesce(sum((select count(*) from agent_keys ak where ak.agent_id = a.id and ${isActive(ctx)})), 0)::int
        from agents a where a.enrollment_key_id = k.id) end as active_agent_keys,
      (select count(*)::int from inboxes i where i.enrollment_key_id = k.id and i.status = 'live') as live_inboxes
    from enrollment_keys k
    where k.organization_id = ${actor.organizationId} ${condition} order by k.id desc limit ${limit}`;
}

/** What is left out stays with the service: the secret's hash, the scopes' ceiling. */
export function keyView(row: KeyRow, created: number, now: Date) {
  return {
    id: encodeId("ekey", row.id),
    name: row.name,
    status: statusOf(row, now),
    max_mailboxes: row.max_mailboxes,
    used_count: row.used_count,
    ...forecast(row, created, now),
    expires_at: row.expires_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

async function views(ctx: Ctx<Member>, rows: CountedKey[]) {
  const lately = await createdLately(
    ctx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...keyView(row, lately.get(row.id) ?? 0, ctx.now()),
    prepaid: row.prepaid,
    allowed_domains: row.allowed_domains,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    agents: row.agents,
    active_agent_keys: row.active_agent_keys,
    live_inboxes: row.live_inboxes,
  }));
}

/**
 * Newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listKeys(ctx: Ctx<Member>, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
  const list = `enrollment keys:${ctx.actor.organizationId}`;
  const before = cursor === undefined ? undefined : readCursor(ctx, list, cursor);
  const condition = before ? ctx.sql`and k.id < ${before}` : ctx.sql``;
  const page = toPage(ctx, list, await selectKeys(ctx, condition, limit + 1), limit);
  return { data: await views(ctx, page.rows), next_cursor: page.next_cursor };
}

/**
 * The UUID of an enrollment key of the organization.
 * @throws ServiceError `enrollment_key_not_found`, the same for what never existed and what is another organization's
 */
export async function findKeyId({ actor, sql }: Ctx<Member>, wireId: string): Promise<string> {
  const id = decodeId("ekey", wireId) ?? FIRST_ID;
  const [row] = await sql<{ id: string }[]>`
    select id from enrollment_keys where id = ${id} and organization_id = ${actor.organizationId}`;
  if (!row) throw new ServiceError("enrollment_key_not_found", "There is no such enrollment key.");
  return row.id;
}

/**
 * Counts the live inboxes of the key that no agent of another key may read: after the revocation only members see their mail.
 * An agent key without a list of inboxes reads all of the organization's.
 */
async function countOrphaned(ctx: Ctx<Member>, keyId: string): Promise<number> {
  const { sql, actor } = ctx;
  const [row] = await sql<[{ orphaned: number }]>`
    with others as materialized (
      select ak.inbox_ids from enrollment_keys k
      join agents a on a.enrollment_key_id = k.id
      join agent_keys ak on ak.agent_id = a.id
      where k.organization_id = ${actor.organizationId} and k.id <> ${keyId} and k.revoked_at is null
        and 'mailbox:read' = any(ak.scopes) and ${isActive(ctx)})
    select case when exists (select from others where inbox_ids is null) then 0 else (
      select count(*)::int from inboxes i
      where i.enrollment_key_id = ${keyId} and i.status = 'live'
        and i.id not in (select unnest(inbox_ids) from others)) end as orphaned`;
  return row.orphaned;
}

/** @throws ServiceError `enrollment_key_not_found` */
export async function getKey(ctx: Ctx<Member>, wireId: string) {
  const id = await findKeyId(ctx, wireId);
  const [rows, orphaned] = await Promise.all([selectKeys(ctx, ctx.sql`and k.id = ${id}`, 1), countOrphaned(ctx, id)]);
  const [view] = await views(ctx, rows);
  if (!view) throw new Error(`the enrollment key ${id} has gone`);
  const { agents, active_agent_keys, live_inboxes } = view;
  return { ...view, stops: { agents, agent_keys: active_agent_keys, live_inboxes, orphaned_inboxes: orphaned } };
}

/**
 * @returns what `getKey` gives, and `key`, the bearer token `mb_enroll_…`, which is shown nowhere else
 * @throws ServiceError `invalid_request`
 */
export async function issueKey(ctx: Ctx<Member>, input: IssueInput) {
  const expiresAt = input.expires_at === undefined ? undefined : readTime(input.expires_at);
  if (expiresAt && expiresAt <= ctx.now()) {
    const issue = { path: "expires_at", message: "This time has passed." };
    throw new ServiceError("invalid_request", `expires_at: ${issue.message}`, { issues: [issue] });
  }
  const issued = await issueEnrollmentKey(ctx, {
    name: input.name,
    maxMailboxes: input.max_mailboxes,
    allowedDomains: input.allowed_domains,
    expiresAt,
  });
  return { ...(await getKey(ctx, issued.id)), key: issued.key };
}

/**
 * Within a second every agent that was enrolled with the key is refused.
 * @throws ServiceError `enrollment_key_not_found`
 */
export async function revokeKey(ctx: Ctx<Member>, wireId: string) {
  const { id } = await revokeEnrollmentKey(ctx, wireId);
  return getKey(ctx, id);
}

/** @throws ServiceError `agent_key_not_found` */
export async function revokeOneAgentKey(ctx: Ctx<Member>, wireId: string) {
  const { id, revoked_at } = await revokeAgentKey(ctx, wireId);
  return { id, revoked_at: revoked_at ?? ctx.now().toISOString() };
}
