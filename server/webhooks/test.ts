// POST /v1/webhooks/{id}/test: posts a signed test event to the endpoint and returns its answer.
import { and, eq } from "drizzle-orm";
import { webhooks } from "#db/schema/events.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId, newId } from "../base/ids.ts";
import { takeToken } from "../base/token-bucket.ts";
import { EVENT_KIND } from "../events/record.ts";
import type { EventBody } from "../events/schema.ts";
import { takeSlot } from "../events/slots.ts";
import { type Endpoint, type EndpointRecord, endpointColumns, openEndpoint, secretsOf } from "./delivery/endpoint.ts";
import { bodyIn } from "./delivery/formats.ts";
import { withMessage } from "./delivery/included.ts";
import { type Answer, createPoster, isSuccess } from "./delivery/post.ts";
import { deliveryHeaders } from "./delivery/sign.ts";
import { findWebhook, noWebhook } from "./find.ts";
import { dialFor } from "./targets/dial.ts";
import { bucketOf } from "./targets/origin-rate.ts";

const TEST_TIMEOUT_MS = 15_000;
const SENDER = "sender@example.com";

export type TestResult = {
  delivered: boolean;
  status: number | null;
  duration_ms: number;
  /** Why there was no answer. */
  error: string | null;
  response_body: string | null;
};

const NO_SIZES = { size: 0, thread: { message_count: 1, size: 0 } };

function testBody({ settings, now }: Ctx<Caller>, { address }: Tested): string {
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

/** A webhook as it is stored, or as it would be stored. */
export type Tested = Omit<EndpointRecord, "read_at"> & { id: string; address: string | null };

async function post(
  ctx: Ctx<Caller>,
  webhook: Tested,
  { target, headers: custom }: NonNullable<Endpoint["ready"]>,
  secrets: string[],
): Promise<Answer> {
  const service = ctx.settings.SERVICE_NAME;
  checkRate(ctx, target.origin);
  const { format } = webhook;
  const event = { event_id: newId(), event_kind: EVENT_KIND, body: testBody(ctx, webhook) };
  // Its message does not exist.
  const body = webhook.include_message
    ? withMessage(event.body, { omitted: "deleted" })
    : bodyIn(format, event, { sizes: NO_SIZES });
  const headers = deliveryHeaders(service, { ...event, id: newId(), format, body }, secrets, ctx.now());
  // Uses new sockets: a test checks whether the endpoint can be reached now.
  const poster = createPoster(dialFor(ctx, TEST_TIMEOUT_MS), TEST_TIMEOUT_MS);
  try {
    return await poster.post(target, [...headers, ...Object.entries(custom).flat(), `X-${service}-Test`, "true"], body);
  } finally {
    await poster.close();
  }
}

/**
 * Posts a test event, signed and with the headers like the webhook's deliveries. Stores nothing.
 * @throws ServiceError `rate_limited` if the key has too many long calls open, or the origin has reached its rate limit
 */
export async function postTest(ctx: Ctx<Caller>, webhook: Tested): Promise<TestResult> {
  const leaveSlot = takeSlot(ctx);
  try {
    const { ready, problem = null } = openEndpoint(ctx, webhook.id, webhook);
    if (!ready) return { delivered: false, status: null, duration_ms: 0, error: problem, response_body: null };
    const secrets = secretsOf({ record: webhook, ready }, ctx.now());
    const { status, error, durationMs, body } = await post(ctx, webhook, ready, secrets);
    return { delivered: isSuccess(status), status, duration_ms: durationMs, error, response_body: body };
  } finally {
    leaveSlot();
  }
}

/** @throws ServiceError `webhook_not_found`, `rate_limited` */
export async function testWebhook(ctx: Ctx<Caller>, wireId: string): Promise<TestResult> {
  const { id, address } = await findWebhook(ctx, wireId);
  const [row] = await ctx.db
    .select(endpointColumns)
    .from(webhooks)
    .where(and(eq(webhooks.id, id), eq(webhooks.organization_id, ctx.actor.organizationId)));
  if (!row) throw noWebhook();
  return postTest(ctx, { ...row, address });
}
