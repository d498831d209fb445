// PATCH /v1/webhooks/{id}: changes a webhook in one transaction, and enables it only after a successful test.
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { and, eq } from "drizzle-orm";
import { type Database, plainOf, type Transaction } from "#db/client.ts";
import type { WebhookKind } from "#db/event-kinds.ts";
import { webhooks } from "#db/schema/events.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { capReached, lockRegistered } from "./caps.ts";
import { type CustomHeaders, checkHeaders, headersMayGo, sealHeaders } from "./delivery/custom-headers.ts";
import { endpointColumns } from "./delivery/endpoint.ts";
import { type DisabledWebhook, failPending, hasPending } from "./delivery/fail-pending.ts";
import { checkFilter, type Filter, filterColumns, storedFilter } from "./delivery/filter.ts";
import { checkKinds } from "./delivery/formats.ts";
import { checkInclude, type Include } from "./delivery/included.ts";
import { findWebhook, nameOf, noWebhook, type WebhookRow } from "./find.ts";
import { requireReading } from "./register.ts";
import { checkWebhookUrl, receiverUrl } from "./targets/target.ts";
import { postTest } from "./test.ts";

export const BY_REQUEST = "Disabled by request.";
/** Of headers, which may hold secrets: the activity does not keep them. */
export const HEADERS_GONE = "The headers that it sent before are not kept.";
const STEPS = 2_000;
/** Until a worker that holds one of the deliveries releases it. */
const LOCKED_PAUSE_MS = 20;
const LOCKED_STEPS = 50;

type Patch = {
  id: string;
  url?: string | undefined;
  /** Empty: none. */
  name?: string | undefined;
  events?: WebhookKind[] | undefined;
  /** In place of the one before; an empty one removes it. */
  filter?: Filter | undefined;
  /** In place of those before; none removes them. */
  headers?: CustomHeaders | undefined;
  include?: Include | undefined;
  active?: boolean | undefined;
};
/** What the activity keeps, with the values before and after. */
const recorded = {
  url: webhooks.url,
  name: webhooks.name,
  events: webhooks.events,
  ...filterColumns,
  include_message: webhooks.include_message,
  active: webhooks.active,
};
const columns = { ...endpointColumns, ...recorded };
type Row = Pick<typeof webhooks.$inferSelect, keyof typeof columns>;
type Values = Partial<typeof webhooks.$inferSelect>;

/**
 * @returns the webhook after the change
 * @throws ServiceError `webhook_not_found`, `invalid_webhook_url`, `too_many_webhooks`; `webhook_test_failed`, without
 * a change, if the endpoint of an inactive webhook (as it would be stored) does not answer a test event with 2xx
 */
export async function updateWebhook(ctx: Ctx<Caller>, patch: Patch): Promise<WebhookRow> {
  const webhook = await findWebhook(ctx, patch.id);
  const { id, inbox_id: inboxId, agent_id: agentId } = webhook;
  const { organizationId } = ctx.actor;
  const { url, active } = patch;
  const tested = active === true && !webhook.active ? await testBefore(ctx, webhook, patch) : undefined;
  const at = ctx.now();
  await ctx.db.transaction(async (tx) => {
    // Before the row, as everywhere.
    const registered = url === undefined ? undefined : await lockRegistered(plainOf(tx), [organizationId], ctx);
    const [before] = await selectRow(ctx, tx, id).for("update");
    if (!before) throw noWebhook();
    if (tested && !isSameRequest(tested, before)) {
      throw new ServiceError("webhook_test_failed", "The webhook was changed while it was tested.");
    }
    const values = valuesOf(ctx, before, patch);
    if (registered && url !== undefined && url !== before.url) {
      const refusal = capReached(ctx.settings, registered, organizationId, { id, inboxId, agentId, url });
      if (refusal) throw refusal;
    }
    if (tested) Object.assign(values, stateOf(true, at));
    if (active === false && before.active) Object.assign(values, stateOf(false, at));
    if (Object.keys(values).length === 0) return;
    await tx.update(webhooks).set(values).where(isOwn(ctx, id));
    await recordChange(ctx, tx, webhook, before, values);
  });
  if (active === false) await failAllPending(ctx.db, { webhookId: id, organizationId, reason: BY_REQUEST, at });
  return findWebhook(ctx, patch.id);
}

