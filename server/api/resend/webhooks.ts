// Resend's webhooks: ours with deliveries in their form. An event of a webhook is a delivery here.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { KINDS_OF } from "../../webhooks/delivery/formats.ts";
import { type Api, anyInput, notAvailable, type Output, route, withFieldNames } from "../compat/route.ts";
import { listOf, type PageQuery, pageAfter, pageQuery, sliceOf } from "./parts.ts";

type Webhook = Output<"webhooks", "get">;
type Kind = Webhook["events"][number];
type Delivery = Output<"webhooks", "listDeliveries">["data"][number];

const KINDS = KINDS_OF.resend;
const kindNames = Object.entries(KINDS) as [Kind, string][];
const STATUS = { succeeded: "success", pending: "pending", failed: "failed" } as const;

/** @throws ServiceError `invalid_request` */
function kindsOf(events: string[]): Kind[] {
  return events.map((event) => {
    const kind = kindNames.find(([, theirs]) => theirs === event)?.[0];
    if (kind) return kind;
    const known = kindNames.map(([, theirs]) => theirs).join(", ");
    throw notAvailable(`events: there is no ${event.slice(0, 100)} here; these are: ${known}.`);
  });
}

/** The secret is shown once, in the answer to the create. */
function webhookView(webhook: Webhook) {
  return {
    id: webhook.id,
    endpoint: webhook.url,
    created_at: webhook.created_at,
    status: webhook.active ? "enabled" : "disabled",
    events: webhook.events.flatMap((kind) => KINDS[kind] ?? []),
  };
}

/** @throws ServiceError `webhook_not_found` */
async function webhookOf(api: Api, id: string): Promise<Webhook> {
  const webhook = await api.call("webhooks", "get", { id });
  if (webhook.format === "resend") return webhook;
  throw new ServiceError("webhook_not_found", "The webhook does not exist.");
}

const createBody = z.strictObject({ endpoint: z.string(), events: z.array(z.string()).min(1) });
const updateBody = z.strictObject({
  endpoint: z.string().optional(),
  events: z.array(z.string()).min(1).optional(),
  status: z.enum(["enabled", "disabled"]).optional(),
});

const NAMES = { url: "endpoint", active: "status" };

async function create(api: Api, { endpoint, events }: z.infer<typeof createBody>) {
  const { id, secret } = await withFieldNames(
    NAMES,
    api.call("webhooks", "register", { url: endpoint, events: kindsOf(events), format: "resend" }),
  );
  return { object: "webhook", id, signing_secret: secret };
}

async function update(api: Api, id: string, { endpoint, events, status }: z.infer<typeof updateBody>) {
  await webhookOf(api, id);
  const changes = {
    ...(endpoint !== undefined && { url: endpoint }),
    ...(events && { events: kindsOf(events) }),
    ...(status && { active: status === "enabled" }),
  };
  await withFieldNames(NAMES, api.call("webhooks", "update", { id, ...changes }));
  return { object: "webhook", id };
}

function eventView({ id, event, created_at, status }: Delivery) {
  return { id, type: KINDS[event] ?? event, created_at, status: STATUS[status] };
}

async function getEvent(api: Api, id: string, delivery_id: string) {
  await webhookOf(api, id);
  const delivery = await api.call("webhooks", "getDelivery", { id, delivery_id });
  return {
    object: "webhook_event",
    ...eventView(delivery),
    next_attempt_at: delivery.next_attempt_at,
    payload: delivery.body === null ? null : JSON.parse(delivery.body),
  };
}

/** Newest first. */
async function attempts(api: Api, id: string, delivery_id: string, query: PageQuery) {
  await webhookOf(api, id);
  const delivery = await api.call("webhooks", "getDelivery", { id, delivery_id });
  const all = delivery.attempts.toReversed().map(({ number, status, response_body, error, started_at }) => ({
    id: `${delivery_id}.${number}`,
    http_status_code: status ?? NO_ANSWER,
    response: response_body ?? error ?? "",
    sent_at: started_at,
  }));
  const { items, hasMore } = sliceOf(all, (each) => each.id, query);
  return listOf(items, hasMore);
}
/** In the place of the status. */
const NO_ANSWER = 0;

const ONE = "/webhooks/{id}";
const EVENT = `${ONE}/events/{event_id}`;

export const webhookRoutes = [
  route("POST /webhooks", createBody, (api, _, body) => create(api, body)),
  route("GET /webhooks", pageQuery, async (api, _, query) => {
    const { items, hasMore } = await pageAfter(
      api,
      {
        fetch: (page) => api.call("webhooks", "list", page),
        idOf: ({ id }) => id,
        keep: ({ format }) => format === "resend",
      },
      query,
    );
    return listOf(items.map(webhookView), hasMore);
  }),
  route(`GET ${ONE}`, anyInput, async (api, { id = "" }) => ({
    object: "webhook",
    ...webhookView(await webhookOf(api, id)),
  })),
  route(`PATCH ${ONE}`, updateBody, (api, { id = "" }, body) => update(api, id, body)),
  route(`DELETE ${ONE}`, anyInput, async (api, { id = "" }) => {
    await webhookOf(api, id);
    return { object: "webhook", ...(await api.call("webhooks", "remove", { id })) };
  }),
  route(`POST ${ONE}/signing-secret/rotate`, anyInput, async (api, { id = "" }) => {
    await webhookOf(api, id);
    return { object: "webhook", id, signing_secret: (await api.call("webhooks", "rotateSecret", { id })).secret };
  }),
  route(`GET ${ONE}/events`, pageQuery, async (api, { id = "" }, query) => {
    await webhookOf(api, id);
    const { items, hasMore } = await pageAfter(
      api,
      {
        fetch: (page) => api.call("webhooks", "listDeliveries", { id, ...page }),
        idOf: (each) => each.id,
      },
      query,
    );
    return listOf(items.map(eventView), hasMore);
  }),
  route(`GET ${EVENT}`, anyInput, (api, { id = "", event_id = "" }) => getEvent(api, id, event_id)),
  route(`GET ${EVENT}/attempts`, pageQuery, (api, { id = "", event_id = "" }, query) =>
    attempts(api, id, event_id, query),
  ),
  route(`POST ${EVENT}/replay`, anyInput, async (api, { id = "", event_id = "" }) => {
    await webhookOf(api, id);
    await api.call("webhooks", "redeliver", { id, delivery_id: event_id });
    return { object: "webhook_event", id: event_id };
  }),
];
