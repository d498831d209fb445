// The table of mailboxes of the dashboard: each with its owner, its unread mail, its latest message, its cap and its state.
import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import { asInIndex, EVERY_INBOX } from "#db/conditions.ts";
import { agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { listEntries } from "#db/schema/lists.ts";
import { inboxes, messages, sendUsage } from "#db/schema/mail.ts";
import { reviewPolicies } from "#db/schema/reviews.ts";
import { sendingPauses, sendingStates } from "#db/schema/sending.ts";
import type { Ctx, Member } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { encodeId } from "../base/ids.ts";
import { findInbox } from "../base/tenancy.ts";
import { type StorageState, storageState } from "../inboxes/storage/state.ts";
import { hasKey } from "../keys/list-agents.ts";
import { type RecipientRow, recipientsColumn } from "../messages/columns.ts";
import { statusOf } from "../messages/view.ts";
import { capsOfToday } from "../recipients/limits/send-cap.ts";
import { findAgent } from "./agents.ts";
import { COUNTED_INBOXES, COUNTED_QUARANTINED, COUNTED_UNREAD, type SummariesInput } from "./schema.ts";

/** So many of the newest mailboxes are sorted, and searched for a part of an address; a whole address is found among all. */
const SEARCHED_INBOXES = 20_000;

type MessageRow = typeof messages.$inferSelect;
/** `last_id` null: the mailbox has no message. `handle` null: a member created it. */
type SummaryRow = Pick<
  typeof inboxes.$inferSelect,
  | "id"
  | "address"
  | "display_name"
  | "catch_all"
  | "outgoing_delay_seconds"
  | "created_at"
  | "agent_id"
  | "enrollment_key_id"
> & {
  unread: number;
  last_id: MessageRow["id"] | null;
  last_direction: MessageRow["direction"];
  last_status: MessageRow["status"];
  last_recipients: RecipientRow[] | null;
  last_from: MessageRow["from_address"];
  last_from_name: MessageRow["from_name"];
  last_subject: MessageRow["subject"];
  last_at: MessageRow["created_at"];
  handle: string | null;
  key_name: string;
  used: number;
  cap: number;
  paused: boolean;
  storage: StorageState | null;
  quarantined: number;
  review: (typeof reviewPolicies.$inferSelect)["review"];
  allow_lists: (typeof listEntries.$inferSelect)["direction"][];
};

/** @throws ServiceError `invalid_cursor`, `inbox_not_found` for `addr`, `agent_not_found` */
export async function summarizeInboxes(ctx: Ctx<Member>, { limit, cursor, q, addr, agent, sort }: SummariesInput) {
  const { actor } = ctx;
  const one = addr === undefined ? undefined : await findInbox(ctx, addr);
  const owner = agent === undefined ? undefined : await findAgent(ctx, agent);
  const part = q?.toLowerCase() ?? "";
  const by = sort === "newest" ? "" : `${sort}:`;
  const list = `inbox-summaries:${actor.organizationId}:${one?.id ?? ""}:${owner ? `${owner.id}:` : ""}${by}${part}`;
  const isMine = and(
    eq(inboxes.organization_id, actor.organizationId),
    asInIndex(eq(inboxes.status, "live")),
    one && eq(inboxes.id, one.id),
    owner && eq(inboxes.agent_id, owner.id),
  );
  const after = cursor === undefined ? undefined : readCursor(ctx, list, cursor);
  const hasTotal = after === undefined && one === undefined && part === "";
  const [rows, total] = await Promise.all([
    selectSummaries(ctx, isMine, { part, sort, after, limit: limit + 1 }),
    hasTotal ? countInboxes(ctx, isMine) : null,
  ]);
  const page = toPage(ctx, list, rows, limit);
  return { data: page.rows.map(summaryView), next_cursor: page.next_cursor, total };
}

async function countInboxes({ db }: Ctx<Member>, isMine: SQL | undefined): Promise<number> {
  const counted = db.select({ id: inboxes.id }).from(inboxes).where(isMine).limit(COUNTED_INBOXES).as("counted");
  return db.$count(counted);
}

type Wanted = { part: string; sort: SummariesInput["sort"]; after: string | undefined; limit: number };

function orderOf(sort: SummariesInput["sort"]): SQL {
  return { newest: sql`id desc`, address: sql`address`, sent: sql`used desc, id desc` }[sort];
}

/** The mailboxes of one page, in its order, with `used`: what they sent today. */
function selectPage({ actor }: Ctx<Member>, isMine: SQL | undefined, day: string, wanted: Wanted): SQL {
  const { part, sort, after, limit } = wanted;
  const isNewest = sort === "newest";
  const before = isNewest && after !== undefined ? lt(inboxes.id, after) : undefined;
  const isEach = and(isMine, before);
  const newest = sql`select * from ${inboxes} where ${isEach} order by ${inboxes.id} desc`;
  const found =
    part === ""
      ? sql`${newest} limit ${isNewest ? limit : SEARCHED_INBOXES}`
      : sql`
    (select * from (${newest} limit ${SEARCHED_INBOXES}) searched where strpos(address, ${part}) > 0
      or strpos(lower(display_name), ${part}) > 0)
    union (select * from ${inboxes} where ${eq(inboxes.address, part)} and ${isEach})`;
  const { inbox_id, day: of, counted, organization_id } = sendUsage;
  const isToday = sql`${of} = ${day} and ${organization_id} = ${actor.organizationId}`;
  const follows = {
    newest: sql`true`,
    address: sql`address > (select i.address from ${inboxes} i where i.id = ${after}
      and i.organization_id = ${actor.organizationId})`,
    sent: sql`(used, id) < (coalesce((select ${counted} from ${sendUsage} where ${inbox_id} = ${after} and ${isToday}), 0), ${after}::uuid)`,
  }[sort];
  return sql`
    select * from (
      select found.*, coalesce(${counted}, 0) as used
      from (${found}) found left join ${sendUsage} on ${inbox_id} = found.id and ${isToday}) ranked
    where ${after === undefined ? sql`true` : follows} order by ${orderOf(sort)} limit ${limit}`;
}

function selectSummaries(ctx: Ctx<Member>, isMine: SQL | undefined, wanted: Wanted) {
  const { db, actor } = ctx;
  const { day, cap } = capsOfToday(ctx);
  const { id, inbox_id, direction, status, from_address, from_name, subject, created_at, read, quarantine } = messages;
  const review = (inboxId: SQL) => sql`(select p.review from ${reviewPolicies} p
    where p.organization_id = ${actor.organizationId} and p.inbox_id = ${inboxId})`;
  // The page is called as the table, for the columns of other statements. The limits restrict each mailbox's lookups to its own rows.
  return db.execute<SummaryRow>(sql`
    with quarantined as (select ${inbox_id} from ${messages}
      where ${messages.organization_id} = ${actor.organizationId} and ${quarantine} = 'spam' order by ${id} desc limit ${COUNTED_QUARANTINED})
    select ${inboxes.id}, ${inboxes.address}, ${inboxes.display_name}, ${inboxes.catch_all}, ${inboxes.outgoing_delay_seconds}, ${inboxes.created_at},
      ${inboxes.agent_id}, ${inboxes.enrollment_key_id}, inboxes.used, ${cap} as cap, unread, last.*,
      (select ${agents.handle} from ${agents} where ${agents.id} = ${inboxes.agent_id} and ${hasKey(db)}) as handle,
      (select ${enrollmentKeys.name} from ${enrollmentKeys} where ${enrollmentKeys.id} = ${inboxes.enrollment_key_id}) as key_name,
      (exists (select from ${sendingPauses} where ${sendingPauses.target_id} = ${inboxes.id} and ${sendingPauses.cause} <> 'revocation')
        or exists (select from ${sendingStates} where ${sendingStates.inbox_id} = ${inboxes.id}
          and ${sendingStates.paused_at} is not null)) as paused,
      ${storageState(ctx.settings, actor.organizationId, sql`${inboxes.id}`)} as storage,
      (select count(*)::int from quarantined where quarantined.inbox_id = ${inboxes.id}) as quarantined,
      coalesce(${review(sql`${inboxes.id}`)}, ${review(sql`${EVERY_INBOX}::uuid`)}, 'none') as review,
      array(select d from unnest(array['send', 'receive']) d where exists (
        select from ${listEntries} where ${listEntries.inbox_id} = ${inboxes.id} and ${listEntries.direction} = d
          and ${listEntries.organization_id} = ${actor.organizationId} and ${listEntries.list} = 'allow')) as allow_lists
    from (${selectPage(ctx, isMine, day, wanted)}) inboxes
    cross join lateral (
      select count(*)::int as unread
      from (select 1 from ${messages} where ${inbox_id} = ${inboxes.id} and not ${read} and ${quarantine} is null limit ${COUNTED_UNREAD}) counted) unread
    left join lateral (
      select ${id} as last_id, ${direction} as last_direction, ${status} as last_status,
        ${recipientsColumn} as last_recipients, ${from_address} as last_from,
        ${from_name} as last_from_name, ${subject} as last_subject, ${created_at} as last_at
      from ${messages} where ${inbox_id} = ${inboxes.id} and ${quarantine} is null order by ${id} desc limit 1) last on true
    order by ${orderOf(wanted.sort)}`);
}

function summaryView(row: SummaryRow) {
  return {
    id: encodeId("inb", row.id),
    address: row.address,
    display_name: row.display_name,
    catch_all: row.catch_all,
    outgoing_delay_seconds: row.outgoing_delay_seconds,
    created_at: row.created_at.toISOString(),
    unread: row.unread,
    last_message:
      row.last_id === null
        ? null
        : {
            id: encodeId("msg", row.last_id),
            direction: row.last_direction,
            status: statusOf({ status: row.last_status, recipients: row.last_recipients }),
            from: row.last_from,
            from_name: row.last_from_name,
            subject: row.last_subject,
            at: row.last_at.toISOString(),
          },
    agent: row.handle === null ? null : { id: encodeId("agt", row.agent_id), handle: row.handle },
    enrollment_key: { id: encodeId("ekey", row.enrollment_key_id), name: row.key_name },
    sent_today: row.used,
    cap: row.cap,
    paused: row.paused,
    storage: row.storage,
    quarantined: row.quarantined,
    review: row.review,
    allow_lists: row.allow_lists,
  };
}
