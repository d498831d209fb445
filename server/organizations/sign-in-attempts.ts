// Counts attempts to sign in, exactly and across processes: after some failures, each attempt must wait longer. It counts passwords, second-factor
// codes, sign-in by company account, requests to reset a password, and SMTP passwords.
import { eq, lt, lte, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { signInAttempts } from "#db/schema/sign-in.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { deleteOld } from "../base/retention.ts";

/** Failures expire this long after the last one. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const FIRST_DELAY_MS = 5_000;
const DELAY_MAX_MS = 300_000;
const DOUBLINGS_MAX = 10;
/** Not the time of the attempt: a concurrent one may have read the clock a millisecond earlier. */
const NOT_BLOCKED = new Date(0);

/**
 * `freeFailures`: those without a delay. `clearedBySuccess`: whether a correct password clears the counter, or takes back only its own
 * attempt.
 */
export type AttemptCounter = { name: string; freeFailures: number; clearedBySuccess: boolean };

type Needs = Pick<Services, "db" | "now">;

/**
 * Counts an attempt in every counter before the password is checked, so that concurrent attempts cannot share one count.
 * @throws ServiceError `rate_limited` with `Retry-After` if one of them must wait; then nothing is counted
 */
export async function countAttempt({ db, now }: Needs, counters: AttemptCounter[]): Promise<void> {
  const at = now();
  await db.transaction(async (tx) => {
    // In one order, because it locks their rows.
    const ordered = counters.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const counter of ordered) await countIn(tx, counter, at);
  });
}

async function countIn(tx: Transaction, { name, freeFailures }: AttemptCounter, at: Date): Promise<void> {
  const forgotten = new Date(at.getTime() - FORGOTTEN_AFTER_MS);
  const { bucket, failures, last_at, blocked_until } = signInAttempts;
  const [row] = await tx
    .insert(signInAttempts)
    .values({ bucket: name, failures: 1, last_at: at, blocked_until: NOT_BLOCKED })
    .onConflictDoUpdate({
      target: bucket,
      set: { failures: sql`case when ${lt(last_at, forgotten)} then 1 else ${failures} + 1 end`, last_at: at },
      setWhere: lte(blocked_until, at),
    })
    .returning({ failures });
  if (!row) throw await refusal(tx, name, at);
  if (row.failures < freeFailures) return;
  const delay = Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** Math.min(row.failures - freeFailures, DOUBLINGS_MAX));
  const until = new Date(at.getTime() + delay);
  await tx.update(signInAttempts).set({ blocked_until: until }).where(eq(bucket, name));
}

async function refusal(tx: Transaction, name: string, at: Date): Promise<ServiceError> {
  const [row] = await tx
    .select({ blocked_until: signInAttempts.blocked_until })
    .from(signInAttempts)
    .where(eq(signInAttempts.bucket, name));
  const seconds = Math.max(1, Math.ceil(((row?.blocked_until.getTime() ?? 0) - at.getTime()) / 1_000));
  return new ServiceError("rate_limited", `Too many attempts. Try again in ${seconds} seconds.`, {
    headers: { "Retry-After": String(seconds) },
  });
}

/** After a correct password. */
export async function forgiveAttempts({ db }: Pick<Needs, "db">, counters: AttemptCounter[]): Promise<void> {
  const cleared = counters.filter(({ clearedBySuccess }) => clearedBySuccess).map(({ name }) => name);
  if (cleared.length > 0) await db.delete(signInAttempts).where(anyOf(signInAttempts.bucket, cleared));
  await takeBackAttempt(
    { db },
    counters.filter(({ clearedBySuccess }) => !clearedBySuccess),
  );
}

/**
 * After an attempt without a result, for example because the database failed. It also lifts the block: an attempt is counted only while
 * there is none, so its own count has made the block, or one that came after it and counted it too.
 */
export async function takeBackAttempt({ db }: Pick<Needs, "db">, counters: AttemptCounter[]): Promise<void> {
  const names = counters.map(({ name }) => name);
  if (names.length === 0) return;
  const { bucket, failures } = signInAttempts;
  await db
    .update(signInAttempts)
    .set({ failures: sql`greatest(${failures} - 1, 0)`, blocked_until: NOT_BLOCKED })
    .where(anyOf(bucket, names));
}

/** Deletes expired counters. */
export const pruneAttempts = deleteOld({
  table: signInAttempts,
  key: signInAttempts.bucket,
  isOver: ({ now }) => lt(signInAttempts.last_at, new Date(now().getTime() - FORGOTTEN_AFTER_MS)),
});
