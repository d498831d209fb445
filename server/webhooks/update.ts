// PATCH /v1/webhooks/{id}: changes the URL and the kinds of events, disables the webhook, and enables it again after a successful test.
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { type Database, plainOf, type Transaction } from "#db/client.ts";
import type { WebhookKind } from "#db/event-kinds.ts";
import { webhooks } from "#db/schema/events.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { capReached, lockRegistered } from "./caps.ts";
import { type CustomHeaders, checkHeaders, sealHeaders } from "./delivery/custom-headers.ts";
import { type DisabledWebhook, failPending, hasPending } from "./delivery/fail-pending.ts";
import { checkFilter, type Filter, filterColumns, storedFilter } from "./delivery/filter.ts";
import { checkKinds } from "./delivery/formats.ts";
import { checkInclude, type Include } from "./delivery/included.ts";
import { findWebhook, nameOf, type WebhookRow } from "./find.ts";
import { requireReading } from "./register.ts";
import { checkWebhookUrl, receiverUrl } from "./targets/target.ts";
import { postTest, type TestResult } from "./test.ts";

export const BY_REQUEST = "Disabled by request.";
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

function isThis({ actor }: Ctx<Caller>, { id }: WebhookRow) {
  return and(eq(webhooks.id, id), eq(webhooks.organization_id, actor.organizationId));
}

const { events, include_message } = webhooks;
const settingsOf = {
  url: webhooks.url,
  name: webhooks.name,
  events,
  ...filterColumns,
  include_message,
  active: webhooks.active,
};
/** Of headers, which may hold secrets: the activity does not keep them. */
export const HEADERS_GONE = "The headers that it sent before are not kept.";

/** @param only which state it must have. @returns whether it had it, and was changed */
async function write(
  ctx: Ctx<Caller>,
  tx: Transaction,
  webhook: WebhookRow,
  set: PgUpdateSetSource<typeof webhooks>,
  only?: SQL,
): Promise<boolean> {
  const isIt = isThis(ctx, webhook);
  const [before] = await tx.select(settingsOf).from(webhooks).where(and(isIt, only)).for("update");
  if (!before) return false;
  const [after = before] = await tx.update(webhooks).set(set).where(isIt).returning(settingsOf);
  const names = (Object.keys(settingsOf) as (keyof typeof before)[]).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  const final = "headers" in set ? HEADERS_GONE : undefined;
  if (names.length === 0 && !final) return true;
  const chosen = (row: typeof before) => Object.fromEntries(names.map((name) => [name, row[name]]));
  const values = { before: chosen(before), after: chosen(after) };
  const change = {
    kind: "webhook" as const,
    id: webhook.id,
    name: nameOf(webhook),
    ...values,
    ...(final && { final }),
  };
  await record(ctx, tx, [change], { inbox_id: webhook.inbox_id });
  return true;
}

async function disable(ctx: Ctx<Caller>, webhook: WebhookRow): Promise<void> {
  const { id } = webhook;
  const at = ctx.now();
  const disabled = { active: false, disabled_reason: BY_REQUEST, disabled_at: at };
  await ctx.db.transaction((tx) => write(ctx, tx, webhook, disabled, sql`${webhooks.active}`));
  await failAllPending(ctx.db, { webhookId: id, organizationId: ctx.actor.organizationId, reason: BY_REQUEST, at });
}

function testFailed({ status, error }: TestResult): ServiceError {
  const what = status === null ? `failed: ${error}` : `was answered with ${status}`;
  return new ServiceError("webhook_test_failed", `The webhook stays inactive: a test event ${what}.`);
}

/** Runs in a transaction that has checked the new URL against the limits. */
async function counted<Result>(
  ctx: Ctx<Caller>,
  { id, inbox_id: inboxId, agent_id: agentId, url: before }: WebhookRow,
  url: string,
  write: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const { organizationId } = ctx.actor;
  const written = await ctx.db.transaction(async (tx) => {
    if (url !== before) {
      const registered = await lockRegistered(plainOf(tx), [organizationId], ctx);
      const refusal = capReached(ctx.settings, registered, organizationId, { id, inboxId, agentId, url });
      if (refusal) throw refusal;
    }
    return { result: await write(tx) };
  });
  return written.result;
}

type Set = PgUpdateSetSource<typeof webhooks>;

