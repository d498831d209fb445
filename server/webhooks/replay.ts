// POST /v1/webhooks/{id}/replay: sends a webhook the events of a period again, including events from before its
// registration.
import type { TransactionSql } from "postgres";
import type { WebhookKind } from "#db/event-kinds.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, readPosition, toPage, writePosition } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { FIRST_ID, lowestId, readTime } from "../base/id-range.ts";
import { newId } from "../base/ids.ts";
import { positionAfter, positionBefore } from "../events/place.ts";
import { findWebhook, noWebhook, type WebhookRow } from "./find.ts";
import { webhookInactive } from "./redeliver.ts";

const DAY_MS = 86_400_000;
export const WINDOW_MAX_DAYS = 30;
/** Limits of one call, and of one of its transactions. */
export const PER_CALL_MAX = 10_000;
const PER_STEP = 1_000;

type ReplayInput = {
  id: string;
  since: string;
  until?: string | undefined;
  only_failed?: boolean | undefined;
  cursor?: string | undefined;
};
/** Events from `since` to before `until`. */
type Window = { since: Date; until: Date };
export type Replayed = { replayed: number; until: Date; next_cursor: string | null };
type Step = { replayed: number; last: { id: string; position: number } | undefined; more: boolean };

function refuse(path: string, message: string): ServiceError {
  return new ServiceError("invalid_request", `${path}: ${message}`, { issues: [{ path, message }] });
}

function readWindow({ now }: Ctx<Caller>, input: ReplayInput): Window {
  const since = readTime(input.since);
  const latest = now();
  const until = input.until === undefined ? latest : readTime(input.until);
  if (until.getTime() < since.getTime()) throw refuse("until", "must not be before `since`");
  if (until.getTime() - since.getTime() > WINDOW_MAX_DAYS * DAY_MS) {
    throw refuse("since", `must be at most ${WINDOW_MAX_DAYS} days before \`until\``);
  }
  return { since, until: until < latest ? until : latest };
}

/** One replay per webhook at a time: two concurrent ones would both create a missing delivery. */
async function lock({ actor }: Ctx<Caller>, tx: TransactionSql, { id }: WebhookRow): Promise<void> {
  const [row] = await tx<{ active: boolean }[]>`
    select active from webhooks where id = ${id} and organization_id = ${actor.organizationId} for no key update`;
  if (!row) throw noWebhook();
  if (!row.active) throw webhookInactive();
}

/**
 * Makes finished deliveries due again, like `redeliver`. A locked one has an outcome being written and is skipped, to
 * avoid a deadlock.
 */
async function sendAgain({ now }: Ctx<Caller>, tx: TransactionSql, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { count } = await tx`
    update deliveries set status = 'pending', attempts = 0, next_attempt_at = ${now()}, resend_at = null, completed_at = null
    where id = any(array(
      select id from deliveries where id = any(${ids}::uuid[]) and status <> 'pending' for update skip locked))`;
  return count;
}

async function replayFailed(ctx: Ctx<Caller>, webhook: WebhookRow, window: Window, after: string): Promise<Step> {
  return ctx.sql.begin(async (tx) => {
    await lock(ctx, tx, webhook);
    const rows = await tx<{ id: string }[]>`
      select d.id from deliveries d
      where d.webhook_id = ${webhook.id} and d.organization_id = ${ctx.actor.organizationId} and d.status = 'failed'
        and d.id > ${after} and (
          select e.created_at >= ${window.since} and e.created_at < ${window.until} from events e where e.id = d.event_id)
      order by d.id limit ${PER_STEP + 1}`;
    const ids = rows.slice(0, PER_STEP).map(({ id }) => id);
    const last = ids.at(-1);
    const replayed = await sendAgain(ctx, tx, ids);
    return { replayed, last: last ? { id: last, position: 0 } : undefined, more: rows.length > PER_STEP };
  });
}

type LoggedEvent = { id: string; position: number; kind: WebhookKind };

