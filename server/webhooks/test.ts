// POST /v1/webhooks/{id}/test: posts a signed test event to the endpoint and returns its answer.
import { and, eq, sql } from "drizzle-orm";
import { webhooks } from "#db/schema/events.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId, newId } from "../base/ids.ts";
import { takeToken } from "../base/token-bucket.ts";
import type { EventBody } from "../events/schema.ts";
import { takeSlot } from "../events/slots.ts";
import { type CustomHeaders, openHeaders } from "./delivery/custom-headers.ts";
import { bodyIn } from "./delivery/formats.ts";
import { withMessage } from "./delivery/included.ts";
import { type Answer, createPoster, isSuccess } from "./delivery/post.ts";
import { deliveryHeaders } from "./delivery/sign.ts";
import { findWebhook, noWebhook, type WebhookRow } from "./find.ts";
import { dialFor } from "./targets/dial.ts";
import { bucketOf } from "./targets/origin-rate.ts";
import { checkTarget } from "./targets/target.ts";

const TEST_TIMEOUT_MS = 15_000;
const EVENT_KIND = "message.received";
const SENDER = "sender@example.com";

export type TestResult = {
  delivered: boolean;
  status: number | null;
  duration_ms: number;
  /** Why there was no answer. */
  error: string | null;
  response_body: string | null;
};

/** Signs like every delivery: with the secret, and with the previous one while it is valid. */
async function openSecrets(ctx: Ctx<Caller>, id: string): Promise<{ secrets: string[]; headers: CustomHeaders }> {
  const { secret, headers, previous_secret, previous_secret_expires_at: expiresAt } = webhooks;
  const previous = sql<Buffer | null>`case when ${expiresAt} > ${ctx.now()} then ${previous_secret} end`;
  const [row] = await ctx.db
    .select({ secret, headers, previous })
    .from(webhooks)
    .where(and(eq(webhooks.id, id), eq(webhooks.organization_id, ctx.actor.organizationId)));
  if (!row) throw noWebhook();
  const { secrets } = ctx;
  const previousSealed = row.previous && secrets.isOwn(row.previous) ? [row.previous] : [];
  return {
    secrets: [row.secret, ...previousSealed].map((sealed) => secrets.open(sealed, id)),
    headers: openHeaders(ctx, id, row.headers),
  };
}

function testBody({ settings, now }: Ctx<Caller>, { address }: WebhookRow): string {
  const message = {
    id: encodeId("msg", newId()),
    thread_id: encodeId("thr", newId()),
    from: SENDER,
    subject: "Test",
    received_at: now().toISOString(),
  };
  const body: EventBody = { event: EVENT_KIND, inbox: address ?? `test@${settings.DEFAULT_DOMAIN}`, message };
  return JSON.stringify(body);
}

/** Tests count against the rate limit of their origin, like deliveries. */
function checkRate({ originRates }: Ctx<Caller>, origin: string): void {
  const now = performance.now();
  if (takeToken(originRates, bucketOf(originRates, origin, now), now)) return;
  throw new ServiceError("rate_limited", `${origin} has reached its limit of requests per second.`, {
    headers: { "Retry-After": "1" },
  });
}

async function post(ctx: Ctx<Caller>, webhook: WebhookRow, url: string): Promise<Answer> {
  const service = ctx.settings.SERVICE_NAME;
  const { origin, pathname, search } = new URL(checkTarget({ id: webhook.id, url }, ctx));
  checkRate(ctx, origin);
  const { format } = webhook;
  const event = { event_id: newId(), event_kind: EVENT_KIND, body: testBody(ctx, webhook) };
  // Its message does not exist.
  const body = webhook.include_message ? withMessage(event.body, { omitted: "deleted" }) : bodyIn(format, event);
  const { secrets, headers: custom } = await openSecrets(ctx, webhook.id);
  const invented = { ...event, id: newId(), format, body };
  const headers = deliveryHeaders(service, invented, secrets, ctx.now());
  // A test of another URL, before it is the webhook's, has no headers: they may be those of another server.
  const sent = origin === new URL(webhook.url).origin ? Object.entries(custom).flat() : [];
  // Uses new sockets: a test checks whether the endpoint can be reached now.
  const poster = createPoster(dialFor(ctx, TEST_TIMEOUT_MS), TEST_TIMEOUT_MS);
  try {
    return await poster.post(
      { origin, path: pathname + search },
      [...headers, ...sent, `X-${service}-Test`, "true"],
      body,
    );
  } finally {
    await poster.close();
  }
}

/**
 * Posts a test event to `url`, signed like the webhook's deliveries. Stores nothing.
 * @throws ServiceError `rate_limited` if the key has too many long calls open, or the origin has reached its rate limit
 */
export async function postTest(ctx: Ctx<Caller>, webhook: WebhookRow, url: string): Promise<TestResult> {
  const leaveSlot = takeSlot(ctx);
  const failed = { delivered: false, status: null, duration_ms: 0, response_body: null };
  try {
    const { status, error, durationMs, body } = await post(ctx, webhook, url);
    return { delivered: isSuccess(status), status, duration_ms: durationMs, error, response_body: body };
  } catch (error) {
    // Settings may have become stricter since the registration.
    if (error instanceof ServiceError && error.code === "invalid_webhook_url")
      return { ...failed, error: error.message };
    throw error;
  } finally {
    leaveSlot();
  }
}

/** @throws ServiceError `webhook_not_found`, `rate_limited` */
export async function testWebhook(ctx: Ctx<Caller>, wireId: string): Promise<TestResult> {
  const webhook = await findWebhook(ctx, wireId);
  return postTest(ctx, webhook, webhook.url);
}
