// Queues messages that arrive together in one transaction. It takes only messages that no limit and no list can refuse; the
// others, and the whole batch if another process takes a limit first, are left to queue.ts, which knows every case.
import { type SQL, sql } from "drizzle-orm";
import type { Change } from "#db/activity-parts.ts";
import type { Transaction } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import { type Recorder, recordEach, recorderOf } from "../activity/record.ts";
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { isDatabaseLate, isOfOneItem, ServiceError } from "../base/errors.ts";
import type { InboxRow } from "../base/tenancy.ts";
import { fitsStorage, insertStorage, storageQuotas, storedBytes } from "../inboxes/storage/count.ts";
import { searchVector } from "../receiving/search-index.ts";
import { ageInDays } from "../recipients/limits/ramp.ts";
import { distinct } from "../recipients/limits/send-cap.ts";
import {
  addedTotals,
  countedColumns,
  fitsCap,
  fitsTotals,
  insertTotals,
  insertUsage,
  insertWindows,
  maySend,
} from "../recipients/limits/take-batch.ts";
import { registrable } from "../recipients/limits/totals.ts";
import { entriesOf } from "../recipients/lists/entry.ts";
import { mayRefuse } from "../recipients/lists/rules.ts";
import { hasSuppressed } from "../recipients/suppressions/check.ts";
import { firstAttempt } from "./first-attempt.ts";
import { PLAIN_COLUMNS, type PlainRow } from "./outgoing.ts";
import { mayWait } from "./reviews/policy.ts";

declare module "../base/context.ts" {
  interface Services {
    /** Messages that arrive together share a transaction. */
    queuing: GroupCommit<Plain, Outcome>;
  }
}

const BATCH_MESSAGES = 64;
const BATCH_BYTES = 1024 * 1024;
const BATCHES_IN_FLIGHT = 1;
/** A larger message is queued alone, so that small ones do not wait for it. */
const LARGE_BYTES = 64 * 1024;
/** Undoes a batch of which another process took a limit. */
const TAKEN = new Error("another process took a limit first");

/** The columns that are stored as they are: their names, alone and of `m`, and with their types. */
const columns = Object.entries(PLAIN_COLUMNS);
const NAMES = sql.raw(columns.map(([name]) => name).join(", "));
const OF_M = sql.raw(columns.map(([name]) => `m.${name}`).join(", "));
const TYPED = sql.raw(columns.map(([name, type]) => `${name} ${type}`).join(", "));

/** `addresses`: the recipients, each once, in lower case. `entries`: those of lists that cover them. */
type Plain = {
  inbox: InboxRow;
  row: PlainRow;
  addresses: string[];
  entries: string[];
  by_member: boolean;
  by: Recorder | undefined;
};
/** `alone`: queue.ts must queue or refuse it. */
type Outcome = "queued" | "alone" | { error: unknown };
type Needs = Pick<Services, "db" | "settings" | "now" | "signals">;

export function createQueuing(services: Needs): Services["queuing"] {
  return groupCommit(services, (batch: Plain[]) => queueBatch(services, batch), {
    items: BATCH_MESSAGES,
    weight: BATCH_BYTES,
    inFlight: BATCHES_IN_FLIGHT,
    weigh: ({ row }) => row.size,
  });
}

/** @returns whether it was queued; if not, nothing was stored, and it must be queued or refused alone */
export async function queueInBatch(ctx: Ctx<Caller>, { inbox, row }: Pick<Plain, "inbox" | "row">): Promise<boolean> {
  if (row.size > LARGE_BYTES) return false;
  const addresses = distinct(row.recipients);
  const entries = [...new Set(addresses.flatMap(entriesOf))];
  const outcome = await ctx.queuing.add({
    inbox,
    row,
    addresses,
    entries,
    by_member: ctx.actor.kind === "member",
    by: recorderOf(ctx),
  });
  if (typeof outcome === "object") throw outcome.error;
  return outcome === "queued";
}

async function queueBatch(services: Needs, batch: Plain[]): Promise<Outcome[]> {
  try {
    const queued = await services.db.transaction((tx) => writeBatch(services, tx, batch));
    if (queued.size > 0) services.signals.raise("outbound");
    return batch.map(({ row }) => (queued.has(row.id) ? "queued" : "alone"));
  } catch (error) {
    if (isDatabaseLate(error)) throw error;
    // Of a key that was revoked: the other messages of the batch are queued alone.
    const isRevoked = error instanceof ServiceError && error.code === "unauthorized";
    const isWorthRepeating = error === TAKEN || isRevoked || isOfOneItem(error);
    return batch.map(() => (isWorthRepeating ? "alone" : { error }));
  }
}

type Written = { ids: string[]; mailboxes: number; windows: number; days: number; added: number; totals: number };
const NOTHING: Written = { ids: [], mailboxes: 0, windows: 0, days: 0, added: 0, totals: 0 };

