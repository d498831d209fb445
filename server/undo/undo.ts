// POST /v1/keys/{id}/undo: takes back what a key, and the keys that it issued, changed since a time.
// First the keys are revoked, in a separate transaction: from then on no change of theirs can be recorded. Then chunks of changes are
// taken back, the newest first, each in one transaction that also marks its rows. A call that ends early is repeated: it continues.
import { setTimeout as delay } from "node:timers/promises";
import { and, desc, eq, gte, isNull, type SQL, sql } from "drizzle-orm";
import type { Change, ChangeKind, NotUndone } from "#db/activity-parts.ts";
import { plainOf, type Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { activity } from "#db/schema/activity.ts";
import { agentKeys } from "#db/schema/enrollment.ts";
import { netOf, type TakeBack } from "../activity/net.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { lowestId, readTime } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import type { NewEvent } from "../events/record.ts";
import { announceRemoved } from "../inboxes/remove.ts";
import { takeBackInboxes } from "../inboxes/take-back.ts";
import { findAgentKey } from "../keys/find.ts";
import { revokeAgentKey } from "../keys/revoke.ts";
import { takeBackMessages } from "../messages/trash/take-back.ts";
import { takeBackEntries } from "../recipients/lists/take-back.ts";
import { takeBackSuppressions } from "../recipients/suppressions/take-back.ts";
import { takeBackDrafts } from "../sending/drafts/take-back.ts";
import { takeBackSends } from "../sending/take-back.ts";
import { takeBackUploads } from "../uploads/take-back.ts";
import { takeBackWebhooks } from "../webhooks/take-back.ts";

const ROWS_PER_CHUNK = 1_000;
const CHUNKS_MAX = 1_000;
/** A dry run reads so many changes; older ones are not judged. */
const DRY_ROWS_MAX = 10_000;
/** In an answer. */
const NOT_UNDONE_MAX = 1_000;
/** Running transactions may have recorded changes that are not committed yet. */
const DRAIN_MS = 10_000;
const DRAIN_LOOK_MS = 20;
/** Another undo of the same agent. */
const BUSY_MS = 10_000;
const BUSY_LOOK_MS = 50;
/** A deadlock, or a conflict: the chunk is repeated. */
const CONFLICT = /^40/;
const TRIES_MAX = 5;
/** The first key of the advisory lock; the second is derived from the agent's id. "und" in ASCII. */
const LOCK = 0x756e64;

/** In this order: mail stops first, and mailboxes end after what is in them. Keys are revoked already. */
const TAKING: [ChangeKind, TakeBack][] = [
  ["send", takeBackSends],
  ["draft", takeBackDrafts],
  ["message", takeBackMessages],
  ["list_entry", takeBackEntries],
  ["suppression", takeBackSuppressions],
  ["webhook", takeBackWebhooks],
  ["upload", takeBackUploads],
  ["inbox", takeBackInboxes],
];

type Row = Pick<typeof activity.$inferSelect, "id" | "verb" | "changes" | "created_at">;
type Listed = NotUndone & { activity_id: string; verb: string; created_at: Date };
type Key = { id: string; agentId: string; isRevoked: boolean };

export type Undone = {
  dry_run: boolean;
  revoked: boolean;
  /** Of all changes since then, also the changes that an earlier undo processed. */
  verbs: { verb: string; count: number }[];
  not_undone: Listed[];
  not_undone_count: number;
  /** Whether changes are left that a dry run did not judge. */
  more: boolean;
};

/**
 * Repeating it changes nothing more, and returns the same lists.
 * @throws ServiceError `agent_key_not_found`; `insufficient_scope` for the caller's own key; `invalid_request` for a time in the future;
 *   `unavailable` if another undo of the agent, or a transaction that began before, takes too long: then repeat
 */
export async function undoKey(
  ctx: Ctx<Caller>,
  { id: wireId, since, dry_run: isDry }: { id: string; since: string; dry_run: boolean },
): Promise<Undone> {
  const key = await findUndone(ctx, wireId);
  const from = readTime(since);
  if (from > ctx.now()) throw invalidField("since", "must be in the past");
  const isOf = and(ofKeys(ctx, key), gte(activity.id, lowestId(from)), gte(activity.created_at, from));
  if (isDry) return dryRun(ctx, key, isOf);
  await revokeAgentKey({ ...ctx, call: undefined }, wireId, true);
  await recordUndo(ctx, key);
  await drained(ctx);
  for (let chunk = 0; chunk < CHUNKS_MAX; chunk += 1) {
    const taken = await locked(ctx, key, (tx) => undoChunk(ctx, tx, isOf, { isDry: false, limit: ROWS_PER_CHUNK }));
    if (taken.rows.length === 0) break;
    announceRemoved(ctx);
    ctx.signals.raise("outbound");
  }
  return report(ctx, isOf);
}

/** What has no more than one caller: a key does not undo itself, since it would be revoked before it knows the result. */
async function findUndone(ctx: Ctx<Caller>, wireId: string): Promise<Key> {
  if (ctx.actor.kind === "agent" && decodeId("akey", wireId) === ctx.actor.keyId) {
    throw new ServiceError("insufficient_scope", "A key does not undo itself.", {
      fix: "Ask a member of your organization, or use the key that issued this one.",
    });
  }
  const { id, agent_id, revoked_at } = await findAgentKey(ctx, wireId);
  return { id, agentId: agent_id, isRevoked: revoked_at !== null };
}

/** The changes of a key, and of all keys below it. */
function ofKeys({ db, actor }: Ctx<Caller>, { id, agentId }: Pick<Key, "id" | "agentId">): SQL | undefined {
  const { organization_id, agent_id, ancestor_ids } = agentKeys;
  const isBelow = sql`(${agentKeys.id} = ${id} or ${ancestor_ids} @> array[${id}::uuid])`;
  const keys = db
    .select({ id: agentKeys.id })
    .from(agentKeys)
    .where(and(eq(organization_id, actor.organizationId), eq(agent_id, agentId), isBelow));
  return and(eq(activity.organization_id, actor.organizationId), sql`${activity.key_id} = any(array${keys})`);
}

/** In the activity of a key that undoes another one. */
async function recordUndo(ctx: Ctx<Caller>, { id }: Key): Promise<void> {
  const final = "An undo is not undone.";
  await ctx.db.transaction((tx) => record(ctx, tx, [{ kind: "key", id, before: {}, after: {}, final }]));
}

/**
 * Waits until every transaction has ended that wrote before the revocation: later transactions see it.
 * @throws ServiceError `unavailable`
 */
async function drained({ db }: Ctx<Caller>): Promise<void> {
  const [mark] = await db.execute<{ xid: string }>(sql`select pg_current_xact_id()::text as xid`);
  for (let waited = 0; waited < DRAIN_MS; waited += DRAIN_LOOK_MS) {
    const [row] = await db.execute<{ is: boolean }>(
      sql`select pg_snapshot_xmin(pg_current_snapshot()) > ${mark?.xid ?? ""}::text::xid8 as is`,
    );
    if (row?.is) return;
    await delay(DRAIN_LOOK_MS);
  }
  throw busy("A call that this key made is still running. The key is revoked.");
}

function busy(message: string): ServiceError {
  return new ServiceError("unavailable", message, { headers: { "Retry-After": "1" } });
}

/** Runs one transaction while no other undo of the agent runs one. @throws ServiceError `unavailable` */
async function locked<Result>(ctx: Ctx<Caller>, { agentId }: Key, work: (tx: Transaction) => Promise<Result>) {
  let tries = 0;
  for (let waited = 0; waited < BUSY_MS; waited += BUSY_LOOK_MS) {
    try {
      const done = await ctx.db.transaction(async (tx) => {
        const [row] = await tx.execute<{ got: boolean }>(
          sql`select pg_try_advisory_xact_lock(${LOCK}::int, hashtext(${agentId})) as got`,
        );
        return row?.got ? { result: await work(tx) } : undefined;
      });
      if (done) return done.result;
    } catch (error) {
      tries += 1;
      if (tries === TRIES_MAX || !isConflict(error)) throw error;
    }
    await delay(BUSY_LOOK_MS);
  }
  throw busy("Another undo of this agent is running.");
}

function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && CONFLICT.test(String(error.code))) || isConflict(error.cause);
}

