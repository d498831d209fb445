// The ledger of an enrollment key: the mailboxes that count against its quota, and the prepaid mailboxes.
import type { Ctx, Member } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { LAST_ID } from "../base/id-range.ts";
import { encodeId } from "../base/ids.ts";
import { findKeyId } from "./keys.ts";

type EntryRow = {
  id: string;
  kind: "mailbox" | "prepaid";
  at: Date;
  /** 1 for a mailbox; the number of mailboxes bought for a prepaid entry. */
  mailboxes: number;
  agent_id: string;
  handle: string | null;
  address: string | null;
  status: "reserved" | "live" | "deleted" | null;
  deleted_at: Date | null;
};

/** The address of a deleted mailbox that its organization uses again is the new one's (server/inboxes/create.ts). */
const SUPERSEDED = "superseded %";

function entryView(row: EntryRow) {
  const base = {
    at: row.at.toISOString(),
    mailboxes: row.mailboxes,
    agent: row.handle === null ? null : { id: encodeId("agt", row.agent_id), handle: row.handle },
  };
  if (row.kind === "prepaid" || !row.status) {
    return {
      ...base,
      kind: "prepaid" as const,
      id: encodeId("pay", row.id),
      address: null,
      status: null,
      deleted_at: null,
    };
  }
  const { address, status } = row;
  const deleted_at = row.deleted_at?.toISOString() ?? null;
  return { ...base, kind: "mailbox" as const, id: encodeId("inb", row.id), address, status, deleted_at };
}

/**
 * Prepaid mailboxes come from purchases, and from payments whose mailbox could not be created (payments/fulfil.ts): such a
 * payment has no mailbox.
 */
function prepaid({ sql, actor }: Ctx<Member>, keyId: string) {
  return sql`
    from payments p
    where p.organization_id = ${actor.organizationId} and p.enrollment_key_id = ${keyId} and p.status = 'fulfilled'
      and (p.kind = 'mailboxes' or p.inbox_id is null)`;
}

/** The quota as a sum: issued + bought = max_mailboxes, created = used_count. */
async function sums(ctx: Ctx<Member>, keyId: string) {
  const [row] = await ctx.sql<[{ max_mailboxes: number; used_count: number; created: number; bought: number }]>`
    select k.max_mailboxes, k.used_count,
      (select count(*)::int from inboxes i where i.enrollment_key_id = k.id) as created,
      (select coalesce(sum(p.mailboxes), 0)::int ${prepaid(ctx, keyId)}) as bought
    from enrollment_keys k where k.id = ${keyId}`;
  return { issued: row.max_mailboxes - row.bought, ...row };
}

/**
 * Newest first.
 * @throws ServiceError `enrollment_key_not_found`, `invalid_cursor`
 */
export async function readLedger(ctx: Ctx<Member>, input: { id: string; limit: number; cursor?: string | undefined }) {
  const { sql, actor } = ctx;
  const keyId = await findKeyId(ctx, input.id);
  const list = `ledger:${keyId}`;
  const before = input.cursor === undefined ? LAST_ID : readCursor(ctx, list, input.cursor);
  const rows = input.limit + 1;
  const [entries, quota] = await Promise.all([
    sql<EntryRow[]>`
      with entries as (
        (select i.id, 'mailbox' as kind, i.created_at as at, 1 as mailboxes, i.agent_id,
            case when i.address not like ${SUPERSEDED} then i.address end as address, i.status, i.deleted_at
          from inboxes i
          where i.enrollment_key_id = ${keyId} and i.organization_id = ${actor.organizationId} and i.id < ${before}
          order by i.id desc limit ${rows})
        union all
        (select p.id, 'prepaid', coalesce(p.completed_at, p.created_at), p.mailboxes, p.agent_id, null, null, null
          ${prepaid(ctx, keyId)} and p.id < ${before}
          order by p.id desc limit ${rows}))
      select e.*, (select a.handle from agents a where a.id = e.agent_id) as handle
      from entries e order by e.id desc limit ${rows}`,
    sums(ctx, keyId),
  ]);
  const page = toPage(ctx, list, entries, input.limit);
  return { quota, data: page.rows.map(entryView), next_cursor: page.next_cursor };
}