/** @returns the ids of the stored messages. In the order of all locks: mailboxes, messages, windows, days, totals, storage. */
async function writeBatch(services: Needs, tx: Transaction, batch: Plain[]): Promise<Set<string>> {
  const [written] = await tx.execute<Written>(statementOf(services, batch));
  const { ids, mailboxes, windows, days, added, totals } = written ?? NOTHING;
  if (windows !== mailboxes || days !== mailboxes || totals !== added) throw TAKEN;
  const queued = new Set(ids);
  const recorded = batch.flatMap(({ by, row }) =>
    by && queued.has(row.id) ? [{ by, inbox_id: row.inbox_id, changes: [sendOf(row.id)] }] : [],
  );
  await recordEach(tx, services, recorded);
  return queued;
}

/** What the activity of a key has of a send. */
export function sendOf(id: string): Change {
  return { kind: "send", id, before: null, after: {} };
}

function statementOf(services: Needs, batch: Plain[]): SQL {
  const at = services.now();
  const rows = batch.map(({ inbox, row, by: _by, ...rest }, n) => {
    const domain = registrable(inbox.domain);
    return { ...row, ...rest, n, domain, age: ageInDays(inbox, at), bytes: storedBytes(row.size) };
  });
  const mailboxes = [...new Set(batch.map(({ inbox }) => inbox.id))];
  const isTraced = batch.some(({ row }) => row.traceparent);
  return sql`
    with m as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(n int, ${TYPED}, fingerprint text,
        words text, recipients text[], addresses text[], entries text[], by_member boolean, domain text, age int,
        bytes bigint${isTraced ? sql`, traceparent text` : sql``})
    ), live as materialized (
      select i.id from ${inboxes} i where i.id = any(${sql.param(mailboxes)}::uuid[]) and i.status = 'live' for share
    ), ${fitting(services)}, new_messages as (
      ${insertMessages(at, isTraced)}
    ), new_threads as (
      insert into threads (id, organization_id, inbox_id, subject, last_message_id, created_at)
      select m.thread_id, m.organization_id, m.inbox_id, m.subject, m.id, ${at.toISOString()}::timestamptz
      from new_messages join m using (id)
    ), new_recipients as (
      insert into message_recipients (message_id, index, organization_id, inbox_id, address, status)
      select m.id, r.place - 1, m.organization_id, m.inbox_id, r.address, 'queued'
      from new_messages join m using (id) cross join lateral unnest(m.recipients) with ordinality as r(address, place)
    ), windows as (${insertWindows()}), days as (${insertUsage(services)}),
    added_totals as materialized (${addedTotals()}), totals as (${insertTotals(services)}),
    storage as (${insertStorage(storageQuotas(services.settings))})
    select (select coalesce(json_agg(id), '[]') from new_messages) as ids,
      (select count(distinct inbox_id)::int from new_messages) as mailboxes,
      (select count(*)::int from windows) as windows, (select count(*)::int from days) as days,
      (select count(*)::int from added_totals) as added, (select count(*)::int from totals) as totals`;
}

/** The CTE `fit` and the CTEs that it needs: the messages that nothing can refuse, each with the messages before it in the batch. */
function fitting(services: Needs): SQL {
  const { counts, columns } = countedColumns(services);
  return sql`looked as materialized (
      select m.n, m.id, m.organization_id, m.inbox_id, m.domain, m.bytes, ${columns}
      from m join live on live.id = m.inbox_id ${counts}
      where not ${hasSuppressed()} and not ${mayRefuse()} and (m.by_member or not ${mayWait()}) and ${maySend()}
    ), sums as (
      select looked.*, sum(counted) over inbox as counted_sum, sum(replies) over inbox as replies_sum,
        sum(bytes) over inbox as bytes_in_inbox, sum(bytes) over organization as bytes_in_organization,
        sum(counted) over organization as counted_in_organization,
        sum(counted) over (partition by organization_id, domain order by n) as counted_in_domain
      from looked window inbox as (partition by inbox_id order by n), organization as (partition by organization_id order by n)
    ), fit as materialized (
      select s.* from sums s where ${fitsCap(services)} and ${fitsTotals(services)}
        and ${fitsStorage(storageQuotas(services.settings))}
    )`;
}

/** In order of mailboxes and keys, so that two processes cannot wait for each other. A repeated key inserts nothing. */
function insertMessages(at: Date, isTraced: boolean): SQL {
  const [column, value] = isTraced ? [sql`, traceparent`, sql`, m.traceparent`] : [sql``, sql``];
  const sender = { inbox_id: sql`m.inbox_id`, organization_id: sql`m.organization_id`, sent_by: sql`m.sent_by` };
  return sql`
    insert into messages (${NAMES}, direction, status, references_ids, read, attachments, search,
      idempotency_hash, next_attempt_at, created_at${column})
    select ${OF_M}, 'outbound', 'queued', '{}', true, '[]',
      ${searchVector({ organization_id: sql`m.organization_id`, inbox_id: sql`m.inbox_id` }, sql`m.words`)}, decode(m.fingerprint, 'hex'),
      ${firstAttempt(sender, at)}, ${at.toISOString()}::timestamptz${value}
    from fit join m using (id) order by m.inbox_id, m.idempotency_key, m.n
    on conflict do nothing returning id, inbox_id`;
}