function isOwn({ actor }: Ctx<Caller>, id: string) {
  return and(eq(webhooks.id, id), eq(webhooks.organization_id, actor.organizationId));
}

function selectRow(ctx: Ctx<Caller>, db: Database | Transaction, id: string) {
  return db.select(columns).from(webhooks).where(isOwn(ctx, id));
}

/** Tests the webhook as the patch would store it. @returns the row to which this applies */
async function testBefore(ctx: Ctx<Caller>, { id, address }: WebhookRow, patch: Patch): Promise<Row> {
  const [before] = await selectRow(ctx, ctx.db, id);
  if (!before) throw noWebhook();
  const { delivered, status, error } = await postTest(ctx, { ...before, ...valuesOf(ctx, before, patch), address });
  if (delivered) return before;
  const what = status === null ? `failed: ${error}` : `was answered with ${status}`;
  throw new ServiceError("webhook_test_failed", `The webhook stays inactive: a test event ${what}.`);
}

/** Whether the webhook still sends the requests that were tested. */
function isSameRequest(tested: Row, now: Row): boolean {
  const of = ({ url, headers, include_message }: Row) => [url, headers, include_message];
  return isDeepStrictEqual(of(tested), of(now));
}

/**
 * The values that a patch gives to a row. Later events count: deliveries that exist are still sent.
 * @throws ServiceError for what may not be stored, or not beside the rest of the row
 */
function valuesOf(ctx: Ctx<Caller>, before: Row, { url, name, events, filter, headers, include }: Patch): Values {
  // Another URL would get what the webhook had before.
  const had = before.include_message === true;
  const has = include ? include.length > 0 : had;
  const kinds = events ?? before.events;
  requireReading(ctx, kinds, has || had);
  checkInclude(has, kinds, before.format);
  checkKinds(before.format, events ?? []);
  if (filter || events) checkFilter(filter ? storedFilter(filter) : before, kinds);
  checkHeaders(ctx, headers ?? {});
  if (url !== undefined) {
    // Members can read the secret of a test receiver, so it must not sign for an endpoint.
    if (before.url === receiverUrl(before.id))
      throw new ServiceError("invalid_webhook_url", "A test receiver keeps its URL.");
    checkWebhookUrl(url, ctx);
    if (before.headers && !headers && !headersMayGo(before.url, url))
      throw invalidField("headers", "give them again, or `{}`, with a `url` of another origin");
  }
  return {
    ...(url !== undefined && { url }),
    // Failures of the old URL say nothing about the new one.
    ...(url !== undefined && url !== before.url && { failing_since: null }),
    ...(name !== undefined && { name: name || null }),
    ...(events && { events: [...new Set(events)] }),
    ...(filter && storedFilter(filter)),
    ...(include && { include_message: has }),
    ...(headers && sealHeaders(ctx, before.id, headers)),
  };
}

/** The columns of a webhook that becomes active or inactive by request. */
export function stateOf(active: boolean, at: Date): Values {
  return active
    ? { active, disabled_reason: null, disabled_at: null, failing_since: null }
    : { active, disabled_reason: BY_REQUEST, disabled_at: at };
}

async function recordChange(
  ctx: Ctx<Caller>,
  tx: Transaction,
  webhook: WebhookRow,
  before: Row,
  values: Values,
): Promise<void> {
  const after = { ...before, ...values };
  const names = (Object.keys(recorded) as (keyof typeof recorded)[]).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  const final = "headers" in values ? HEADERS_GONE : undefined;
  if (names.length === 0 && !final) return;
  const chosen = (row: Row) => Object.fromEntries(names.map((name) => [name, row[name]]));
  const change = {
    kind: "webhook" as const,
    id: webhook.id,
    name: nameOf(before),
    before: chosen(before),
    after: chosen(after),
    ...(final && { final }),
  };
  await record(ctx, tx, [change], { inbox_id: webhook.inbox_id });
}

/** Until nothing is pending. A delivery that a worker holds for longer fails when it becomes due (deliver.ts). */
async function failAllPending(db: Database, target: DisabledWebhook): Promise<void> {
  let locked = 0;
  for (let step = 0; step < STEPS && locked < LOCKED_STEPS; step += 1) {
    if ((await failPending(db, target)) > 0) continue;
    if (!(await hasPending(db, target))) return;
    locked += 1;
    await delay(LOCKED_PAUSE_MS);
  }
}
