// AgentMail's API keys: the narrower keys that a key issues.
import { z } from "zod";
import type { Scope } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { type Api, absent, anyInput, notAvailable, type Output, route, without } from "../compat/route.ts";
import { addressOf } from "./inboxes.ts";
import { orderedPage, pageFields, pageOf, podOf } from "./parts.ts";

type Key = Output<"issuedKeys", "get">;

const DRAFTS = ["draft_create", "draft_update", "draft_delete"];
/** The permissions that each scope has together. */
const PERMISSIONS: [Scope, string[]][] = [
  ["mailbox:create", ["inbox_create", "inbox_update"]],
  [
    "mailbox:read",
    [
      "inbox_read",
      "message_read",
      "message_update",
      "draft_read",
      "domain_read",
      "list_entry_read",
      "metrics_read",
    ].concat(["label_spam_read", "label_blocked_read", "label_unauthenticated_read", "label_trash_read"]),
  ],
  ["mailbox:draft", DRAFTS],
  ["mailbox:send", ["message_send", "draft_send", ...DRAFTS]],
  ["mailbox:delete", ["inbox_delete", "message_delete"]],
  ["webhook:write", ["webhook_read", "webhook_create", "webhook_update", "webhook_delete"]],
  ["domain:manage", ["domain_create", "domain_update", "domain_delete"]],
  ["list:manage", ["list_entry_create", "list_entry_delete"]],
  ["key:issue", ["api_key_read", "api_key_create", "api_key_delete"]],
];
const WITHOUT_ANY =
  "permissions: a key has at least one here. Set one to true, or leave out `permissions`: the key then may do what the key that creates it may do.";
const KNOWN = new Set(PERMISSIONS.flatMap(([, names]) => names));
/** Permissions that no key gets unasked, because another one of the same scope was wanted: what creates, deletes or sends anything. */
const ASKED = /^(?:(?:inbox|webhook|domain|list_entry|api_key)_(?:create|delete)|message_send)$/;

/** @throws ServiceError `invalid_request` if nothing is wanted, or if a scope has permissions that are wanted and others that are not */
function scopesOf(permissions: Record<string, boolean>): Scope[] {
  const wanted = Object.keys(permissions).filter((name) => permissions[name]);
  if (wanted.length === 0) throw notAvailable(WITHOUT_ANY);
  const unknown = wanted.find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw notAvailable(`permissions: ${unknown} has no counterpart here.`);
  const drafts = wanted.every((name) => name !== "message_send" && name !== "draft_send");
  return PERMISSIONS.flatMap(([scope, names]) => {
    if (scope === (drafts ? "mailbox:send" : "mailbox:draft")) return [];
    const given = names.filter((name) => wanted.includes(name));
    const isRefused = (name: string) => permissions[name] === false || (ASKED.test(name) && !wanted.includes(name));
    const refused = names.filter(isRefused);
    if (given.length === 0) return [];
    if (refused.length === 0) return [scope];
    throw notAvailable(
      `permissions: ${given[0]} and ${refused[0]} go together here. Set all of these to true, or none: ${names.join(", ")}.`,
    );
  });
}

function permissionsOf(scopes: readonly Scope[]): Record<string, boolean> {
  return Object.fromEntries(
    [...KNOWN].map((name) => [
      name,
      PERMISSIONS.some(([scope, names]) => names.includes(name) && scopes.includes(scope)),
    ]),
  );
}

function keyView(api: Api, key: Key) {
  const [only, ...more] = key.inboxes ?? [];
  return {
    type: "bearer",
    api_key_id: key.id,
    prefix: `mb_agent_${key.id.slice("akey_".length)}`,
    name: key.name ?? key.id,
    pod_id: podOf(api),
    ...(only !== undefined && more.length === 0 && { inbox_id: only }),
    permissions: permissionsOf(key.scopes),
    ...(key.expires_at !== null && { expires_at: key.expires_at }),
    ...(key.last_used_at !== null && { used_at: key.last_used_at }),
    created_at: key.created_at,
    updated_at: key.created_at,
  };
}

const listQuery = z.strictObject({ ...pageFields, type: z.enum(["bearer", "public_key"]).optional() });

/** A key that was deleted, or has expired, is gone. @param address undefined: of any mailbox */
const isIn = ({ active, inboxes }: Key, address: string | undefined) =>
  active && (address === undefined || inboxes?.includes(address));

async function list(api: Api, inbox: string | undefined, query: z.infer<typeof listQuery>) {
  const address = inbox === undefined ? undefined : await addressOf(api, inbox);
  const { data, next, limit } = await orderedPage(api, query, {
    fetch: (page) => api.call("issuedKeys", "list", page),
    placeOf: ({ id }) => id,
    keep: (keys) =>
      query.type === "public_key" ? [] : keys.filter((key) => isIn(key, address)).map((key) => keyView(api, key)),
  });
  return pageOf("api_keys", data, next, limit);
}

const createBody = z.strictObject({
  name: z.string().optional(),
  permissions: z.record(z.string(), z.boolean()).optional(),
  public_key: without("keys are bearer keys here"),
  client_id: without("keys cannot be created again by a client_id here"),
  expires_at: z.string().optional(),
});

async function create(
  api: Api,
  inbox: string | undefined,
  { name, permissions, expires_at }: z.infer<typeof createBody>,
) {
  const scopes = permissions ? scopesOf(permissions) : [...api.actor.scopes];
  const issued = await api.call("issuedKeys", "issue", {
    scopes,
    ...(name !== undefined && { name }),
    ...(inbox !== undefined && { inboxes: [await addressOf(api, inbox)] }),
    ...(expires_at !== undefined && { expires_at }),
  });
  return { ...keyView(api, issued), api_key: issued.key };
}

/** A key in force, restricted to this inbox. @throws ServiceError `agent_key_not_found` */
async function keyOf(api: Api, inbox: string | undefined, id: string): Promise<Key> {
  const key = await api.call("issuedKeys", "get", { id });
  if (isIn(key, inbox === undefined ? undefined : await addressOf(api, inbox))) return key;
  throw new ServiceError("agent_key_not_found", "The key does not exist.");
}

const routesAt = (base: string) => [
  route(`GET ${base}`, listQuery, (api, { inbox_id }, query) => list(api, inbox_id, query)),
  route(`POST ${base}`, createBody, (api, { inbox_id }, body) => create(api, inbox_id, body)),
  route(`GET ${base}/{api_key_id}`, anyInput, async (api, { inbox_id, api_key_id = "" }) =>
    keyView(api, await keyOf(api, inbox_id, api_key_id)),
  ),
  route(`DELETE ${base}/{api_key_id}`, anyInput, async (api, { inbox_id, api_key_id = "" }) => {
    await keyOf(api, inbox_id, api_key_id);
    await api.call("issuedKeys", "revoke", { id: api_key_id });
  }),
  ...absent([`PATCH ${base}/{api_key_id}`], "A key cannot be changed here: revoke it and create another."),
];

export const keyRoutes = [...routesAt("/v0/api-keys"), ...routesAt("/v0/inboxes/{inbox_id}/api-keys")];
