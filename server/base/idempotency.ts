// Carries out a call with an Idempotency-Key once, and keeps its answer for a day (docs/decisions/099-calls-that-can-be-repeated.md).
import { hash } from "node:crypto";
import { and, eq, lt } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { idempotencyKeys } from "#db/schema/idempotency.ts";
import type { KeyedCall, Services } from "./context.ts";
import { ServiceError } from "./errors.ts";
import { newId } from "./ids.ts";
import { deleteOld } from "./retention.ts";

const KEPT_MS = 86_400_000;
/** Longer than any call with a stored answer takes. If its process ends, the key is free after this time. */
const LEASE_MS = 120_000;
export const KEY_CHARS = 256;
/** Of one caller within KEPT_MS. */
const KEYS_MAX = 10_000;
/** A larger answer is not kept. */
const ANSWER_MAX_BYTES = 8_192;
const TRIES_MAX = 5;
const FIRST_FAILURE = 500;

/** `input` as the caller sent it. `stores`: whether the answer is kept; otherwise the procedure finds its result again. */
type Call = {
  organizationId: string;
  callerId: string;
  procedure: string;
  key: string;
  input: unknown;
  stores: boolean;
};

type Kept = { data: unknown; headers: Record<string, string> };
type Begun = { keyed: KeyedCall; kept?: Kept };
type Row = typeof idempotencyKeys.$inferSelect;

/**
 * @returns the text of the header
 * @throws ServiceError `invalid_request`
 */
export function readIdempotencyKey(header: string): string {
  if (header.length <= KEY_CHARS && /^[\x20-\x7e]+$/.test(header)) return header;
  const message = `must have 1 to ${KEY_CHARS} printable ASCII characters`;
  throw new ServiceError("invalid_request", `Idempotency-Key: ${message}`, {
    issues: [{ path: "idempotency_key", message }],
  });
}

/**
 * Takes the lease of a key, or returns the answer of its first call.
 * @throws ServiceError `invalid_request`, `idempotency_conflict`, `rate_limited`, and `unavailable` while another run has the lease
 */
export async function beginKeyed(ctx: Services, call: Call): Promise<Begun> {
  const key_hash = sha256(`${call.procedure}\n${readIdempotencyKey(call.key)}`);
  const input_hash = sha256(sortedJson(call.input));
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const begun = await tryBegin(ctx, call, { key_hash, input_hash });
    if (begun) return begun;
  }
  throw inProgress();
}

/** Undefined if another call changed the row in between. */
async function tryBegin(
  ctx: Services,
  { organizationId, callerId, stores }: Call,
  hashes: Pick<Row, "key_hash" | "input_hash">,
): Promise<Begun | undefined> {
  const own = and(eq(idempotencyKeys.organization_id, organizationId), eq(idempotencyKeys.caller_id, callerId));
  const [row] = await ctx.db
    .select()
    .from(idempotencyKeys)
    .where(and(own, eq(idempotencyKeys.key_hash, hashes.key_hash)));
  const now = ctx.now();
  const lease = { attempt: newId(), leased_until: new Date(now.getTime() + LEASE_MS) };
  if (!row) {
    if ((await ctx.db.$count(idempotencyKeys, own)) >= KEYS_MAX) throw tooManyKeys();
    const id = newId();
    const { count } = await ctx.db
      .insert(idempotencyKeys)
      .values({ id, organization_id: organizationId, caller_id: callerId, ...hashes, ...lease, created_at: now })
      .onConflictDoNothing();
    return count > 0 ? { keyed: { id, attempt: lease.attempt, isRepeated: false } } : undefined;
  }
  if (row.created_at.getTime() <= now.getTime() - KEPT_MS) {
    await ctx.db
      .delete(idempotencyKeys)
      .where(and(own, eq(idempotencyKeys.id, row.id), eq(idempotencyKeys.created_at, row.created_at)));
    return;
  }
  if (!row.input_hash.equals(hashes.input_hash)) {
    throw new ServiceError("idempotency_conflict", "This idempotency key was used for a request with other content.");
  }
  if (row.answer) {
    return { keyed: { id: row.id, attempt: row.attempt, isRepeated: true }, kept: opened(ctx, row, row.answer) };
  }
  if (row.leased_until > now) throw inProgress();
  if (row.carried_out && stores) throw answerIsLost();
  const free = and(own, eq(idempotencyKeys.id, row.id), eq(idempotencyKeys.attempt, row.attempt));
  const { count } = await ctx.db.update(idempotencyKeys).set(lease).where(free);
  return count > 0 ? { keyed: { id: row.id, attempt: lease.attempt, isRepeated: row.carried_out } } : undefined;
}

