// Records API calls with an agent key, in groups after their answers. Rows may be lost: no caller waits for them.
import { and, eq, gte, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { LRUCache } from "lru-cache";
import { apiCalls } from "#db/schema/calls.ts";
import type { Services } from "../base/context.ts";
import { lowestId } from "../base/id-range.ts";
import { newId } from "../base/ids.ts";
import { daysAgo, deleteOld } from "../base/retention.ts";

/** A group is written so long after its first call, or when it is full. A process that is killed loses at most these calls. */
const GATHER_MS = 1_000;
const GROUP_MAX = 500;
/** Calls that wait while the database is slow, of all keys and of one. */
const WAITING_MAX = 5_000;
const WAITING_OF_KEY_MAX = 250;
/** Rows of a day (UTC), of calls that succeeded and again of calls that failed. Each process counts what it and, before it, others wrote. */
export const ROWS_OF_KEY_MAX = 5_000;
const ROWS_OF_ORGANIZATION_MAX = 100_000;
const COUNTED_OWNERS_MAX = 50_000;
export const KEPT_DAYS = 7;
const PATH_CHARS = 300;
/** Ids are shorter, the token in a `wait_url` (`ver_…`) is longer, and addresses have an `@`. */
const SEGMENT_CHARS = 46;
const SECRET = /mb_(?:agent|enroll)_/;
const DAY_CHARS = "2026-11-29".length;

declare module "../base/context.ts" {
  interface Services {
    callLog: CallLog;
  }
}

/** `organizationId`, `keyId`: UUIDs. `route`: from a closed set. `error`: its code; null: the call succeeded. `ms`: how long it took. */
export type Call = {
  organizationId: string;
  keyId: string;
  door: string;
  method: string;
  route: string;
  path: string;
  status: number;
  error: string | null;
  ms: number;
  requestId: string;
  remote: string;
};

export type CallLog = {
  add(call: Call): void;
  /** Writes what waits, once. */
  close(): Promise<void>;
};

type Row = Call & { id: string; at: string };
type Needs = Pick<Services, "db" | "log" | "metrics" | "now">;
type State = Needs & {
  waiting: Row[];
  waitingOf: Map<string, number>;
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void> | undefined;
  /** Rows of a day, by owner. */
  rows: LRUCache<string, number>;
};

export function createCallLog(needs: Needs): CallLog {
  const state: State = {
    ...needs,
    waiting: [],
    waitingOf: new Map(),
    timer: undefined,
    writing: undefined,
    rows: new LRUCache({ max: COUNTED_OWNERS_MAX }),
  };
  return {
    add: (call) => add(state, call),
    async close() {
      await state.writing;
      await write(state);
    },
  };
}

function add(state: State, call: Call): void {
  const { waiting, waitingOf, metrics, now } = state;
  const own = waitingOf.get(call.keyId) ?? 0;
  const at = now().toISOString();
  const isLate = waiting.length >= WAITING_MAX || own >= WAITING_OF_KEY_MAX;
  if (isLate || isFull(state, ownersOf({ ...call, at }))) {
    metrics.callsNotLogged.inc({ reason: isLate ? "waiting" : "day" });
    return;
  }
  waitingOf.set(call.keyId, own + 1);
  waiting.push({ ...call, path: withoutSecrets(call.path), id: newId(), at });
  if (waiting.length >= GROUP_MAX) start(state);
  else state.timer ??= setTimeout(() => start(state), GATHER_MS);
}

type Owner = { name: string; column: PgColumn; id: string; max: number };

/** What a row counts for: a day of its key and of its organization. */
function ownersOf({
  keyId,
  organizationId,
  error,
  at,
}: Pick<Row, "keyId" | "organizationId" | "error" | "at">): Owner[] {
  const day = `${at.slice(0, DAY_CHARS)} ${error === null ? "ok" : "failed"}`;
  return [
    { name: `${day} ${keyId}`, column: apiCalls.key_id, id: keyId, max: ROWS_OF_KEY_MAX },
    {
      name: `${day} ${organizationId}`,
      column: apiCalls.organization_id,
      id: organizationId,
      max: ROWS_OF_ORGANIZATION_MAX,
    },
  ];
}

/** Long segments may be tokens. */
function withoutSecrets(path: string): string {
  const segments = path.slice(0, PATH_CHARS).split("/");
  const isSecret = (text: string) => SECRET.test(text) || (text.length > SEGMENT_CHARS && !/@|%40/.test(text));
  return segments
    .map((segment) => (isSecret(segment) ? "***" : segment))
    .join("/")
    .toWellFormed();
}

function start(state: State): void {
  clearTimeout(state.timer);
  state.timer = undefined;
  if (state.writing) return;
  state.writing = write(state).finally(() => {
    state.writing = undefined;
    if (state.waiting.length > 0) state.timer ??= setTimeout(() => start(state), GATHER_MS);
  });
}

async function write(state: State): Promise<void> {
  clearTimeout(state.timer);
  state.timer = undefined;
  while (state.waiting.length > 0) {
    const group = state.waiting.splice(0, GROUP_MAX);
    state.waitingOf.clear();
    try {
      await writeGroup(state, group);
    } catch (error) {
      state.metrics.callsNotLogged.inc({ reason: "failed" }, group.length);
      state.log.warn(
        { error, calls: group.length },
        "the log of API calls could not be written; these calls are not in it",
      );
    }
  }
}

async function writeGroup(state: State, group: Row[]): Promise<void> {
  for (const row of group) for (const owner of ownersOf(row)) await countOnce(state, row, owner);
  const fitting = group.filter((row) => {
    const owners = ownersOf(row);
    if (isFull(state, owners)) return false;
    for (const { name } of owners) state.rows.set(name, (state.rows.get(name) ?? 0) + 1);
    return true;
  });
  if (fitting.length < group.length) state.metrics.callsNotLogged.inc({ reason: "day" }, group.length - fitting.length);
  if (fitting.length === 0) return;
  await state.db.execute(sql`
    insert into api_calls (id, organization_id, key_id, door, method, route, path, status, error, ms, request_id, remote, created_at)
    select r.id, r."organizationId", r."keyId", r.door, r.method, r.route, r.path, r.status, r.error, r.ms, r."requestId", r.remote, r.at
    from json_to_recordset(${JSON.stringify(fitting)}::text::json) as r(id uuid, "organizationId" uuid, "keyId" uuid, door text,
      method text, route text, path text, status int, error text, ms int, "requestId" text, remote text, at timestamptz)`);
}

function isFull({ rows }: State, owners: Owner[]): boolean {
  return owners.some(({ name, max }) => (rows.get(name) ?? 0) >= max);
}

/** Counts the rows of an owner today, up to the limit, unless this process has. */
async function countOnce({ db, rows }: State, { at, error }: Row, { name, column, id, max }: Owner): Promise<void> {
  if (rows.has(name)) return;
  const today = new Date(at.slice(0, DAY_CHARS));
  const isOfKind = error === null ? isNull(apiCalls.error) : isNotNull(apiCalls.error);
  const found = db
    .select({ id: apiCalls.id })
    .from(apiCalls)
    .where(and(eq(column, id), gte(apiCalls.id, lowestId(today)), gte(apiCalls.created_at, today), isOfKind))
    .limit(max);
  rows.set(name, await db.$count(found.as("today")));
}

/** Worker job: deletes calls past KEPT_DAYS. */
export const pruneCalls = deleteOld({
  table: apiCalls,
  key: apiCalls.id,
  isOver: (ctx) => lt(apiCalls.id, lowestId(daysAgo(ctx, KEPT_DAYS))),
  oldestFirst: apiCalls.id,
});
