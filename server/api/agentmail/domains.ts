// AgentMail's domains, by their names.
import { z } from "zod";
import { type Api, absent, anyInput, type Output, route, without } from "../compat/route.ts";
import { orderedPage, pageFields, pageOf, podOf } from "./parts.ts";

type Domain = Output<"domains", "get">;

const RECORD_STATUS = { missing: "MISSING", mismatch: "INVALID", found: "VALID" } as const;

function statusOf({ status, ownership, sending, receiving }: Domain): string {
  if (status === "lost") return "FAILED";
  const parts = [ownership, sending, receiving].map((part) => part.status);
  if (parts.includes("failing")) return "INVALID";
  return status === "verified" && parts.every((part) => part === "ready") ? "VERIFIED" : "PENDING";
}

function itemView(api: Api, domain: Domain) {
  return {
    pod_id: podOf(api),
    domain_id: domain.domain,
    domain: domain.domain,
    ...OFFERED,
    updated_at: domain.last_checked_at ?? domain.created_at,
    created_at: domain.created_at,
  };
}
const OFFERED = { feedback_enabled: false, subdomains_enabled: true, tracking_enabled: false };

function domainView(api: Api, domain: Domain) {
  const reason = [domain.ownership, domain.sending, domain.receiving].find((part) => part.reason !== null)?.reason;
  return {
    ...itemView(api, domain),
    status: statusOf(domain),
    ...(reason && { reason }),
    records: domain.records.map(({ type, name, value, status, priority, fix }) => ({
      type,
      name,
      value,
      status: RECORD_STATUS[status],
      ...(priority !== null && { priority }),
      ...(fix !== null && { reason: fix }),
    })),
  };
}

const choices = {
  feedback_enabled: without(
    "bounces and complaints are in the message and in webhooks here, not mailed to inboxes",
    false,
  ),
  subdomains_enabled: without("a domain has all domains below it here", true),
  tracking_enabled: without("opens are not tracked here", false),
};
const createBody = z.strictObject({
  domain: z.string(),
  allow_conflicting_provider: without("DNS records of other mail services are no obstacle here", true, false),
  ...choices,
});
const listQuery = z.strictObject(pageFields);

async function list(api: Api, query: z.infer<typeof listQuery>) {
  const { data, next, limit } = await orderedPage(api, query, {
    fetch: (page) => api.call("domains", "list", page),
    placeOf: ({ id }) => id,
    keep: (domains) => domains.map((each) => itemView(api, each)),
  });
  return pageOf("domains", data, next, limit);
}

const zone = async (api: Api, domain: string) =>
  Buffer.from((await api.call("domains", "zoneFile", { domain })).content_base64, "base64").toString();

const ONE = "/v0/domains/{domain_id}";

export const domainRoutes = [
  route("GET /v0/domains", listQuery, (api, _, query) => list(api, query)),
  route("POST /v0/domains", createBody, async (api, _, { domain }) =>
    domainView(api, await api.call("domains", "create", { domain })),
  ),
  route(`GET ${ONE}`, anyInput, async (api, { domain_id: domain = "" }) =>
    domainView(api, await api.call("domains", "get", { domain })),
  ),
  route(`PATCH ${ONE}`, z.strictObject(choices), async (api, { domain_id: domain = "" }) =>
    domainView(api, await api.call("domains", "get", { domain })),
  ),
  route(`DELETE ${ONE}`, anyInput, async (api, { domain_id: domain = "" }) => {
    await api.call("domains", "remove", { domain });
  }),
  route(`GET ${ONE}/zone-file`, anyInput, (api, { domain_id: domain = "" }) => zone(api, domain)),
  route(`POST ${ONE}/verify`, anyInput, async (api, { domain_id: domain = "" }) => {
    await api.call("domains", "verify", { domain });
  }),
  ...absent(
    [`GET ${ONE}/setup-link`],
    "Mailberth does not set up DNS at a provider: publish the records, or import the zone file.",
  ),
];
