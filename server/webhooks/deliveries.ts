// The log of deliveries: lists those of a webhook or a message, and gets one with its attempts.
import { and, desc, eq, exists, gt, lt, type SQL, sql } from "drizzle-orm";
import { asInIndex, isNotBefore } from "#db/conditions.ts";
import { deliveries, deliveryAttempts, events, webhooks } from "#db/schema/events.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { FIRST_ID, highestId, LAST_ID, lowestId, readTime } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import { isReached } from "../base/tenancy.ts";
import { EVENT_KIND } from "../events/record.ts";
import { detailsOf } from "./delivery/details.ts";
import { bodyIn } from "./delivery/formats.ts";
import { findWebhook, isVisible, type WebhookRow } from "./find.ts";
import { mayRead } from "./register.ts";

/** The newest attempts of one delivery, because it may be redelivered without limit. */
const ATTEMPTS_MAX = 100;

type EventRow = typeof events.$inferSelect;
export type DeliveryRow = Omit<typeof deliveries.$inferSelect, "organization_id" | "attempts" | "resend_at"> & {
  /** Null if the event is about no message, or no longer stored. */
  message_id: EventRow["message_id"];
  /** All attempts, including those before a redelivery. */
  attempt_count: number;
};
const attemptColumns = {
  number: deliveryAttempts.number,
  started_at: deliveryAttempts.started_at,
  duration_ms: deliveryAttempts.duration_ms,
  status: deliveryAttempts.status,
  error: deliveryAttempts.error,
  request_headers: deliveryAttempts.request_headers,
  response_body: deliveryAttempts.response_body,
  next_attempt_at: deliveryAttempts.next_attempt_at,
};
export type AttemptRow = Pick<typeof deliveryAttempts.$inferSelect, keyof typeof attemptColumns>;
/** `body` is what every attempt sends; null if the event is no longer stored, or the key may not read it. */
export type WholeDelivery = DeliveryRow & { body: EventRow["body"] | null; attempts: AttemptRow[] };

type Page = { limit: number; cursor?: string | undefined };
type Filters = {
  /** `retrying`: pending, and an attempt failed. */
  status?: DeliveryRow["status"] | "retrying" | undefined;
  event_id?: string | undefined;
  message_id?: string | undefined;
  after?: string | undefined;
  before?: string | undefined;
};

export function noDelivery(): ServiceError {
  return new ServiceError("delivery_not_found", "The delivery does not exist.");
}

/**
 * The deliveries of `from`, and what else DeliveryRow has. Sub-selects, so that each row costs an index lookup and never
 * a join.
 */
function selectDeliveries({ db }: Ctx<Caller>, from: SQL, rest: SQL) {
  const { id, webhook_id, event_id, event_kind, status, created_at, completed_at } = deliveries;
  const { next_attempt_at, last_status, last_error } = deliveries;
  const message = db.select({ id: events.message_id }).from(events).where(eq(events.id, event_id));
  const number = db
    .select({ number: deliveryAttempts.number })
    .from(deliveryAttempts)
    .where(and(eq(deliveryAttempts.delivery_id, id), isNotBefore(deliveryAttempts.id, id)))
    .orderBy(desc(deliveryAttempts.id))
    .limit(1);
  return db.execute<DeliveryRow>(sql`
    select ${id}, ${webhook_id}, ${event_id}, ${event_kind}, ${status}, ${next_attempt_at}, ${last_status}, ${last_error},
      ${created_at}, ${completed_at}, ${message} as message_id, greatest(${deliveries.attempts}, ${number}) as attempt_count
    from ${from} ${rest}`);
}

/**
 * The deliveries of one webhook between two ids. Compared and ordered in pairs: otherwise a plan that was made while
 * the webhook had few deliveries would later sort all of them (docs/decisions/011). Only the index on both columns has
 * this order.
 */
function range(webhookId: string, { after, before }: Filters, cursor: string | undefined): SQL | undefined {
  const { id, webhook_id, created_at } = deliveries;
  const since = after === undefined ? undefined : readTime(after);
  const until = before === undefined ? undefined : readTime(before);
  const lower = since ? lowestId(since) : FIRST_ID;
  const upper = until ? highestId(until) : LAST_ID;
  const end = cursor !== undefined && cursor < upper ? cursor : upper;
  return and(
    sql`(${webhook_id}, ${id}) > (${webhookId}::uuid, ${lower}::uuid)`,
    sql`(${webhook_id}, ${id}) < (${webhookId}::uuid, ${end}::uuid)`,
    since && gt(created_at, since),
    until && lt(created_at, until),
  );
}

/** The deliveries of some events have their own index; `offset 0` makes the planner use it (docs/decisions/011). */
function source({ actor, db }: Ctx<Caller>, { event_id, message_id }: Filters): SQL {
  if (event_id === undefined && message_id === undefined) return sql`${deliveries}`;
  const messageId = decodeId("msg", message_id ?? "") ?? FIRST_ID;
  const ofMessage = db
    .select({ id: events.id })
    .from(events)
    .where(and(eq(events.message_id, messageId), eq(events.organization_id, actor.organizationId)));
  const eventId = decodeId("evt", event_id ?? "") ?? FIRST_ID;
  const ids = message_id === undefined ? sql`array[${eventId}::uuid]` : sql`array${ofMessage}`;
  const isOne = event_id === undefined || message_id === undefined ? undefined : eq(deliveries.event_id, eventId);
  const isOf = and(sql`${deliveries.event_id} = any(${ids})`, isOne);
  return sql`(select * from ${deliveries} where ${isOf} offset 0) as ${deliveries}`;
}

