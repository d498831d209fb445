// POST /v1/webhooks/{id}/replay: sends a webhook the events of a period again, including events from before its
// registration.
import { and, eq, gt, gte, lt, ne, sql } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { anyOf, asInIndex } from "#db/conditions.ts";
import { deliveries, events, webhooks } from "#db/schema/events.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, readPosition, toPage, writePosition } from "../base/cursor.ts";
import { invalidField } from "../base/errors.ts";
import { FIRST_ID, lowestId, readTime } from "../base/id-range.ts";
import { isReached } from "../base/tenancy.ts";
import { positionAfter, positionBefore } from "../events/place.ts";
import { insertDueDeliveries } from "./delivery/insert-deliveries.ts";
import { createFilterCheck } from "./delivery/subscribers.ts";
import { findWebhook, noWebhook, type WebhookRow } from "./find.ts";
import { recordDelivered, webhookInactive } from "./redeliver.ts";

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

function readWindow({ now }: Ctx<Caller>, input: ReplayInput): Window {
  const since = readTime(input.since);
  const latest = now();
  const until = input.until === undefined ? latest : readTime(input.until);
  if (until.getTime() < since.getTime()) throw invalidField("until", "must not be before `since`");
  if (until.getTime() - since.getTime() > WINDOW_MAX_DAYS * DAY_MS) {
    throw invalidField("since", `must be at most ${WINDOW_MAX_DAYS} days before \`until\``);
  }
  return { since, until: until < latest ? until : latest };
}

/** One replay or retry per webhook at a time: two concurrent replays would both create a missing delivery. */
export async function lock({ actor }: Ctx<Caller>, tx: Transaction, { id }: WebhookRow): Promise<void> {
  const [row] = await tx
    .select({ active: webhooks.active })
    .from(webhooks)
    .where(and(eq(webhooks.id, id), eq(webhooks.organization_id, actor.organizationId)))
    .for("no key update");
  if (!row) throw noWebhook();
  if (!row.active) throw webhookInactive();
}

/**
 * Makes finished deliveries due again, like `redeliver`. A locked one has an outcome being written and is skipped, to
 * avoid a deadlock.
 */
async function sendAgain({ now }: Ctx<Caller>, tx: Transaction, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const finished = tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(anyOf(deliveries.id, ids), ne(deliveries.status, "pending")))
    .for("update", { skipLocked: true });
  const { count } = await tx
    .update(deliveries)
    .set({ status: "pending", attempts: 0, next_attempt_at: now(), resend_at: null, completed_at: null })
    .where(sql`${deliveries.id} = any(array${finished})`);
  return count;
}

async function replayFailed(ctx: Ctx<Caller>, webhook: WebhookRow, window: Window, after: string): Promise<Step> {
  return ctx.db.transaction(async (tx) => {
    await lock(ctx, tx, webhook);
    const isWithin = tx
      .select({ is: sql`${gte(events.created_at, window.since)} and ${lt(events.created_at, window.until)}` })
      .from(events)
      .where(eq(events.id, deliveries.event_id));
    const { webhook_id, organization_id, status } = deliveries;
    const own = and(eq(webhook_id, webhook.id), eq(organization_id, ctx.actor.organizationId));
    const rows = await tx
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(and(own, asInIndex(eq(status, "failed")), gt(deliveries.id, after), sql`${isWithin}`))
      .orderBy(deliveries.id)
      .limit(PER_STEP + 1);
    const ids = rows.slice(0, PER_STEP).map(({ id }) => id);
    const last = ids.at(-1);
    const replayed = await sendAgain(ctx, tx, ids);
    if (replayed > 0) await recordDelivered(ctx, tx, webhook);
    return { replayed, last: last ? { id: last, position: 0 } : undefined, more: rows.length > PER_STEP };
  });
}

/** The webhook's deliveries of events. `offset 0` makes the planner use the index by event (docs/decisions/011). */
function findDeliveries(tx: Transaction, webhookId: string, organizationId: string, eventIds: string[]) {
  const { id, event_id, webhook_id, organization_id } = deliveries;
  return tx.execute<Pick<typeof deliveries.$inferSelect, "id" | "event_id">>(sql`
    select ${id}, ${event_id}
    from (select * from ${deliveries} where ${anyOf(event_id, eventIds)} offset 0) as ${deliveries}
    where ${and(eq(webhook_id, webhookId), eq(organization_id, organizationId))}`);
}

/** Events after one position and before another. Positions in the log have their deliveries. */
async function replayEvents(
  ctx: Ctx<Caller>,
  webhook: WebhookRow,
  { since, until }: Window,
  bounds: { after: number; before: number },
): Promise<Step> {
  const { organizationId } = ctx.actor;
  const { organization_id, position, created_at, kind, inbox_id } = events;
  const isOwn = and(
    eq(organization_id, organizationId),
    anyOf(kind, webhook.events),
    isReached(
      { organizationId, inboxIds: webhook.inbox_id === null ? null : [webhook.inbox_id], madeBy: webhook.agent_id },
      inbox_id,
    ),
  );
  const isWithin = and(gte(created_at, since), lt(created_at, until));
  const isNext = and(gt(position, bounds.after), lt(position, bounds.before));
  return ctx.db.transaction(async (tx) => {
    await lock(ctx, tx, webhook);
    const rows = await tx
      .select({ id: events.id, organization_id, position, kind, message_id: events.message_id })
      .from(events)
      .where(and(isOwn, isNext, isWithin))
      .orderBy(position)
      .limit(PER_STEP + 1);
    const found = rows.slice(0, PER_STEP);
    const ids = found.map(({ id }) => id);
    const known = await findDeliveries(tx, webhook.id, organizationId, ids);
    const owed = new Set(known.map(({ event_id }) => event_id));
    const unsent = found.filter(({ id }) => !owed.has(id));
    const passes = await createFilterCheck(plainOf(tx), [webhook], unsent);
    const missing = unsent.filter((event) => passes(webhook, event));
    const again = await sendAgain(
      ctx,
      tx,
      known.map(({ id }) => id),
    );
    const own = { organization_id: organizationId, webhook_id: webhook.id };
    const due = missing.map(({ id, kind: event_kind }) => ({ ...own, event_id: id, event_kind }));
    await insertDueDeliveries(plainOf(tx), due, ctx.now());
    const replayed = again + due.length;
    if (replayed > 0) await recordDelivered(ctx, tx, webhook);
    return { replayed, last: found.at(-1), more: rows.length > PER_STEP };
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
