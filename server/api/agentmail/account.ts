// AgentMail's organization, pods and identity: one organization is one pod here; and what Mailberth has no counterpart of.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import { type Api, absent, anyInput, route } from "../compat/route.ts";
import { pageFields, pageOf, podOf, toPage } from "./parts.ts";

const DOMAINS_MAX = 100;

async function identity(api: Api) {
  const me = await api.call("auth", "me", undefined);
  const [only, ...more] = me.inboxes ?? [];
  const inbox = only !== undefined && more.length === 0 ? only : undefined;
  return {
    scope_type: inbox === undefined ? "organization" : "inbox",
    scope_id: inbox ?? me.org_id,
    organization_id: me.org_id,
    ...(inbox !== undefined && { inbox_id: inbox, pod_id: me.org_id }),
    api_key_id: me.key_id,
  };
}

/** Ids begin with the time of their creation (UUIDv7). */
function timeOf({ actor }: Api): string {
  const digits = actor.organizationId.replaceAll("-", "").slice(0, 12);
  return new Date(Number.parseInt(digits, 16)).toISOString();
}

/** Counts the used quota of the enrollment key, deleted mailboxes included. */
async function organization(api: Api) {
  const { quota, org_id } = await api.call("auth", "me", undefined);
  const { data } = await api.call("domains", "list", { limit: DOMAINS_MAX });
  return {
    organization_id: org_id,
    inbox_count: quota.used_count,
    inbox_limit: quota.max_mailboxes,
    domain_count: data.length,
    created_at: timeOf(api),
    updated_at: timeOf(api),
  };
}

async function pod(api: Api) {
  const { organization: name } = await api.call("auth", "me", undefined);
  return { pod_id: podOf(api), name, created_at: timeOf(api), updated_at: timeOf(api) };
}

/** The one pod, in any order. @throws ServiceError `invalid_cursor`: there is no second page */
async function pods(api: Api, query: Parameters<typeof toPage>[0]) {
  const { limit, cursor } = toPage(query);
  if (cursor !== undefined) throw new ServiceError("invalid_cursor", "page_token: not one of this list.");
  return pageOf("pods", [await pod(api)], null, limit);
}

/** @throws ServiceError `not_found` for any other id, also that of another organization */
export function requirePod(podId: string, organizationId: string): void {
  if (decodeId("org", podId) === organizationId && podId === encodeId("org", organizationId)) return;
  throw new ServiceError("not_found", "The pod does not exist.");
}

export const SIGN_UP =
  'There is no sign-up here. Ask an owner or the operator for an enrollment key, and redeem it: POST /v1/enroll with {"token": "mb_enroll_…", "agent_handle": "my-agent"} answers with `agent_key`, the apiKey of this client.';
const WITHOUT_PODS = "One organization is one pod here: the operator creates organizations.";
const WITHOUT_PROVIDERS = "Mailberth does not sign mailboxes in to other services.";

export const accountRoutes = [
  route("GET /v0/auth/me", anyInput, identity),
  route("GET /v0/organizations", anyInput, organization),
  route("GET /v0/pods", z.strictObject(pageFields), (api, _, query) => pods(api, query)),
  route("GET /v0/pods/{pod_id}", anyInput, (api, { pod_id = "" }) => {
    requirePod(pod_id, api.actor.organizationId);
    return pod(api);
  }),
  ...absent(["POST /v0/pods", "DELETE /v0/pods/{pod_id}"], WITHOUT_PODS),
  ...absent(
    [
      "GET /v0/accounts",
      "GET /v0/accounts/{account_id}",
      "GET /v0/providers",
      "GET /v0/providers/search",
      "GET /v0/providers/{provider_id}",
      "GET /v0/providers/{provider_id}/accounts",
      "POST /v0/providers/{provider_id}/connect",
    ],
    WITHOUT_PROVIDERS,
  ),
  ...absent(["POST /v0/agent/verify"], "There is nothing to verify here: a key works from its first call on."),
];