/**
 * Marks the call as carried out, in the transaction of its effect: both are committed, or neither. Nothing for a call without a key.
 * @throws ServiceError `unavailable` if another run has taken the lease
 */
export async function commitKeyed({ keyed }: { keyed?: KeyedCall | undefined }, tx: Transaction): Promise<void> {
  if (!keyed) return;
  const { count } = await tx.update(idempotencyKeys).set({ carried_out: true }).where(isRun(keyed));
  if (count === 0) throw inProgress();
}

/** Ends the run of a call that succeeded. @param kept its answer, undefined if the procedure finds its result again */
export async function endKeyed(ctx: Services, keyed: KeyedCall, kept: Kept | undefined): Promise<void> {
  const text = JSON.stringify(kept);
  const answer = kept && Buffer.byteLength(text) <= ANSWER_MAX_BYTES ? ctx.secrets.seal(text, keyed.id) : null;
  await ctx.db.update(idempotencyKeys).set({ carried_out: true, leased_until: ctx.now(), answer }).where(isRun(keyed));
}

/**
 * Ends the run of a call that failed. After a refusal the key is free. After a failure (5xx) it keeps its id, so that the next run of the
 * same call finds what this one made. What was carried out stays.
 */
export async function failKeyed(ctx: Services, keyed: KeyedCall, status: number): Promise<void> {
  const isOpen = and(isRun(keyed), eq(idempotencyKeys.carried_out, false));
  if (status < FIRST_FAILURE) await ctx.db.delete(idempotencyKeys).where(isOpen);
  await ctx.db.update(idempotencyKeys).set({ leased_until: ctx.now() }).where(isRun(keyed));
}

export const pruneIdempotencyKeys = deleteOld({
  table: idempotencyKeys,
  key: idempotencyKeys.id,
  isOver: ({ now }) => lt(idempotencyKeys.created_at, new Date(now().getTime() - KEPT_MS)),
  oldestFirst: idempotencyKeys.created_at,
});

function isRun({ id, attempt }: KeyedCall) {
  return and(eq(idempotencyKeys.id, id), eq(idempotencyKeys.attempt, attempt));
}

/** @throws ServiceError `idempotency_conflict` if ENCRYPTION_KEY is another one since */
function opened({ secrets }: Services, { id }: Row, answer: Buffer): Kept {
  if (!secrets.isOwn(answer)) throw answerIsLost();
  return JSON.parse(secrets.open(answer, id));
}

function sha256(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** The order of fields does not matter. */
function sortedJson(value: unknown): string {
  const sorted = (each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each;
  return JSON.stringify(value, (_, each) => sorted(each)) ?? "";
}

function inProgress(): ServiceError {
  return new ServiceError("unavailable", "Another request with this idempotency key is in progress.", {
    headers: { "Retry-After": "1" },
  });
}

function answerIsLost(): ServiceError {
  return new ServiceError(
    "idempotency_conflict",
    "The request with this idempotency key was carried out, but its answer was not kept.",
    {
      fix: "Look for the result in the lists of the API. Repeat the request with another key only if it is not there.",
    },
  );
}

function tooManyKeys(): ServiceError {
  return new ServiceError("rate_limited", `This caller has used ${KEYS_MAX} idempotency keys in 24 hours.`, {
    headers: { "Retry-After": "3600" },
    fix: "Wait `Retry-After` seconds, or repeat the request without an idempotency key.",
  });
}
