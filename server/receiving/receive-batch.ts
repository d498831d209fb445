// Stores a batch of mails: one statement reads the current state, another one, which is the transaction, writes the plan.
import type { Services } from "../base/context.ts";
import { isDatabaseLate, isOfOneItem } from "../base/errors.ts";
import { type StoredRaws, storeRaws } from "../blobs/store.ts";
import { insertEvents, type StoredEvent, stored, type TakenPosition, takePositions } from "../events/record.ts";
import { countStorage, isOverQuota, storageQuotas, storedBytes } from "../inboxes/storage/count.ts";
import { insertDeliveries } from "../webhooks/delivery/insert-deliveries.ts";
import { insertKept, insertMessages, insertRaw, insertThreads } from "./plan-statements.ts";
import { readKnown } from "./receive-known.ts";
import { type Plan, type PlannedMessage, type PreparedMail, planMail, type StoreOutcome } from "./receive-plan.ts";

/** A batch is planned again if one of its mailboxes was deleted, or another process used up its quota. */
const DECISIONS = 5;

export type StoreNeeds = Pick<
  Services,
  "sql" | "db" | "blobs" | "settings" | "now" | "log" | "signals" | "dispatcher" | "feed" | "parsing"
>;
export type Failure = { outcome: "failed"; error: unknown };

/** What this process takes into memory: the first deliveries, and the mails that it parses. */
type Leased = { deliveries: number; mails: Set<PlannedMessage> };

/** `kept`: where the raw bytes are, if not in the rows. */
type Written = { leased: Leased; kept: StoredRaws | undefined };

/**
 * @returns the positions of the events; undefined, without a write, if a mailbox is no longer live. A concurrent delete
 * is waited for; a later one waits for this transaction
 */
async function writePlan({ sql, settings }: StoreNeeds, plan: Plan, { leased, kept }: Written, now: Date) {
  // Outside the transaction: a key as old as the window has no effect.
  if (plan.stale.length > 0) await sql`update messages set duplicate_key = null where id = any(${plan.stale}::uuid[])`;
  const inboxes = [...new Set(plan.messages.map((row) => row.inbox_id))];
  const gated = sql`(select live from gate)`;
  const added = plan.messages.map(({ organization_id, inbox_id, raw }) => {
    return { organization_id, inbox_id, bytes: storedBytes(raw.length) };
  });
  const [row] = await sql<[{ live: boolean; positions: TakenPosition[] | null }]>`
    with locked as materialized (
      select id from inboxes where id = any(${inboxes}::uuid[]) and status = 'live' for share
    ), gate as materialized (
      select count(*) = ${inboxes.length}::int as live from locked
    ), new_threads as (
      ${insertThreads(sql, plan.threads, gated, now)}
    ), counted as (
      -- After the threads, and before the positions: the order in which everything is locked.
      ${countStorage(sql, added, storageQuotas(settings), sql`${gated} and (select count(*) from new_threads) >= 0`)}
    ), new_messages as (
      ${insertMessages(sql, { messages: plan.messages, leased: leased.mails }, gated, now)}
    ), new_raw as (
      -- The sub-select runs once for all rows.
      ${kept ? insertKept(sql, plan.messages, kept, gated) : insertRaw(sql, plan.messages, gated)}
    ), positions as (
      ${takePositions(sql, plan.events, sql`${gated} and (select count(*) from counted) >= 0`)}
    ), new_events as (
      ${insertEvents(sql, plan.events, now)}
    ), new_deliveries as (
      ${insertDeliveries(sql, plan.deliveries, { leased: leased.deliveries, now }, gated)}
    )
    select live, (select json_agg(positions) from positions) as positions from gate`;
  return row.live ? (row.positions ?? []) : undefined;
}

function leaseHere({ dispatcher, parsing }: StoreNeeds, { deliveries, messages }: Plan): Leased {
  return {
    deliveries: Math.max(0, Math.min(dispatcher.room(), deliveries.length)),
    mails: parsing.hold(messages),
  };
}

/** Never throws: the mails are stored, and the worker's poll finds what could not be announced. */
function announce(services: StoreNeeds, plan: Plan, leased: Leased, events: StoredEvent[]): void {
  const { signals, dispatcher, feed, log, parsing } = services;
  try {
    // First, so that a wait that an event ends finds its mail in progress.
    if (leased.mails.size > 0) parsing.take(leased.mails);
    feed.publish(events);
    if (plan.messages.length > leased.mails.size) signals.raise("bodies");
    if (leased.deliveries > 0) dispatcher.take(plan.deliveries.slice(0, leased.deliveries));
    if (plan.deliveries.length > leased.deliveries) signals.raise("deliveries");
  } catch (error) {
    log.error({ error }, "could not announce committed mail; the poll will find it");
  }
}

async function commitBatch(services: StoreNeeds, mails: PreparedMail[]): Promise<StoreOutcome[]> {
  const now = services.now();
  const kept: StoredRaws | undefined = services.blobs.newIn === "objects" ? new Map() : undefined;
  for (let decision = 0; decision < DECISIONS; decision += 1) {
    const plan: Plan = { threads: new Map(), messages: [], events: [], deliveries: [], spans: [], stale: [] };
    const known = await readKnown(services, mails);
    const outcomes = mails.map((mail) => planMail(plan, known, mail, now));
    if (plan.messages.length === 0) return outcomes;
    if (kept) await storeRaws(services, plan.messages, kept);
    const leased = leaseHere(services, plan);
    const again = () => {
      services.parsing.drop(leased.mails);
      for (const span of plan.spans) span.end({});
    };
    const positions = await writePlan(services, plan, { leased, kept }, now).catch((error) => {
      if (isOverQuota(error)) return undefined; // Another process used up the quota; the next plan includes that.
      again();
      throw error;
    });
    if (!positions) {
      again();
      continue;
    }
    for (const span of plan.spans) span.end({});
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
export async function storeBatch(services: StoreNeeds, mails: PreparedMail[]): Promise<(StoreOutcome | Failure)[]> {
  try {
    return await commitBatch(services, mails);
  } catch (error) {
    if (isOfOneItem(error) || isDatabaseLate(error)) throw error;
    return mails.map(() => ({ outcome: "failed", error }));
  }
}
