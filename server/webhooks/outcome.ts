// What became of deliveries, written to the database: many outcomes in one statement, and what they mean for their webhooks.
import type { Sql } from "postgres";
import type { Logger } from "../log.ts";
import { type WriteBehind, writeBehind } from "../write-behind.ts";

const DAY_MS = 86_400_000;
const FAILING_MAX_MS = 5 * DAY_MS;
const FAILURES_MIN = 10;
const GONE = "The endpoint answered 410 Gone.";
const FAILING = "The endpoint has not accepted a delivery for 5 days.";

/** `well`, `failing`: to be noted when it is news. `gone`: the endpoint wants no more (410). */
export type Health = "well" | "failing" | "gone" | null;

export type Outcome = {
  id: string;
  webhook_id: string;
  status: "succeeded" | "failed" | "pending";
  attempts: number;
  /** Null once finished. */
  next_attempt_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  at: Date;
  health: Health;
};

/** A leased delivery that was not attempted; it comes due again at the given time. */
export type Unsent = { id: string; attempts: number; next_attempt_at: Date };

// A success counts whatever happened meanwhile; a failure that another process has already counted does not.
async function writeOutcomes(sql: Sql, outcomes: Outcome[]): Promise<void> {
  await sql`
    update deliveries d set
      status = o.status, attempts = o.attempts, next_attempt_at = o.next_attempt_at, last_status = o.last_status,
      last_error = o.last_error, completed_at = case when o.status <> 'pending' then o.at end
    from json_to_recordset(${JSON.stringify(outcomes)}::text::json) as o(
      id uuid, status text, attempts int, next_attempt_at timestamptz, last_status int, last_error text, at timestamptz)
    where d.id = any(${outcomes.map(({ id }) => id)}::uuid[]) and d.id = o.id
      and d.status = 'pending' and (o.status = 'succeeded' or d.attempts < o.attempts)`;
}

async function failPending(sql: Sql, webhookIds: string[], reason: string, at: Date): Promise<void> {
  await sql`
    update deliveries set status = 'failed', next_attempt_at = null, completed_at = ${at}, last_error = ${reason}
    where webhook_id = any(${webhookIds}::uuid[]) and status = 'pending'`;
}

/**
 * Disables those of the webhooks that have failed for five days. The log of deliveries decides, not `failing_since` alone:
 * another process may have had a success that it did not note.
 */
async function disableHopeless(sql: Sql, webhookIds: string[], at: Date): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    update webhooks w set active = false, disabled_reason = ${FAILING}
    where w.id = any(${webhookIds}::uuid[]) and w.active
      and w.failing_since <= ${new Date(at.getTime() - FAILING_MAX_MS)}
      and not exists (
        select from deliveries d
        where d.webhook_id = w.id and d.status = 'succeeded' and d.completed_at >= w.failing_since)
      and (
        select sum(d.attempts) from deliveries d
        where d.webhook_id = w.id and d.status <> 'succeeded'
          and (d.completed_at is null or d.completed_at >= w.failing_since)) >= ${FAILURES_MIN}
    returning w.id`;
  return rows.map(({ id }) => id);
}

async function noteHealth(sql: Sql, outcomes: Outcome[]): Promise<void> {
  const latest = new Map(outcomes.filter(({ health }) => health).map((o) => [o.webhook_id, o]));
  const idsOf = (health: Health) => [...latest.values()].filter((o) => o.health === health).map((o) => o.webhook_id);
  const at = outcomes.at(-1)?.at;
  if (!at || latest.size === 0) return;

  const gone = outcomes.filter(({ health }) => health === "gone").map(({ webhook_id }) => webhook_id);
  if (gone.length > 0) {
    await sql`
      update webhooks set active = false, disabled_reason = ${GONE} where id = any(${gone}::uuid[]) and active`;
    await failPending(sql, gone, GONE, at);
  }
  const well = idsOf("well");
  if (well.length > 0) {
    await sql`
      update webhooks set failing_since = null where id = any(${well}::uuid[]) and failing_since is not null`;
  }
  const failing = idsOf("failing");
  if (failing.length > 0) {
    await sql`
      update webhooks set failing_since = ${at} where id = any(${failing}::uuid[]) and failing_since is null`;
    const disabled = await disableHopeless(sql, failing, at);
    if (disabled.length > 0) await failPending(sql, disabled, FAILING, at);
  }
}

export function createOutcomes(sql: Sql, log: Logger): WriteBehind<Outcome> {
  return writeBehind(async (outcomes) => {
    await writeOutcomes(sql, outcomes);
    await noteHealth(sql, outcomes);
  }, log);
}

export function createReturns(sql: Sql, log: Logger): WriteBehind<Unsent> {
  return writeBehind(async (unsent) => {
    await sql`
      update deliveries d set next_attempt_at = u.next_attempt_at
      from json_to_recordset(${JSON.stringify(unsent)}::text::json) as u(
        id uuid, attempts int, next_attempt_at timestamptz)
      where d.id = any(${unsent.map(({ id }) => id)}::uuid[]) and d.id = u.id and d.status = 'pending' and d.attempts = u.attempts`;
  }, log);
}
