// PATCH /v1/webhooks/{id}: changes the URL and the kinds of events, disables the webhook, and enables it again after a successful test.
import { setTimeout as delay } from "node:timers/promises";
import { and, eq } from "drizzle-orm";
import type { Sql, TransactionSql } from "postgres";
import type { WebhookKind } from "#db/event-kinds.ts";
import { webhooks } from "#db/schema/events.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { capReached, lockRegistered } from "./caps.ts";
import { type DisabledWebhook, failPending, hasPending } from "./delivery/fail-pending.ts";
import { findWebhook, noWebhook, type WebhookRow } from "./find.ts";
import { checkWebhookUrl } from "./targets/target.ts";
import { postTest, type TestResult } from "./test.ts";

export const BY_REQUEST = "Disabled by request.";
const STEPS = 2_000;
/** Until a worker that holds one of the deliveries releases it. */
const LOCKED_PAUSE_MS = 20;
const LOCKED_STEPS = 50;

type Patch = {
  id: string;
  url?: string | undefined;
  events?: WebhookKind[] | undefined;
  active?: boolean | undefined;
};

/** Until nothing is pending. A delivery that a worker holds for longer fails when it becomes due (deliver.ts). */
async function failAllPending(sql: Sql, target: DisabledWebhook): Promise<void> {
  let locked = 0;
  for (let step = 0; step < STEPS && locked < LOCKED_STEPS; step += 1) {
    if ((await failPending(sql, target)) > 0) continue;
    if (!(await hasPending(sql, target))) return;
    locked += 1;
    await delay(LOCKED_PAUSE_MS);
  }
}

async function disable(ctx: Ctx<Caller>, { id }: WebhookRow): Promise<void> {
  const at = ctx.now();
  await ctx.sql`
    update webhooks set active = false, disabled_reason = ${BY_REQUEST}, disabled_at = ${at}
    where id = ${id} and organization_id = ${ctx.actor.organizationId} and active`;
  await failAllPending(ctx.sql, { webhookId: id, organizationId: ctx.actor.organizationId, reason: BY_REQUEST, at });
}

function testFailed({ status, error }: TestResult): ServiceError {
  const what = status === null ? `failed: ${error}` : `was answered with ${status}`;
  return new ServiceError("webhook_test_failed", `The webhook stays inactive: a test event ${what}.`);
}

/** Runs in a transaction that has checked the new URL against the limits. */
async function counted<Result>(
  ctx: Ctx<Caller>,
  { id, inbox_id: inboxId, url: before }: WebhookRow,
  url: string,
  write: (tx: TransactionSql) => Promise<Result>,
): Promise<Result> {
  const { organizationId } = ctx.actor;
  const written = await ctx.sql.begin(async (tx) => {
    if (url !== before) {
      const registered = await lockRegistered(tx, [organizationId], ctx);
      const refusal = capReached(ctx.settings, registered, organizationId, { id, inboxId, url });
      if (refusal) throw refusal;
    }
    return { result: await write(tx) };
  });
  return written.result;
}

/** Applies only to the webhook as it was tested. */
async function enable(ctx: Ctx<Caller>, webhook: WebhookRow, url: string): Promise<void> {
  const result = await postTest(ctx, webhook, url);
  if (!result.delivered) throw testFailed(result);
  const { count } = await counted(
    ctx,
    webhook,
    url,
    (tx) => tx`
      update webhooks set url = ${url}, active = true, disabled_reason = null, disabled_at = null, failing_since = null
      where id = ${webhook.id} and organization_id = ${ctx.actor.organizationId} and url = ${webhook.url}`,
  );
  if (count === 0) {
    throw new ServiceError("webhook_test_failed", "The webhook was changed while it was tested.");
  }
}

/** Failures of the old URL say nothing about the new one. */
async function setUrl(ctx: Ctx<Caller>, webhook: WebhookRow, url: string): Promise<void> {
  const { count } = await counted(
    ctx,
    webhook,
    url,
    (tx) => tx`
      update webhooks set url = ${url}, failing_since = case when url = ${url} then failing_since end
      where id = ${webhook.id} and organization_id = ${ctx.actor.organizationId}`,
  );
  if (count === 0) throw noWebhook();
}

/** Later events count: deliveries that exist are still sent. */
async function setEvents({ db, actor }: Ctx<Caller>, { id }: WebhookRow, events: WebhookKind[]): Promise<void> {
  await db
    .update(webhooks)
    .set({ events: [...new Set(events)] })
    .where(and(eq(webhooks.id, id), eq(webhooks.organization_id, actor.organizationId)));
}

/**
 * @returns the webhook after the change
 * @throws ServiceError `webhook_not_found`, `invalid_webhook_url`, `too_many_webhooks`; `webhook_test_failed`, without
 * a change, if the endpoint of an inactive webhook (the new `url`, if given) does not answer a test event with 2xx
 */
export async function updateWebhook(ctx: Ctx<Caller>, { id, url, events, active }: Patch): Promise<WebhookRow> {
  const webhook = await findWebhook(ctx, id);
  if (url !== undefined) checkWebhookUrl(url, ctx);
  if (active === true && !webhook.active) await enable(ctx, webhook, url ?? webhook.url);
  else if (url !== undefined) await setUrl(ctx, webhook, url);
  if (events) await setEvents(ctx, webhook, events);
  if (active === false) await disable(ctx, webhook);
  return findWebhook(ctx, id);
}
