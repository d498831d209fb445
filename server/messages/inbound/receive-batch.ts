// Stores a batch of mails in one transaction with two statements: one reads the current state, the other writes the
// plan.
import { isAscii } from "node:buffer";
import type { Services } from "../../base/context.ts";
import { isDatabaseLate } from "../../base/errors.ts";
import {
  EVENT_KIND,
  insertEvents,
  type StoredEvent,
  stored,
  type TakenPosition,
  takePositions,
} from "../../events/record.ts";
import { countStorage, isOverQuota, storageColumns, storageQuotas, storedBytes } from "../../inboxes/storage.ts";
import { insertDeliveries } from "../../webhooks/delivery/insert-deliveries.ts";
import {
  type Hook,
  type Inbox,
  type Known,
  type Plan,
  type PreparedMail,
  planMail,
  type ReceiveOutcome,
  threadReferences,
} from "./receive-plan.ts";

/** SQLSTATE classes that one bad mail, or a conflict between two mails, can cause: each mail is retried alone. */
const WORTH_REPEATING = /^(21|22|23|40|54)/;
/** A batch is planned again if one of its mailboxes was deleted, or another process used up its quota. */
const DECISIONS = 5;

/** As JSON: secrets in hex, times as text. */
type HookRow = Pick<Hook, "inbox_id" | "webhook_id" | "organization_id" | "url"> & {
  secret: string;
  previous_secret: string | null;
  previous_secret_expires_at: string | null;
};

type KnownRow = {
  inboxes: (Inbox & { stored: number; organization_stored: number })[];
  hooks: HookRow[];
  duplicates: { inbox_id: string; key: string; id: string; created_at: string }[];
  threads: { inbox_id: string; rfc_message_id: string; thread_id: string }[];
};

function hookOf(row: HookRow, read_at: number): Hook {
  const { secret, previous_secret, previous_secret_expires_at: until } = row;
  return {
    ...row,
    secret: Buffer.from(secret, "hex"),
    previous_secret: previous_secret === null ? null : Buffer.from(previous_secret, "hex"),
    previous_secret_expires_at: until === null ? null : new Date(until),
    read_at,
  };
}

// `offset 0` keeps the lookups by key separate from the mailboxes: joined, they might be planned as a scan of whole
// mailboxes.
async function readKnown({ sql, settings }: StoreNeeds, mails: PreparedMail[]): Promise<Known> {
  const addresses = new Set<string>();
  const keys = new Set<string>();
  const references = new Set<string>();
  for (const mail of mails) {
    for (const address of mail.mailboxes.keys()) addresses.add(address);
    if (mail.duplicateKey !== null) keys.add(mail.duplicateKey);
    for (const value of threadReferences(mail.summary)) references.add(value);
  }
  const list = [...addresses];
  const read_at = performance.now();
  const [row] = await sql<[KnownRow]>`
    select
      (select coalesce(json_agg(x), '[]') from (
        select i.id, i.organization_id, i.address, ${storageColumns(sql)} from inboxes i
        where address = any(${list}::text[]) and status = 'live') x) as inboxes,
      (select coalesce(json_agg(x), '[]') from (
        select i.id as inbox_id, w.id as webhook_id, w.organization_id, w.url, encode(w.secret, 'hex') as secret,
          encode(w.previous_secret, 'hex') as previous_secret, w.previous_secret_expires_at
        from inboxes i join webhooks w on w.organization_id = i.organization_id
        where i.address = any(${list}::text[]) and (w.inbox_id is null or w.inbox_id = i.id)
          and w.active and ${EVENT_KIND}::text = any(w.events)) x) as hooks,
      (select coalesce(json_agg(x), '[]') from (
        select inbox_id, encode(duplicate_key, 'hex') as key, id, created_at from (
          select * from messages
          where duplicate_key = any(array(select decode(k, 'hex') from unnest(${[...keys]}::text[]) k)) offset 0) m
        where inbox_id in (select id from inboxes where address = any(${list}::text[]))) x) as duplicates,
      (select coalesce(json_agg(x order by x.id), '[]') from (
        select id, inbox_id, rfc_message_id, thread_id from (
          select * from messages where rfc_message_id = any(${[...references]}::text[]) offset 0) m
        where inbox_id in (select id from inboxes where address = any(${list}::text[]))) x) as threads`;
  const hooks = row.hooks.map((hook) => hookOf(hook, read_at));
  return {
    inboxes: new Map(row.inboxes.map((inbox) => [inbox.address, inbox])),
    stored: new Map(
      row.inboxes.flatMap(({ id, organization_id, stored, organization_stored }) => [
        [id, stored],
        [organization_id, organization_stored],
      ]),
    ),
    quotas: storageQuotas(settings),
    hooks: Map.groupBy(hooks, (hook) => hook.inbox_id),
    duplicates: new Map(
      row.duplicates.map(({ inbox_id, key, id, created_at }) => {
        return [`${inbox_id} ${key}`, { id, created_at: new Date(created_at) }];
      }),
    ),
    threads: new Map(row.threads.map((each) => [`${each.inbox_id} ${each.rfc_message_id}`, each.thread_id])),
  };
}