/** Applies only to the webhook as it was tested. */
async function enable(ctx: Ctx<Caller>, webhook: WebhookRow, url: string, set: Set): Promise<void> {
  const result = await postTest(ctx, webhook, url);
  if (!result.delivered) throw testFailed(result);
  const enabled = { ...set, url, active: true, disabled_reason: null, disabled_at: null, failing_since: null };
  const isTested = and(eq(webhooks.url, webhook.url), mayTakeHeaders(webhook, enabled));
  if (!(await counted(ctx, webhook, url, (tx) => write(ctx, tx, webhook, enabled, isTested)))) {
    throw new ServiceError("webhook_test_failed", "The webhook was changed while it was tested.");
  }
}

/** Failures of the old URL say nothing about the new one. */
async function setUrl(ctx: Ctx<Caller>, webhook: WebhookRow, url: string, set: Set): Promise<void> {
  const failing_since = sql`case when ${webhooks.url} = ${url} then ${webhooks.failing_since} end`;
  const changed = { ...set, url, failing_since };
  const only = mayTakeHeaders(webhook, changed);
  if (await counted(ctx, webhook, url, (tx) => write(ctx, tx, webhook, changed, only))) return;
  await findWebhook(ctx, encodeId("whk", webhook.id));
  throw headersStay();
}

/** Another caller may set headers, or another URL for them, after the webhook was read. */
function mayTakeHeaders(webhook: WebhookRow, set: { url: string; headers?: unknown }): SQL | undefined {
  if ("headers" in set) return;
  const hasNone = isNull(webhooks.header_names);
  return isSameOrigin(webhook.url, set.url) ? or(hasNone, eq(webhooks.url, webhook.url)) : hasNone;
}

export const isSameOrigin = (one: string, other: string) => new URL(one).origin === new URL(other).origin;

/** The headers cannot be read by callers, and another server would read them. */
function headersStay(): ServiceError {
  return invalidField("headers", "give them again, or `{}`, with a `url` of another origin");
}

/** Later events count: deliveries that exist are still sent. */
function chosenSet(
  ctx: Ctx<Caller>,
  webhook: WebhookRow,
  { name, events, filter, headers, include }: Omit<Patch, "id">,
) {
  return {
    ...(name !== undefined && { name: name || null }),
    ...(events && { events: [...new Set(events)] }),
    ...(filter && storedFilter(filter)),
    ...(include && { include_message: include.length > 0 }),
    ...(headers && sealHeaders(ctx, webhook.id, headers)),
  };
}

/**
 * @returns the webhook after the change
 * @throws ServiceError `webhook_not_found`, `invalid_webhook_url`, `too_many_webhooks`; `webhook_test_failed`, without
 * a change, if the endpoint of an inactive webhook (the new `url`, if given) does not answer a test event with 2xx
 */
export async function updateWebhook(ctx: Ctx<Caller>, { id, url, active, ...chosen }: Patch): Promise<WebhookRow> {
  const webhook = await findWebhook(ctx, id);
  // Another URL would get what the webhook had before.
  const include = chosen.include ? chosen.include.length > 0 : webhook.include_message === true;
  const kinds = chosen.events ?? webhook.events;
  requireReading(ctx, kinds, include || webhook.include_message === true);
  checkInclude(include, kinds, webhook.format);
  checkKinds(webhook.format, chosen.events ?? []);
  if (chosen.filter || chosen.events) {
    checkFilter(chosen.filter ? storedFilter(chosen.filter) : webhook, kinds);
  }
  checkHeaders(ctx, chosen.headers ?? {});
  if (url !== undefined) {
    // Members can read the secret of a test receiver, so it must not sign for an endpoint.
    if (webhook.url === receiverUrl(webhook.id))
      throw new ServiceError("invalid_webhook_url", "A test receiver keeps its URL.");
    checkWebhookUrl(url, ctx);
    if (webhook.header_names && !chosen.headers && !isSameOrigin(webhook.url, url)) throw headersStay();
  }
  // In one write, so that no delivery has the new URL with the headers of the old one.
  const set = chosenSet(ctx, webhook, chosen);
  if (active === true && !webhook.active) await enable(ctx, webhook, url ?? webhook.url, set);
  else if (url !== undefined) await setUrl(ctx, webhook, url, set);
  else if (Object.keys(set).length > 0) await ctx.db.transaction((tx) => write(ctx, tx, webhook, set));
  if (active === false) await disable(ctx, webhook);
  return findWebhook(ctx, id);
}
