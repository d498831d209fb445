// Leases due deliveries for this process and passes them to its dispatcher: retries, and rows whose process died.
import type { deliveries } from "#db/schema/events.ts";
import type { Services } from "../../base/context.ts";
import type { WorkingDispatcher } from "./dispatcher.ts";
import { DELIVERY_LEASE_MS, type DueDelivery } from "./due-delivery.ts";

const LEASE_MAX_ROWS = 200;
/**
 * The share of a lease batch for the most recently due rows, so that one organization's old backlog does not delay
 * another's recent retry.
 */
const NEWEST_PART = 1 / 4;
/** The share of a lease batch for extra attempts. */
const RESENDS_PART = 1 / 4;
const POLL_MS = 1_000;
/** The delay before the next batch if more was due than the dispatcher had room for. */
const BACKLOG_POLL_MS = 25;

type Needs = Pick<Services, "sql" | "log" | "now" | "signals">;

/** Rows to lease: the earliest due, the latest due, and extra attempts. */
type Limits = { oldest: number; newest: number; resends: number };
/** `scheduled` and `resends`: how many rows were due, each up to its limit. */
type Leased = { due: DueDelivery[]; scheduled: number; resends: number };
type Row = Omit<DueDelivery, "read_at"> & Pick<typeof deliveries.$inferSelect, "status"> & { extra: boolean };

/**
 * Leases due deliveries, and extra attempts of pending ones, which do not change `next_attempt_at`. If the webhook or
 * event is deleted, or the webhook is disabled, the delivery fails instead.
 */
export async function leaseDue({ sql, now }: Pick<Needs, "sql" | "now">, limits: Limits): Promise<Leased> {
  const at = now();
  const leasedUntil = new Date(at.getTime() + DELIVERY_LEASE_MS);
  const read_at = performance.now();
  const rows = await sql<Row[]>`
    with oldest as materialized (
      select id, organization_id, webhook_id, event_id from deliveries
      where status = 'pending' and next_attempt_at <= ${at}
      order by next_attempt_at limit ${limits.oldest} for update skip locked
    ), newest as materialized (
      select id, organization_id, webhook_id, event_id from deliveries
      where status = 'pending' and next_attempt_at <= ${at}
      order by next_attempt_at desc limit ${limits.newest} for update skip locked
    ), scheduled as materialized (
      select * from oldest union select * from newest
    ), resends as materialized (
      select id, organization_id, webhook_id, event_id from deliveries
      where status = 'pending' and resend_at <= ${at}
      order by resend_at limit ${limits.resends} for update skip locked
    ), due as materialized (
      select *, false as extra from scheduled
      union all select *, true from resends where id <> all(array(select id from scheduled))
    ), job as (
      select due.id, due.extra, w.url, w.format, w.include_message, w.headers, w.secret, w.previous_secret, w.previous_secret_expires_at, e.body, e.kind, e.inbox_id, e.traceparent,
        w.id is not null and e.id is not null as sendable
      from due
        left join webhooks w on w.id = due.webhook_id and w.organization_id = due.organization_id and w.active
        left join events e on e.id = due.event_id and e.organization_id = due.organization_id
    )
    update deliveries d set
      status = case when sendable then 'pending' else 'failed' end,
      next_attempt_at = case when sendable and extra then d.next_attempt_at when sendable then ${leasedUntil}::timestamptz end,
      resend_at = case when sendable and extra then ${leasedUntil}::timestamptz end,
      completed_at = case when not sendable then ${at}::timestamptz end,
      last_error = case when sendable then d.last_error else 'The webhook is disabled, or it or the message is gone.' end
    from job where d.id = any(array(select id from due)) and d.id = job.id
    returning d.id, d.organization_id, d.webhook_id, d.event_id, d.attempts, d.status, d.resend_at, job.extra, job.url, job.format, job.include_message, job.headers, job.secret,
      job.previous_secret, job.previous_secret_expires_at, job.body, job.inbox_id, job.kind as event_kind, job.traceparent`;
  return leasedOf(rows, read_at);
}

function leasedOf(rows: Row[], read_at: number): Leased {
  const due = rows
    .filter(({ status }) => status === "pending")
    .map(({ status, extra, ...row }) => ({ ...row, read_at }));
  const resends = rows.filter(({ extra }) => extra).length;
  return { due, scheduled: rows.length - resends, resends };
}

type State = {
  services: Needs;
  dispatcher: WorkingDispatcher;
  stopped: boolean;
  announced: boolean;
  /** The last batch was full. */
  backlog: boolean;
  round: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
};

/**
 * Leases deliveries while some are due and there is room, on signals and by a slow poll.
 * @returns a function that stops, after the current batch has reached the dispatcher
 */
export function startDelivering(services: Needs, dispatcher: WorkingDispatcher): { stop(): Promise<void> } {
  const state: State = {
    services,
    dispatcher,
    stopped: false,
    announced: false,
    backlog: false,
    round: undefined,
    timer: undefined,
  };
  const unsubscribe = services.signals.on("deliveries", () => wake(state));
  wake(state);
  return {
    async stop() {
      state.stopped = true;
      unsubscribe();
      clearTimeout(state.timer);
      await state.round;
    },
  };
}

/** Leases until nothing is due or there is no room; returns when to look again, in ms. */
async function fill(state: State): Promise<number> {
  while (!state.stopped) {
    const limit = Math.min(state.dispatcher.roomForLeased(), LEASE_MAX_ROWS);
    if (limit === 0) return BACKLOG_POLL_MS;
    state.announced = false;
    const resends = Math.floor(limit * RESENDS_PART);
    const newest = state.backlog ? Math.floor((limit - resends) * NEWEST_PART) : 0;
    const limits = { oldest: limit - resends - newest, newest, resends };
    const leased = await leaseDue(state.services, limits);
    state.dispatcher.takeLeased(leased.due);
    // Rows that became due at the same time have no order: the newest may be among the oldest.
    state.backlog = leased.scheduled >= limits.oldest;
    const isMore = state.backlog || (resends > 0 && leased.resends >= resends);
    if (!isMore && !state.announced) return POLL_MS;
  }
  return POLL_MS;
}

async function turn(state: State): Promise<void> {
  let waitMs = POLL_MS;
  try {
    waitMs = await fill(state);
  } catch (error) {
    state.services.log.warn({ error }, "could not lease due deliveries; will retry");
  }
  state.round = undefined;
  if (!state.stopped) state.timer = setTimeout(() => wake(state), waitMs);
}

function wake(state: State): void {
  state.announced = true;
  clearTimeout(state.timer);
  if (!state.stopped) state.round ??= turn(state);
}