/**
 * Sends raw mails as one text that the server splits, which was the fastest encoding that postgres.js supports. Other
 * than plain ASCII is sent as base64.
 */
function joinRaw(messages: Plan["messages"]) {
  const starts = new Map<Buffer, number>();
  let end = 1;
  for (const { raw } of messages) {
    if (starts.has(raw)) continue;
    starts.set(raw, end);
    end += raw.length;
  }
  const all = Buffer.concat([...starts.keys()]);
  const plain = isAscii(all) && !all.includes(0);
  const slices = messages.map(({ id, organization_id, raw }) => ({
    id,
    organization_id,
    start: starts.get(raw),
    size: raw.length,
  }));
  return { plain, text: all.toString(plain ? "latin1" : "base64"), slices: JSON.stringify(slices) };
}

/**
 * @returns the positions of the events; undefined, without a write, if a mailbox is no longer live. A concurrent delete
 * is waited for; a later one waits for this transaction
 */
async function writePlan({ sql, settings }: StoreNeeds, plan: Plan, leased: number, now: Date) {
  // Outside the transaction: a key as old as the window has no effect.
  if (plan.stale.length > 0) await sql`update messages set duplicate_key = null where id = any(${plan.stale}::uuid[])`;
  const inboxes = [...new Set(plan.messages.map((row) => row.inbox_id))];
  const gated = sql`(select live from gate)`;
  const raw = joinRaw(plan.messages);
  const added = plan.messages.map(({ organization_id, inbox_id, raw }) => {
    return { organization_id, inbox_id, bytes: storedBytes(raw.length) };
  });
  const messages = JSON.stringify(plan.messages.map((row) => ({ ...row, raw: undefined })));
  const [row] = await sql<[{ live: boolean; positions: TakenPosition[] | null }]>`
    with locked as materialized (
      select id from inboxes where id = any(${inboxes}::uuid[]) and status = 'live' for share
    ), gate as materialized (
      select count(*) = ${inboxes.length}::int as live from locked
    ), new_threads as (
      insert into threads (id, organization_id, inbox_id, subject, last_message_id, created_at)
      select id, organization_id, inbox_id, subject, last_message_id, ${now}::timestamptz
      from json_to_recordset(${JSON.stringify([...plan.threads.values()])}::text::json)
        as r(id uuid, organization_id uuid, inbox_id uuid, subject text, last_message_id uuid)
      where ${gated} order by id
      -- One that is there, or was deleted a moment ago, has a newer message now.
      on conflict (id) do update set last_message_id = greatest(threads.last_message_id, excluded.last_message_id)
      returning 1
    ), counted as (
      -- After the threads, and before the positions: the order in which everything is locked.
      ${countStorage(sql, added, storageQuotas(settings), sql`${gated} and (select count(*) from new_threads) >= 0`)}
    ), new_messages as (
      insert into messages (id, organization_id, inbox_id, thread_id, direction, status, from_address, from_name,
        to_addresses, cc_addresses, bcc_addresses, reply_to, subject, rfc_message_id, in_reply_to, references_ids,
        attachments, size, envelope_from, envelope_to, remote_ip, helo, duplicate_key, next_attempt_at, created_at)
      select id, organization_id, inbox_id, thread_id, 'inbound', 'received', from_address, from_name,
        to_addresses, cc_addresses, '{}', reply_to, subject, rfc_message_id, in_reply_to, references_ids,
        '[]', size, envelope_from, envelope_to, remote_ip, helo, decode(duplicate_key, 'hex'), ${now}::timestamptz,
        ${now}::timestamptz
      from json_to_recordset(${messages}::text::json) as r(id uuid, organization_id uuid, inbox_id uuid, thread_id uuid,
        from_address text, from_name text, to_addresses text[], cc_addresses text[], reply_to text[], subject text,
        rfc_message_id text, in_reply_to text, references_ids text[], size bigint, envelope_from text,
        envelope_to text, remote_ip text, helo text, duplicate_key text)
      where ${gated}
    ), new_raw as (
      -- The sub-select runs once for all rows.
      insert into raw_messages (message_id, organization_id, bytes)
      select id, organization_id, substring((
          select case when ${raw.plain}::boolean then convert_to(${raw.text}::text, 'UTF8')
            else decode(${raw.text}::text, 'base64') end) from start for size)
      from json_to_recordset(${raw.slices}::text::json) as r(id uuid, organization_id uuid, start int, size int)
      where ${gated}
    ), positions as (
      ${takePositions(sql, plan.events, sql`${gated} and (select count(*) from counted) >= 0`)}
    ), new_events as (
      ${insertEvents(sql, plan.events, now)}
    ), new_deliveries as (
      ${insertDeliveries(sql, plan.deliveries, leased, now, gated)}
    )
    select live, (select json_agg(positions) from positions) as positions from gate`;
  return row.live ? (row.positions ?? []) : undefined;
}