type Chunk = { rows: Row[]; not_undone: Listed[] };

/** The newest changes that no undo processed. */
async function undoChunk(
  ctx: Ctx<Caller>,
  tx: Transaction,
  isOf: SQL | undefined,
  { isDry, limit }: { isDry: boolean; limit: number },
): Promise<Chunk> {
  const { id, verb, changes, created_at, undone_at } = activity;
  const rows = await tx
    .select({ id, verb, changes, created_at })
    .from(activity)
    .where(and(isOf, isNull(undone_at)))
    .orderBy(desc(id))
    .limit(limit);
  if (rows.length === 0) return { rows, not_undone: [] };
  const all = rows.toReversed().flatMap((row) => row.changes);
  // Nothing of an undo is itself recorded as a change of the key that calls it.
  const not_undone = listed(rows, await takeBackAll({ ...ctx, call: undefined }, tx, all, isDry));
  if (!isDry) await mark(ctx, tx, rows, not_undone);
  return { rows, not_undone };
}

async function takeBackAll(ctx: Ctx<Caller>, tx: Transaction, changes: Change[], isDry: boolean): Promise<NotUndone[]> {
  const byKind = Map.groupBy(netOf(changes), ({ kind }) => kind);
  const notUndone: NotUndone[] = [];
  const events: NewEvent[] = [];
  for (const [kind, takeBack] of TAKING) {
    const nets = byKind.get(kind) ?? [];
    if (nets.length === 0) continue;
    const reasons = await takeBack(ctx, tx, nets, isDry, events);
    for (const net of nets) {
      const reason = reasons.get(net.id);
      if (reason !== undefined) notUndone.push({ kind: net.kind, id: net.id, reason });
    }
    byKind.delete(kind);
  }
  // Streams find them at their next look: a chunk of an undo is not announced.
  await ctx.eventLog.record(plainOf(tx), events, ctx.now());
  for (const { kind, id, final } of [...byKind.values()].flat()) {
    if (final) notUndone.push({ kind, id, reason: final });
  }
  return notUndone;
}