/**
 * A webhook's deliveries that match all filters, newest first.
 * @returns a page, and the cursor of the next, which is valid only for this webhook with these filters
 * @throws ServiceError `webhook_not_found`, `invalid_cursor`
 */
export async function listDeliveries(ctx: Ctx<Caller>, input: Page & Filters & { id: string }) {
  const { id, limit, cursor, ...filters } = input;
  const webhook = await findWebhook(ctx, id);
  const list = `deliveries:${webhook.id}:${JSON.stringify(Object.entries(filters).sort())}`;
  const before = cursor === undefined ? undefined : readCursor(ctx, list, cursor);
  const { webhook_id, organization_id, status } = deliveries;
  const condition = and(
    range(webhook.id, filters, before),
    eq(organization_id, ctx.actor.organizationId),
    filters.status && asInIndex(eq(status, filters.status === "retrying" ? "pending" : filters.status)),
    filters.status === "retrying" ? gt(deliveries.attempts, 0) : undefined,
  );
  const rows = await selectDeliveries(
    ctx,
    source(ctx, filters),
    sql`where ${condition} order by ${webhook_id} desc, ${deliveries.id} desc limit ${limit + 1}`,
  );
  return toPage(ctx, list, rows, limit);
}

/** Only messages that the caller may read, because webhooks of the organization also know the others. */
async function checkMessage({ db, actor }: Ctx<Caller>, id: string | undefined): Promise<string> {
  const [row] = id
    ? await db
        .select({ id: messages.id })
        .from(messages)
        .innerJoin(inboxes, and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live")))
        .where(
          and(
            eq(messages.id, id),
            eq(messages.organization_id, actor.organizationId),
            isReached(actor, messages.inbox_id),
          ),
        )
    : [];
  if (!id || !row) throw new ServiceError("message_not_found", "The message does not exist.");
  return id;
}

/**
 * The deliveries of a message's event to every webhook that the caller may see, newest first.
 * @throws ServiceError `message_not_found`, `invalid_cursor`
 */
export async function listMessageDeliveries(ctx: Ctx<Caller>, { id, limit, cursor }: Page & { id: string }) {
  const { db, actor } = ctx;
  const messageId = await checkMessage(ctx, decodeId("msg", id));
  const list = `message deliveries:${messageId}:${actor.madeBy ?? actor.inboxIds?.join() ?? ""}`;
  const before = cursor === undefined ? LAST_ID : readCursor(ctx, list, cursor);
  const visible = db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.id, deliveries.webhook_id), isVisible(ctx)));
  const own = and(eq(deliveries.organization_id, actor.organizationId), lt(deliveries.id, before), exists(visible));
  const rows = await selectDeliveries(
    ctx,
    source(ctx, { message_id: id }),
    sql`where ${own} order by ${deliveries.id} desc limit ${limit + 1}`,
  );
  return toPage(ctx, list, rows, limit);
}

/** @throws ServiceError `delivery_not_found`, also if it belongs to another webhook */
export async function findDelivery(ctx: Ctx<Caller>, webhook: WebhookRow, wireId: string): Promise<DeliveryRow> {
  const id = decodeId("dlv", wireId);
  const { webhook_id, organization_id } = deliveries;
  const own = and(eq(webhook_id, webhook.id), eq(organization_id, ctx.actor.organizationId));
  const [row] = id
    ? await selectDeliveries(ctx, sql`${deliveries}`, sql`where ${eq(deliveries.id, id)} and ${own}`)
    : [];
  if (!row) throw noDelivery();
  return row;
}

/**
 * One delivery with its attempts, oldest first.
 * @throws ServiceError `webhook_not_found`, `delivery_not_found`
 */
export async function readDelivery(ctx: Ctx<Caller>, wireId: string, wireDeliveryId: string): Promise<WholeDelivery> {
  const { db, actor } = ctx;
  const { delivery_id, organization_id, id } = deliveryAttempts;
  const webhook = await findWebhook(ctx, wireId);
  const row = await findDelivery(ctx, webhook, wireDeliveryId);
  const [[event], attempts] = await Promise.all([
    db
      .select({ body: events.body })
      .from(events)
      .where(and(eq(events.id, row.event_id), eq(events.organization_id, actor.organizationId))),
    db
      .select(attemptColumns)
      .from(deliveryAttempts)
      .where(
        and(eq(delivery_id, row.id), isNotBefore(id, sql`${row.id}::uuid`), eq(organization_id, actor.organizationId)),
      )
      .orderBy(desc(id))
      .limit(ATTEMPTS_MAX),
  ]);
  const isReadable = row.event_kind === EVENT_KIND || mayRead(actor);
  const own = { ...row, organization_id: actor.organizationId };
  const stored = event && isReadable ? { ...own, body: event.body } : undefined;
  const body = stored ? bodyIn(webhook.format, stored, await detailsOf(ctx, webhook.format, stored)) : null;
  return { ...row, body, attempts: attempts.reverse() };
}