/** Creates deliveries for events that have none for this webhook. */
async function oweEvents(
  ctx: Ctx<Caller>,
  tx: TransactionSql,
  webhookId: string,
  events: LoggedEvent[],
): Promise<number> {
  if (events.length === 0) return 0;
  const at = ctx.now();
  const rows = events.map((event) => ({ id: newId(), event_id: event.id, event_kind: event.kind }));
  const { count } = await tx`
    insert into deliveries (id, organization_id, webhook_id, event_id, event_kind, status, next_attempt_at, created_at)
    select id, ${ctx.actor.organizationId}, ${webhookId}, event_id, event_kind, 'pending', ${at}::timestamptz, ${at}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, event_id uuid, event_kind text)`;
  return count;
}

/** Events after one position and before another. Positions in the log have their deliveries. */
async function replayEvents(
  ctx: Ctx<Caller>,
  webhook: WebhookRow,
  { since, until }: Window,
  bounds: { after: number; before: number },
): Promise<Step> {
  const { organizationId } = ctx.actor;
  return ctx.sql.begin(async (tx) => {
    await lock(ctx, tx, webhook);
    const rows = await tx<LoggedEvent[]>`
      select id, position, kind from events
      where organization_id = ${organizationId} and position > ${bounds.after} and position < ${bounds.before}
        and created_at >= ${since} and created_at < ${until} and kind = any(${webhook.events})
        ${webhook.inbox_id === null ? tx`` : tx`and inbox_id = ${webhook.inbox_id}`}
      order by position limit ${PER_STEP + 1}`;
    const events = rows.slice(0, PER_STEP);
    const known = await tx<{ id: string; event_id: string }[]>`
      select id, event_id from (
        select * from deliveries where event_id = any(${events.map(({ id }) => id)}::uuid[]) offset 0) d
      where webhook_id = ${webhook.id} and organization_id = ${organizationId}`;
    const owed = new Set(known.map(({ event_id }) => event_id));
    const missing = events.filter(({ id }) => !owed.has(id));
    const again = await sendAgain(
      ctx,
      tx,
      known.map(({ id }) => id),
    );
    const made = await oweEvents(ctx, tx, webhook.id, missing);
    return { replayed: again + made, last: events.at(-1), more: rows.length > PER_STEP };
  });
}

/** Repeats a step until nothing is left, or the limit of the call is reached. */
async function inSteps(step: (last: Step["last"]) => Promise<Step>): Promise<Step> {
  let done: Step = { replayed: 0, last: undefined, more: true };
  for (let taken = 0; taken < PER_CALL_MAX && done.more; taken += PER_STEP) {
    const { replayed, last, more } = await step(done.last);
    done = { replayed: done.replayed + replayed, last: last ?? done.last, more };
  }
  return done;
}

/**
 * Finished deliveries are sent again, like `redeliver`; pending ones stay; events without a delivery get one, unless
 * `only_failed`. Each step is a transaction, so a call that fails in the middle may be repeated.
 * @returns how many deliveries were made due; with `next_cursor` if there is more, for a call with the `until` given
 * here
 * @throws ServiceError `webhook_not_found`, `webhook_inactive`, `invalid_request` (the period), `invalid_cursor`
 */
export async function replay(ctx: Ctx<Caller>, input: ReplayInput): Promise<Replayed> {
  const webhook = await findWebhook(ctx, input.id);
  const window = readWindow(ctx, input);
  const { since, until } = window;
  const list = `replay:${webhook.id}:${since.toISOString()}:${until.toISOString()}:${input.only_failed === true}`;
  let done: Step;
  let next_cursor: string | null = null;
  if (input.only_failed) {
    const after = input.cursor === undefined ? lowestId(since) : readCursor(ctx, list, input.cursor);
    done = await inSteps((last) => replayFailed(ctx, webhook, window, last?.id ?? after));
    if (done.more && done.last) ({ next_cursor } = toPage(ctx, list, [done.last, { id: FIRST_ID }], 1));
  } else {
    const resumed = input.cursor === undefined ? undefined : readPosition(ctx, list, input.cursor);
    const after = resumed ?? (await positionBefore(ctx, since));
    const before = await positionAfter(ctx, until);
    done = await inSteps((last) => replayEvents(ctx, webhook, window, { after: last?.position ?? after, before }));
    if (done.more && done.last) next_cursor = writePosition(ctx, list, done.last.position);
  }
  if (done.replayed > 0) ctx.signals.raise("deliveries");
  return { replayed: done.replayed, until, next_cursor };
}
