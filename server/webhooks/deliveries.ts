// The log of deliveries: lists those of a webhook or a message, and gets one with its attempts.
import type { Fragment, Sql } from "postgres";
import type { WebhookKind } from "#db/event-kinds.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { FIRST_ID, highestId, LAST_ID, lowestId, readTime } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import { findWebhook, isVisible, type WebhookRow } from "./find.ts";

/** The newest attempts of one delivery, because it may be redelivered without limit. */
const ATTEMPTS_MAX = 100;

export type DeliveryRow = {
  id: string;
  webhook_id: string;
  event_id: string;
  event_kind: WebhookKind;
  /** Null if the event is about no message, or no longer stored. */
  message_id: string | null;
  status: "pending" | "succeeded" | "failed";
  /** All attempts, including those before a redelivery. */
  attempt_count: number;
  next_attempt_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  created_at: Date;
  completed_at: Date | null;
};
export type AttemptRow = {
  number: number;
  started_at: Date;
  duration_ms: number;
  status: number | null;
  error: string | null;
  request_headers: [string, string][];
  response_body: string | null;
  next_attempt_at: Date | null;
};
/** `body` is what every attempt sends; null if the event is no longer stored. */
export type WholeDelivery = DeliveryRow & { body: string | null; attempts: AttemptRow[] };

type Page = { limit: number; cursor?: string | undefined };
type Filters = {
  status?: DeliveryRow["status"] | undefined;
  event_id?: string | undefined;
  message_id?: string | undefined;
  after?: string | undefined;
  before?: string | undefined;
};

export function noDelivery(): ServiceError {
  return new ServiceError("delivery_not_found", "The delivery does not exist.");
}

/**
 * The columns of DeliveryRow, of `deliveries d`. Sub-selects, so that each row costs an index lookup and never a join.
 */
function columns(sql: Sql): Fragment {
  return sql`d.id, d.webhook_id, d.event_id, d.event_kind, d.status, d.next_attempt_at, d.last_status, d.last_error, d.created_at,
    d.completed_at,
    (select e.message_id from events e where e.id = d.event_id) as message_id,
    greatest(d.attempts, (
      select a.number from delivery_attempts a where a.delivery_id = d.id order by a.id desc limit 1)) as attempt_count`;
}

/**
 * The deliveries of one webhook between two ids. Compared and ordered in pairs: otherwise a plan that was made while
 * the webhook had few deliveries would later sort all of them (docs/decisions/011). Only the index on both columns has
 * this order.
 */
function range(sql: Sql, webhookId: string, { after, before }: Filters, cursor: string | undefined): Fragment {
  const since = after === undefined ? null : readTime(after);
  const until = before === undefined ? null : readTime(before);
  const upper = until ? highestId(until) : LAST_ID;
  return sql`(d.webhook_id, d.id) > (${webhookId}::uuid, ${since ? lowestId(since) : FIRST_ID}::uuid)
    and (d.webhook_id, d.id) < (${webhookId}::uuid, ${cursor !== undefined && cursor < upper ? cursor : upper}::uuid)
    and (${since}::timestamptz is null or d.created_at > ${since}::timestamptz)
    and (${until}::timestamptz is null or d.created_at < ${until}::timestamptz)`;
}

/** The deliveries of some events have their own index; `offset 0` makes the planner use it (docs/decisions/011). */
function source({ sql, actor }: Ctx<Caller>, { event_id, message_id }: Filters): Fragment {
  if (event_id === undefined && message_id === undefined) return sql`deliveries d`;
  const ofMessage = sql`select id from events
    where message_id = ${decodeId("msg", message_id ?? "") ?? FIRST_ID} and organization_id = ${actor.organizationId}`;
  const eventId = decodeId("evt", event_id ?? "") ?? FIRST_ID;
  const ids = message_id === undefined ? sql`array[${eventId}::uuid]` : sql`array(${ofMessage})`;
  const both = event_id !== undefined && message_id !== undefined ? sql`and event_id = ${eventId}` : sql``;
  return sql`(select * from deliveries where event_id = any(${ids}) ${both} offset 0) d`;
}

/**
 * A webhook's deliveries that match all filters, newest first.
 * @returns a page, and the cursor of the next, which is valid only for this webhook with these filters
 * @throws ServiceError `webhook_not_found`, `invalid_cursor`
 */
