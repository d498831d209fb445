// Resend's domains, by our ids or names.
import { z } from "zod";
import { type Api, absent, anyInput, type Output, route, withFieldNames, without } from "../compat/route.ts";
import { listOf, pageAfter, pageQuery } from "./parts.ts";

type Domain = Output<"domains", "get">;

const RECORD_STATUS = { missing: "pending", mismatch: "failed", found: "verified" } as const;
const TTL = "Auto";

function statusOf({ status, ownership, sending, receiving }: Domain): string {
  if (status === "lost") return "failed";
  const parts = [ownership, sending, receiving].map((part) => part.status);
  if (status === "verified") return parts.every((part) => part === "ready") ? "verified" : "partially_verified";
  return parts.includes("failing") ? "failed" : "pending";
}

/** Theirs are SPF, DKIM, Receiving and two of tracking. The ownership record, a TXT record as well, is among those of SPF. */
function recordName(purpose: Domain["records"][number]["purpose"]): string {
  if (purpose === "mx") return "Receiving";
  return purpose.startsWith("dkim") ? "DKIM" : "SPF";
}

function itemView(domain: Domain) {
  return {
    id: domain.id,
    name: domain.domain,
    status: statusOf(domain),
    created_at: domain.created_at,
    // There are none. Programs read it as a text.
    region: "",
    capabilities: { sending: "enabled", receiving: "enabled" },
    open_tracking: false,
    click_tracking: false,
  };
}

function domainView(domain: Domain) {
  const records = domain.records.map(({ purpose, type, name, value, status, priority }) => ({
    record: recordName(purpose),
    name,
    type,
    ttl: TTL,
    status: RECORD_STATUS[status],
    value,
    ...(priority !== null && { priority }),
  }));
  return { object: "domain", ...itemView(domain), records };
}

const enabled = z.literal("enabled", "each domain sends and receives here").optional();
const choices = {
  open_tracking: without("opens are not tracked here", false),
  click_tracking: without("clicks are not tracked here", false),
  tracking_subdomain: without("opens and clicks are not tracked here"),
  tls: without("TLS is used where the other server has it", "opportunistic"),
  capabilities: z.strictObject({ sending: enabled, receiving: enabled }).optional(),
};
const createBody = z.strictObject({
  name: z.string(),
  region: without("there are no regions here; leave it out"),
  custom_return_path: without("the return path has the name that the records say"),
  ...choices,
});

const ONE = "/domains/{id}";

export const domainRoutes = [
  route("POST /domains", createBody, async (api, _, { name }) =>
    domainView(await withFieldNames({ domain: "name" }, api.call("domains", "create", { domain: name }))),
  ),
  route("GET /domains", pageQuery, async (api, _, query) => {
    const { items, hasMore } = await pageAfter(
      api,
      {
        fetch: (page) => api.call("domains", "list", page),
        idOf: ({ id }) => id,
      },
      query,
    );
    return listOf(items.map(itemView), hasMore);
  }),
  route(`GET ${ONE}`, anyInput, async (api, { id: domain = "" }) =>
    domainView(await api.call("domains", "get", { domain })),
  ),
  route(`PATCH ${ONE}`, z.strictObject(choices), async (api, { id: domain = "" }) =>
    named(await api.call("domains", "get", { domain })),
  ),
  route(`DELETE ${ONE}`, anyInput, async (api: Api, { id: domain = "" }) => ({
    object: "domain",
    ...(await api.call("domains", "remove", { domain })),
  })),
  route(`POST ${ONE}/verify`, anyInput, async (api, { id: domain = "" }) =>
    named(await api.call("domains", "verify", { domain })),
  ),
  ...absent(
    ["POST /domains/claim", `GET ${ONE}/claim`, `POST ${ONE}/claim/verify`],
    "A domain is claimed by adding it: its ownership record decides.",
  ),
];

const named = ({ id }: Domain) => ({ object: "domain", id });
