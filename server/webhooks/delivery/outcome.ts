// Writes the outcomes of deliveries and the log of attempts to the database, many in one statement.
import type { deliveries } from "#db/schema/events.ts";
import { type WriteBehind, writeBehind } from "../../base/batching/write-behind.ts";
import type { Services } from "../../base/context.ts";
import { FIRST_ID, idsBetween, LAST_ID } from "../../base/id-range.ts";
import type { Outcome } from "./attempts.ts";
import { noteHealth } from "./disable.ts";

type DeliveryRow = typeof deliveries.$inferSelect;
/** A leased delivery that was not attempted; its scheduled or extra attempt becomes due again at the given time. */
export type Unsent = Pick<Outcome, "id" | "attempts" | "resend_at"> & { due: Date };

/**
 * Named in place of `pending`, for which the planner would read the index of all pending deliveries, however many wait for an
 * endpoint that is down.
 */
const FINISHED: DeliveryRow["status"][] = ["succeeded", "failed"];

type Needs = Pick<Services, "sql" | "db" | "log" | "feed" | "signals" | "settings" | "secrets" | "now" | "metrics">;

/** The ids that attempts of these deliveries can have. */
function idsOfAttempts(outcomes: Outcome[]): [from: string, to: string] {
  return idsBetween(
    outcomes.reduce((least, { id }) => (id < least ? id : least), LAST_ID),
    outcomes.reduce((most, { attempt }) => (attempt.attempt_id > most ? attempt.attempt_id : most), FIRST_ID),
  );
}

/**
 * A success always counts; a failure that another process has already counted does not. If a delivery was redelivered
 * during an attempt and has several outcomes, one counts: a success, else the last. The log has every attempt once, by
 * its id. Its number comes from the log, because a redelivery starts the count of attempts again.
 */
async function writeOutcomes({ sql }: Needs, outcomes: Outcome[]): Promise<void> {
  const rows = JSON.stringify(outcomes.map(({ attempt, health, url, ...outcome }) => ({ ...outcome, ...attempt })));
  const ids = outcomes.map(({ id }) => id);
  const [from, to] = idsOfAttempts(outcomes);
  await sql`
    with o as materialized (
      select * from json_to_recordset(${rows}::text::json) as o(
        id uuid, organization_id uuid, webhook_id uuid, status text, attempts int, next_attempt_at timestamptz,
        resend_at timestamptz, last_status int, last_error text, at timestamptz, attempt_id uuid, started_at timestamptz, duration_ms int,
        request_headers jsonb, response_body text)
    ), decisive as (
      select distinct on (id) * from o order by id, status = 'succeeded' desc, attempts desc, at desc
    ), updated as (
      update deliveries d set
        status = o.status, attempts = o.attempts, last_status = o.last_status,
        next_attempt_at = case when o.resend_at is not null and o.status = 'pending' then d.next_attempt_at
          else o.next_attempt_at end,
        last_error = o.last_error, completed_at = case when o.status <> 'pending' then o.at end
      from decisive o
      where d.id = any(${ids}::uuid[]) and d.id = o.id
        and (d.status <> all(${FINISHED}) or (d.status = 'failed' and o.status = 'succeeded'))
        and (o.status = 'succeeded' or d.attempts < o.attempts or (o.resend_at is not null and d.attempts = o.attempts))
    )
    insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, status,
      error, request_headers, response_body, next_attempt_at)
    select o.attempt_id, o.organization_id, o.webhook_id, o.id,
      coalesce((select max(a.number) from delivery_attempts a
          where a.delivery_id = o.id and a.id between ${from}::uuid and ${to}::uuid), 0)
        + row_number() over (partition by o.id order by o.started_at, o.attempt_id),
      o.started_at, o.duration_ms, o.last_status, case when o.last_status is null then o.last_error end,
      o.request_headers, o.response_body,
      case when o.resend_at is not null and o.status = 'pending'
        then (select d.next_attempt_at from deliveries d where d.id = o.id) else o.next_attempt_at end
    from o
    where exists (select from deliveries d where d.id = o.id)
      and (select a.id from delivery_attempts a
        where a.id = o.attempt_id and a.id between ${from}::uuid and ${to}::uuid) is null
    on conflict (id) do nothing`;
}

/** Ends the leases of extra attempts; one that was requested since stays due. */
async function endResends({ sql }: Needs, outcomes: Outcome[]): Promise<void> {
  const extra = outcomes.filter(({ resend_at }) => resend_at).map(({ id, resend_at }) => ({ id, resend_at }));
  if (extra.length === 0) return;
  await sql`
    update deliveries d set resend_at = null
    from json_to_recordset(${JSON.stringify(extra)}::text::json) as e(id uuid, resend_at timestamptz)
    where d.id = any(${extra.map(({ id }) => id)}::uuid[]) and d.id = e.id and d.resend_at = e.resend_at`;
}

/** Endpoint health is written in a later batch, so it never delays delivery outcomes. */
export function createOutcomes(services: Needs): WriteBehind<Outcome> {
  const health = writeBehind<Outcome>((outcomes) => noteHealth(services, outcomes), services.log);
  const written = writeBehind<Outcome>(async (outcomes) => {
    await writeOutcomes(services, outcomes);
    await endResends(services, outcomes);
    for (const outcome of outcomes) if (outcome.health) health.add(outcome);
  }, services.log);
  return {
    add: written.add,
    isLate: written.isLate,
    async flush(withinMs) {
      const until = performance.now() + withinMs;
      const unwritten = await written.flush(withinMs);
      await health.flush(Math.max(until - performance.now(), 0));
      return unwritten;
    },
  };
}

export function createReturns({ sql, log }: Needs): WriteBehind<Unsent> {
  return writeBehind(async (unsent) => {
    await sql`
      update deliveries d set
        next_attempt_at = case when u.resend_at is null then u.due else d.next_attempt_at end,
        resend_at = case when u.resend_at = d.resend_at then u.due else d.resend_at end
      from json_to_recordset(${JSON.stringify(unsent)}::text::json) as u(
        id uuid, attempts int, resend_at timestamptz, due timestamptz)
      where d.id = any(${unsent.map(({ id }) => id)}::uuid[]) and d.id = u.id and d.status <> all(${FINISHED})
        and d.attempts = u.attempts`;
  }, log);
}
