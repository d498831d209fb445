// Counts sign-in attempts exactly and across processes: after some failures, each attempt must wait longer.
import type { TransactionSql } from "postgres";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";

/** Failures expire this long after the last one. */
const FORGOTTEN_AFTER_MS = 3_600_000;
const FIRST_DELAY_MS = 5_000;
const DELAY_MAX_MS = 300_000;
const DOUBLINGS_MAX = 10;

/**
 * `free`: failures without a delay. `resets`: whether a correct password clears the bucket, or takes back only its own
 * attempt.
 */
export type Bucket = { name: string; free: number; resets: boolean };

type Database = Pick<Services, "sql" | "now">;

/**
 * Counts an attempt in every bucket before the password is checked, so that concurrent attempts cannot share one count.
 * Name buckets in the same order everywhere, because their rows are locked in it.
 * @throws ServiceError `rate_limited` with `Retry-After` if one of them must wait; then nothing is counted
 */
export async function countAttempt({ sql, now }: Database, buckets: Bucket[]): Promise<void> {
  const at = now();
  await sql.begin(async (tx) => {
    for (const bucket of buckets) await countIn(tx, bucket, at);
  });
}

async function countIn(tx: TransactionSql, { name, free }: Bucket, at: Date): Promise<void> {
  const forgotten = new Date(at.getTime() - FORGOTTEN_AFTER_MS);
  const [row] = await tx<{ failures: number }[]>`
    insert into sign_in_attempts as a (bucket, failures, last_at, blocked_until) values (${name}, 1, ${at}, ${at})
    on conflict (bucket) do update set
      failures = case when a.last_at < ${forgotten} then 1 else a.failures + 1 end, last_at = ${at}
    where a.blocked_until <= ${at} returning a.failures`;
  if (!row) throw await refusal(tx, name, at);
  if (row.failures < free) return;
  const delay = Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** Math.min(row.failures - free, DOUBLINGS_MAX));
  await tx`update sign_in_attempts set blocked_until = ${new Date(at.getTime() + delay)} where bucket = ${name}`;
}

async function refusal(tx: TransactionSql, name: string, at: Date): Promise<ServiceError> {
  const [row] = await tx<{ blocked_until: Date }[]>`select blocked_until from sign_in_attempts where bucket = ${name}`;
  const seconds = Math.max(1, Math.ceil(((row?.blocked_until.getTime() ?? 0) - at.getTime()) / 1_000));
  return new ServiceError("rate_limited", `Too many attempts. Try again in ${seconds} seconds.`, {
    headers: { "Retry-After": String(seconds) },
  });
}

/** After a correct password. */
export async function forgiveAttempts({ sql, now }: Database, buckets: Bucket[]): Promise<void> {
  const cleared = buckets.filter(({ resets }) => resets).map(({ name }) => name);
  if (cleared.length > 0) await sql`delete from sign_in_attempts where bucket = any(${cleared})`;
  await takeBackAttempt(
    { sql, now },
    buckets.filter(({ resets }) => !resets),
  );
}

/** After an attempt without a result, for example because the database failed. */
export async function takeBackAttempt({ sql, now }: Database, buckets: Bucket[]): Promise<void> {
  const names = buckets.map(({ name }) => name);
  if (names.length === 0) return;
  await sql`
    update sign_in_attempts set failures = greatest(failures - 1, 0), blocked_until = ${now()}
    where bucket = any(${names})`;
}

/** Worker job: deletes expired buckets.\n@returns how many buckets */
export async function pruneAttempts({ sql, now }: Database): Promise<number> {
  const { count } = await sql`
    delete from sign_in_attempts where last_at < ${new Date(now().getTime() - FORGOTTEN_AFTER_MS)}`;
  return count;
}
