// AgentMail's webhooks: ours with deliveries in their form, signed with the headers of Svix.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { KINDS_OF } from "../../webhooks/delivery/formats.ts";
import { type Api, absent, anyInput, notAvailable, type Output, route, without } from "../compat/route.ts";
import { addressOf } from "./inboxes.ts";
import { pageFields, pageOf, podOf, siftedPage } from "./parts.ts";

type Webhook = Output<"webhooks", "get">;
type Kind = Webhook["events"][number];

export const KINDS = KINDS_OF.agentmail;
const kindNames = Object.entries(KINDS) as [Kind, string][];
export const KIND_NAMES = Object.values(KINDS);

/** @throws ServiceError `invalid_request` */
export function kindsOf(types: string[]): Kind[] {
  return types.map((type) => {
    const kind = kindNames.find(([, theirs]) => theirs === type)?.[0];
    if (kind) return kind;
    const known = kindNames.map(([, theirs]) => theirs).join(", ");
    throw notAvailable(`event_types: there is no ${type.slice(0, 100)} here; these are: ${known}.`);
  });
}

/** The secret is shown once, in the answer to the create. */
function webhookView(api: Api, webhook: Webhook, secret?: string) {
  return {
    webhook_id: webhook.id,
    url: webhook.url,
    event_types: webhook.events.flatMap((kind) => KINDS[kind] ?? []),
    pod_ids: [podOf(api)],
    ...(webhook.address !== null && { inbox_ids: [webhook.address] }),
    ...(secret !== undefined && { secret }),
    enabled: webhook.active,
    updated_at: webhook.created_at,
    created_at: webhook.created_at,
  };
}

const listQuery = z.strictObject(pageFields);

/** Those in their form; with `inbox`, those of this mailbox. The others leave the page. */
async function list(api: Api, inbox: string | undefined, query: z.infer<typeof listQuery>) {
  const address = inbox === undefined ? undefined : await addressOf(api, inbox);
  const isTheirs = (each: Webhook) =>
    each.format === "agentmail" && (address === undefined || each.address === address);
  const { data, next, limit } = await siftedPage(api, query, {
    fetch: (page) => api.call("webhooks", "list", page),
    keep: (webhooks) => webhooks.filter(isTheirs).map((each) => webhookView(api, each)),
  });
  return pageOf("webhooks", data, next, limit);
}

/** @throws ServiceError `webhook_not_found` */
async function webhookOf(api: Api, inbox: string | undefined, id: string): Promise<Webhook> {
  const webhook = await api.call("webhooks", "get", { id });
  const isTheirs = webhook.format === "agentmail";
  if (isTheirs && (inbox === undefined || webhook.address === (await addressOf(api, inbox)))) return webhook;
  throw new ServiceError("webhook_not_found", "The webhook does not exist.");
}

const createBody = z.strictObject({
  url: z.string(),
  event_types: z.array(z.string()).min(1),
  inbox_ids: z.array(z.string()).max(1, "takes one inbox here; register a webhook for each").optional(),
  pod_ids: z.array(z.string()).optional(),
  client_id: without(
    "the answer to the create of a webhook is kept for 24 hours here, so later there would be a second webhook; send an Idempotency-Key, and look in the list after a day",
  ),
  headers: without("webhooks have no headers of their own here"),
});

async function create(api: Api, inbox: string | undefined, body: z.infer<typeof createBody>) {
  if (body.pod_ids?.some((pod) => pod !== podOf(api))) throw new ServiceError("not_found", "The pod does not exist.");
  const address = inbox ?? body.inbox_ids?.[0];
  const { id, secret } = await api.call("webhooks", "register", {
    url: body.url,
    events: kindsOf(body.event_types),
    format: "agentmail",
    ...(address !== undefined && { address }),
  });
  return webhookView(api, await api.call("webhooks", "get", { id }), secret);
}

const FIXED = "a webhook keeps its mailboxes here; register another";
const updateBody = z.strictObject({
  event_types: z.array(z.string()).optional(),
  add_inbox_ids: without(FIXED),
  remove_inbox_ids: without(FIXED),
  add_pod_ids: without(FIXED),
  remove_pod_ids: without(FIXED),
});

async function update(api: Api, inbox: string | undefined, id: string, { event_types }: z.infer<typeof updateBody>) {
  const webhook = await webhookOf(api, inbox, id);
  // An empty list leaves the kinds as they are.
  if (!event_types?.length) return webhookView(api, webhook);
  return webhookView(api, await api.call("webhooks", "update", { id, events: kindsOf(event_types) }));
}

async function remove(api: Api, inbox: string | undefined, id: string): Promise<void> {
  await webhookOf(api, inbox, id);
  await api.call("webhooks", "remove", { id });
}

const routesAt = (base: string) => [
  route(`GET ${base}`, listQuery, (api, { inbox_id }, query) => list(api, inbox_id, query)),
  route(`POST ${base}`, createBody, (api, { inbox_id }, body) => create(api, inbox_id, body)),
  route(`GET ${base}/{webhook_id}`, anyInput, async (api, { inbox_id, webhook_id = "" }) =>
    webhookView(api, await webhookOf(api, inbox_id, webhook_id)),
  ),
  route(`PATCH ${base}/{webhook_id}`, updateBody, (api, { inbox_id, webhook_id = "" }, body) =>
    update(api, inbox_id, webhook_id, body),
  ),
  route(`DELETE ${base}/{webhook_id}`, anyInput, (api, { inbox_id, webhook_id = "" }) =>
    remove(api, inbox_id, webhook_id),
  ),
  ...absent(
    [`GET ${base}/{webhook_id}/headers`, `PATCH ${base}/{webhook_id}/headers`],
    "Webhooks have no headers of their own here.",
  ),
];

export const webhookRoutes = [...routesAt("/v0/webhooks"), ...routesAt("/v0/inboxes/{inbox_id}/webhooks")];
