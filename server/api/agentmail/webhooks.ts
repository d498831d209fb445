// AgentMail's webhooks: ours with deliveries in their form, signed with the headers of Svix.
import { z } from "zod";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { KINDS_OF } from "../../webhooks/delivery/formats.ts";
import { type Api, anyInput, notAvailable, type Output, route, without } from "../compat/route.ts";
import { addressOf } from "./inboxes.ts";
import { orderedPage, pageFields, pageOf, podOf, present } from "./parts.ts";

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
  const { data, next, limit } = await orderedPage(api, query, {
    fetch: (page) => api.call("webhooks", "list", page),
    placeOf: ({ id }) => id,
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

/** A filter that a program left empty by mistake would open all inboxes. */
const EMPTY = "is empty; leave it out for every inbox of the key";

const createBody = z.strictObject({
  url: z.string(),
  event_types: z.array(z.string()).min(1),
  inbox_ids: z.array(z.string()).min(1, EMPTY).max(1, "takes one inbox here; register a webhook for each").optional(),
  pod_ids: z.array(z.string()).min(1, EMPTY).optional(),
  client_id: without(
    "the answer to the create of a webhook is kept for 24 hours here, so later there would be a second webhook; send an Idempotency-Key, and look in the list after a day",
  ),
  headers: z.record(z.string(), z.string()).optional(),
});

async function create(api: Api, inbox: string | undefined, body: z.infer<typeof createBody>) {
  if (inbox !== undefined && body.inbox_ids) throw notAvailable("inbox_ids: the path names the inbox; leave it out.");
  if (body.pod_ids?.some((pod) => pod !== podOf(api))) throw new ServiceError("not_found", "The pod does not exist.");
  const address = inbox ?? body.inbox_ids?.[0];
  const { id, secret } = await api.call("webhooks", "register", {
    url: body.url,
    events: kindsOf(body.event_types),
    format: "agentmail",
    ...present({ address, headers: body.headers }),
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

const headersBody = z
  .strictObject({
    headers: z.record(z.string(), z.string()).default({}),
    remove_headers: z.array(z.string()).default([]),
  })
  .refine(
    ({ headers, remove_headers }) => Object.keys(headers).length + remove_headers.length > 0,
    "An update has headers or remove_headers.",
  );

/**
 * Our update replaces all headers, whose values nothing gives back.
 * @throws ServiceError `invalid_request` if one is set and removed, or if one would stay as it is
 */
async function updateHeaders(
  api: Api,
  inbox: string | undefined,
  id: string,
  { headers, remove_headers }: z.infer<typeof headersBody>,
): Promise<void> {
  const webhook = await webhookOf(api, inbox, id);
  const [set, removed] = [lowerCased(Object.keys(headers)), lowerCased(remove_headers)];
  const both = remove_headers.find((name) => set.has(name.toLowerCase()));
  if (both !== undefined) throw invalidField("remove_headers", `${both.slice(0, 100)} is also in headers`);
  const left = webhook.headers.filter((name) => !set.has(name.toLowerCase()) && !removed.has(name.toLowerCase()));
  if (left.length > 0) {
    throw notAvailable(`headers: they are replaced together here; set or remove these too: ${left.join(", ")}.`);
  }
  await api.call("webhooks", "update", { id, headers });
}
const lowerCased = (names: string[]) => new Set(names.map((name) => name.toLowerCase()));

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
  route(`GET ${base}/{webhook_id}/headers`, anyInput, async (api, { inbox_id, webhook_id = "" }) => ({
    header_names: (await webhookOf(api, inbox_id, webhook_id)).headers,
  })),
  route(`PATCH ${base}/{webhook_id}/headers`, headersBody, (api, { inbox_id, webhook_id = "" }, body) =>
    updateHeaders(api, inbox_id, webhook_id, body),
  ),
];

export const webhookRoutes = [...routesAt("/v0/webhooks"), ...routesAt("/v0/inboxes/{inbox_id}/webhooks")];