function sqlState(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export type StoreNeeds = Pick<Services, "sql" | "settings" | "now" | "log" | "signals" | "dispatcher" | "feed">;
export type Failure = { outcome: "failed"; error: unknown };

/** Never throws: the mails are stored, and the worker's poll finds what could not be announced. */
function announce(services: StoreNeeds, plan: Plan, leased: number, events: StoredEvent[]): void {
  const { signals, dispatcher, feed, log } = services;
  try {
    feed.publish(events);
    if (plan.messages.length > 0) signals.raise("bodies");
    if (leased > 0) dispatcher.take(plan.deliveries.slice(0, leased));
    if (plan.deliveries.length > leased) signals.raise("deliveries");
  } catch (error) {
    log.error({ error }, "could not announce committed mail; the poll will find it");
  }
}

async function commitBatch(services: StoreNeeds, mails: PreparedMail[]): Promise<ReceiveOutcome[]> {
  const now = services.now();
  for (let decision = 0; decision < DECISIONS; decision += 1) {
    const plan: Plan = { threads: new Map(), messages: [], events: [], deliveries: [], stale: [] };
    const known = await readKnown(services, mails);
    const outcomes = mails.map((mail) => planMail(plan, known, mail, now));
    if (plan.messages.length === 0) return outcomes;
    const leased = Math.max(0, Math.min(services.dispatcher.room(), plan.deliveries.length));
    const positions = await writePlan(services, plan, leased, now).catch((error) => {
      if (!isOverQuota(error)) throw error;
      // Another process used up the quota; the next plan includes that.
    });
    if (!positions) continue;
    announce(services, plan, leased, stored(plan.events, positions, now));
    return outcomes;
  }
  throw new Error("mailboxes were deleted or filled faster than their mail could be planned");
}

/**
 * Stores a batch, and after the commit passes its deliveries to this process as far as it has room, otherwise to any.
 * @returns one outcome per mail; the same Error for each if the database is unavailable, because retrying each mail
 * would not help
 * @throws if one of the mails may be the cause, or the database did not answer in time: see `groupCommit`
 */
export async function storeBatch(services: StoreNeeds, mails: PreparedMail[]): Promise<(ReceiveOutcome | Failure)[]> {
  try {
    return await commitBatch(services, mails);
  } catch (error) {
    if (WORTH_REPEATING.test(sqlState(error)) || isDatabaseLate(error)) throw error;
    return mails.map(() => ({ outcome: "failed", error }));
  }
}
