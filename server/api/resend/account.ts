// Resend's API keys and suppressions.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { type Api, absent, anyInput, type Output, route, without } from "../compat/route.ts";
import { listOf, pageAfter, pageQuery } from "./parts.ts";

const BATCH_MAX = 100;

type Suppression = Output<"suppressions", "list">["data"][number];

const ORIGINS: Record<string, string> = { bounced: "bounce", complained: "complaint" };
const originOf = ({ reason }: Suppression) => ORIGINS[reason] ?? "manual";

/** An address is its own id. */
function suppressionView(entry: Suppression) {
  const { address, message_id, created_at } = entry;
  return { id: address, email: address, origin: originOf(entry), source_id: message_id, created_at };
}

const suppressed = (id: string) => ({ object: "suppression", id });

async function add(api: Api, email: string) {
  return suppressed((await api.call("suppressions", "add", { address: email })).address);
}

async function remove(api: Api, address: string) {
  return { ...suppressed(address), deleted: (await api.call("suppressions", "remove", { address })).deleted };
}

const listQuery = pageQuery.safeExtend({ origin: z.enum(["bounce", "complaint", "manual"]).optional() });

async function list(api: Api, { origin, ...query }: z.infer<typeof listQuery>) {
  const { items, hasMore } = await pageAfter(
    api,
    {
      fetch: (page) => api.call("suppressions", "list", page),
      idOf: ({ address }) => address,
      ...(origin !== undefined && { keep: (each: Suppression) => originOf(each) === origin }),
    },
    query,
  );
  return listOf(items.map(suppressionView), hasMore);
}

async function get(api: Api, address: string) {
  const { data } = await api.call("suppressions", "list", { address, limit: 1 });
  if (!data[0]) throw new ServiceError("suppression_not_found", "The address is not suppressed.");
  return { object: "suppression", ...suppressionView(data[0]) };
}

const emails = z.array(z.string()).min(1).max(BATCH_MAX);
const removeBody = z
  .strictObject({ emails: emails.optional(), ids: emails.optional() })
  .refine(
    (given) => (given.emails === undefined) !== (given.ids === undefined),
    "takes `emails` or `ids`, one of them",
  );

/** Changes one after the other, which are counted before the first. */
async function inTurn<Result>(api: Api, items: string[], run: (item: string) => Promise<Result>) {
  api.takeChanges(items.length);
  const data: Result[] = [];
  for (const item of items) data.push(await run(item));
  return { data };
}

const createBody = z.strictObject({
  name: z.string(),
  permission: z.enum(["full_access", "sending_access"]).default("full_access"),
  domain_id: without("a key is restricted to mailboxes here, not to domains: POST /v1/keys"),
});

/** `full_access`: all scopes of this key. */
async function createKey(api: Api, { name, permission }: z.infer<typeof createBody>) {
  const scopes = permission === "sending_access" ? ["mailbox:send" as const] : [...api.actor.scopes];
  const { id, key } = await api.call("issuedKeys", "issue", { name, scopes });
  return { id, token: key };
}

export const accountRoutes = [
  route("POST /suppressions", z.strictObject({ email: z.string() }), (api, _, { email }) => add(api, email)),
  route("GET /suppressions", listQuery, (api, _, query) => list(api, query)),
  route("GET /suppressions/{id}", anyInput, (api, { id = "" }) => get(api, id)),
  route("DELETE /suppressions/{id}", anyInput, (api, { id = "" }) => remove(api, id)),
  route("POST /suppressions/batch/add", z.strictObject({ emails }), (api, _, body) =>
    inTurn(api, body.emails, (each) => add(api, each)),
  ),
  route("POST /suppressions/batch/remove", removeBody, (api, _, body) =>
    inTurn(api, body.emails ?? body.ids ?? [], (each) => remove(api, each)),
  ),
  route("GET /api-keys", pageQuery, async (api, _, query) => {
    const { items, hasMore } = await pageAfter(
      api,
      {
        fetch: (page) => api.call("issuedKeys", "list", page),
        idOf: ({ id }) => id,
        keep: ({ active }) => active,
      },
      query,
    );
    return listOf(
      items.map(({ id, name, created_at, last_used_at }) => ({ id, name: name ?? id, created_at, last_used_at })),
      hasMore,
    );
  }),
  route("DELETE /api-keys/{id}", anyInput, async (api, { id = "" }) => ({
    object: "api_key",
    ...(await api.call("issuedKeys", "revoke", { id })),
  })),
  route("POST /api-keys", createBody, (api, _, body) => createKey(api, body)),
  ...absent(["PATCH /api-keys/{id}"], "A key cannot be changed here: revoke it and create another."),
];