export async function listDeliveries(ctx: Ctx<Caller>, input: Page & Filters & { id: string }) {
  const { sql, actor } = ctx;
  const { id, limit, cursor, ...filters } = input;
  const webhook = await findWebhook(ctx, id);
  const list = `deliveries:${webhook.id}:${JSON.stringify(Object.entries(filters).sort())}`;
  const before = cursor === undefined ? undefined : readCursor(ctx, list, cursor);
  // Written as literals, because a parameter cannot use a partial index.
  const withStatus = {
    pending: sql`and d.status = 'pending'`,
    succeeded: sql`and d.status = 'succeeded'`,
    failed: sql`and d.status = 'failed'`,
  };
  const rows = await sql<DeliveryRow[]>`
    select ${columns(sql)} from ${source(ctx, filters)}
    where ${range(sql, webhook.id, filters, before)} and d.organization_id = ${actor.organizationId}
      ${filters.status ? withStatus[filters.status] : sql``}
    order by d.webhook_id desc, d.id desc limit ${limit + 1}`;
  return toPage(ctx, list, rows, limit);
}

/** Only messages that the caller may read, because webhooks of the organization also know the others. */
async function checkMessage({ sql, actor }: Ctx<Caller>, id: string | undefined): Promise<string> {
  const rows = id
    ? await sql`
        select 1 from messages m join inboxes i on i.id = m.inbox_id and i.status = 'live'
        where m.id = ${id} and m.organization_id = ${actor.organizationId}
          ${actor.inboxIds ? sql`and m.inbox_id = any(${actor.inboxIds as string[]}::uuid[])` : sql``}`
    : [];
  if (!id || rows.length === 0) throw new ServiceError("message_not_found", "The message does not exist.");
  return id;
}

/**
 * The deliveries of a message's event to every webhook that the caller may see, newest first.
 * @throws ServiceError `message_not_found`, `invalid_cursor`
 */
export async function listMessageDeliveries(ctx: Ctx<Caller>, { id, limit, cursor }: Page & { id: string }) {
  const { sql, actor } = ctx;
  const messageId = await checkMessage(ctx, decodeId("msg", id));
  const list = `message deliveries:${messageId}:${actor.inboxIds?.join() ?? ""}`;
  const before = cursor === undefined ? LAST_ID : readCursor(ctx, list, cursor);
  const rows = await sql<DeliveryRow[]>`
    select ${columns(sql)} from ${source(ctx, { message_id: id })}
    where d.organization_id = ${actor.organizationId} and d.id < ${before}
      and exists (select from webhooks w where w.id = d.webhook_id and ${isVisible(ctx)})
    order by d.id desc limit ${limit + 1}`;
  return toPage(ctx, list, rows, limit);
}

/** @throws ServiceError `delivery_not_found`, also if it belongs to another webhook */
export async function findDelivery(ctx: Ctx<Caller>, webhook: WebhookRow, wireId: string): Promise<DeliveryRow> {
  const id = decodeId("dlv", wireId);
  const [row] = id
    ? await ctx.sql<DeliveryRow[]>`
        select ${columns(ctx.sql)} from deliveries d
        where d.id = ${id} and d.webhook_id = ${webhook.id} and d.organization_id = ${ctx.actor.organizationId}`
    : [];
  if (!row) throw noDelivery();
  return row;
}

/** One delivery with its attempts, oldest first.\n@throws ServiceError `webhook_not_found`, `delivery_not_found` */
export async function readDelivery(ctx: Ctx<Caller>, wireId: string, wireDeliveryId: string): Promise<WholeDelivery> {
  const { sql, actor } = ctx;
  const row = await findDelivery(ctx, await findWebhook(ctx, wireId), wireDeliveryId);
  const [[event], attempts] = await Promise.all([
    sql<{ body: string }[]>`
      select body from events where id = ${row.event_id} and organization_id = ${actor.organizationId}`,
    sql<AttemptRow[]>`
      select number, started_at, duration_ms, status, error, request_headers, response_body, next_attempt_at
      from delivery_attempts where delivery_id = ${row.id} and organization_id = ${actor.organizationId}
      order by id desc limit ${ATTEMPTS_MAX}`,
  ]);
  return { ...row, body: event?.body ?? null, attempts: attempts.reverse() };
}