/** Each with the newest row that names the thing. */
function listed(rows: Row[], notUndone: NotUndone[]): Listed[] {
  const newest = new Map<string, Row>();
  for (const row of rows.toReversed()) for (const { kind, id } of row.changes) newest.set(`${kind} ${id}`, row);
  return notUndone.flatMap((each) => {
    const row = newest.get(`${each.kind} ${each.id}`);
    return row ? [{ ...each, activity_id: row.id, verb: row.verb, created_at: row.created_at }] : [];
  });
}

async function mark({ now }: Ctx<Caller>, tx: Transaction, rows: Row[], notUndone: Listed[]): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await tx.update(activity).set({ undone_at: now() }).where(anyOf(activity.id, ids));
  const byRow = Map.groupBy(notUndone, ({ activity_id }) => activity_id);
  const reasons = [...byRow].map(([id, of]) => ({
    id,
    not_undone: of.map(({ kind, id: thing, reason }) => ({ kind, id: thing, reason })),
  }));
  await tx.execute(sql`
    update activity set not_undone = r.not_undone
    from json_to_recordset(${JSON.stringify(reasons)}::text::json) as r(id uuid, not_undone jsonb) where activity.id = r.id`);
}

async function dryRun(ctx: Ctx<Caller>, key: Key, isOf: SQL | undefined): Promise<Undone> {
  const chunk = await locked(ctx, key, (tx) => undoChunk(ctx, tx, isOf, { isDry: true, limit: DRY_ROWS_MAX }));
  const earlier = await stored(ctx, isOf);
  const all = [...chunk.not_undone.toSorted((a, b) => (a.activity_id < b.activity_id ? 1 : -1)), ...earlier.rows];
  return {
    dry_run: true,
    revoked: key.isRevoked,
    verbs: await verbsOf(ctx, isOf),
    not_undone: all.slice(0, NOT_UNDONE_MAX),
    not_undone_count: chunk.not_undone.length + earlier.count,
    more: chunk.rows.length === DRY_ROWS_MAX,
  };
}

async function report(ctx: Ctx<Caller>, isOf: SQL | undefined): Promise<Undone> {
  const { rows, count } = await stored(ctx, isOf);
  return {
    dry_run: false,
    revoked: true,
    verbs: await verbsOf(ctx, isOf),
    not_undone: rows,
    not_undone_count: count,
    more: false,
  };
}

/** What no undo took back, newest first. */
async function stored({ db }: Ctx<Caller>, isOf: SQL | undefined) {
  const { id, verb, created_at, not_undone } = activity;
  const isListed = and(isOf, sql`${not_undone} is not null`);
  const rows = await db
    .select({ id, verb, created_at, not_undone })
    .from(activity)
    .where(isListed)
    .orderBy(desc(id))
    .limit(NOT_UNDONE_MAX);
  const [sum] = await db
    .select({ count: sql<number>`coalesce(sum(jsonb_array_length(${not_undone})), 0)::int` })
    .from(activity)
    .where(isListed);
  const each = rows.flatMap((row) =>
    (row.not_undone ?? []).map((one) => ({ ...one, activity_id: row.id, verb: row.verb, created_at: row.created_at })),
  );
  return { rows: each.slice(0, NOT_UNDONE_MAX), count: sum?.count ?? 0 };
}

async function verbsOf({ db }: Ctx<Caller>, isOf: SQL | undefined) {
  const { verb } = activity;
  const count = sql<number>`count(*)::int`;
  return db.select({ verb, count }).from(activity).where(isOf).groupBy(verb).orderBy(verb);
}
