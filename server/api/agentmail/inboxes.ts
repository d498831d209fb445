// AgentMail's inboxes, by their addresses.
import { z } from "zod";
import { createInput, updateInput } from "../../inboxes/schema.ts";
import { type Api, absent, anyInput, ifThere, type Output, readEach, route } from "../compat/route.ts";
import { orderedPage, pageFields, pageOf, podOf } from "./parts.ts";

type Inbox = Output<"inboxes", "get">;

function inboxView(api: Api, inbox: Inbox, clientId?: string) {
  return {
    pod_id: podOf(api),
    inbox_id: inbox.address,
    email: inbox.address,
    ...(inbox.display_name !== "" && { display_name: inbox.display_name }),
    ...(clientId !== undefined && { client_id: clientId }),
    metadata: inbox.metadata,
    // The time of a change is not stored.
    updated_at: inbox.created_at,
    created_at: inbox.created_at,
  };
}

const createBody = z.strictObject({
  username: z.string().optional(),
  domain: z.string().optional(),
  display_name: z.string().optional(),
  client_id: z.string().optional(),
  metadata: createInput.shape.metadata,
});
const updateBody = z
  .strictObject({
    display_name: z.string().optional(),
    metadata: updateInput.shape.metadata
      .nullable()
      .refine((given) => !given || Object.keys(given).length > 0, "has no key; null removes all of it"),
  })
  .refine(
    ({ display_name, metadata }) => display_name !== undefined || metadata !== undefined,
    "An update has display_name or metadata.",
  );

/** The address of a mailbox that may be named by its id. @throws ServiceError `inbox_not_found` */
export async function addressOf(api: Api, inboxId: string): Promise<string> {
  return (await api.call("inboxes", "get", { addr: inboxId })).address;
}

/** Whether `inbox`, an address or an id, is the mailbox with this address. Undefined: any is. */
export async function isInbox(api: Api, inbox: string | undefined, address: string): Promise<boolean> {
  if (inbox === undefined || inbox.toLowerCase() === address) return true;
  return inbox.startsWith("inb_") && (await ifThere(addressOf(api, inbox))) === address;
}

/** Whether a word of it begins with the text. Our search finds any part. */
function hasBeginning(text: string, q: string): boolean {
  const [whole, part] = [text.toLowerCase(), q.trim().toLowerCase()];
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(whole.charAt(at - 1))) return true;
  return false;
}

/** Our lists have ids and addresses. Lookups of one mailbox that arrive together share a query. */
async function list(api: Api, { q, ...query }: z.infer<typeof listQuery>) {
  const asked = q === undefined ? {} : { q };
  const isFound = ({ address, display_name }: Inbox) =>
    q === undefined || hasBeginning(address, q) || hasBeginning(display_name, q);
  const { data, next, limit } = await orderedPage(api, query, {
    fetch: (page) => api.call("inboxes", "list", { ...asked, ...page }),
    placeOf: ({ id }) => id,
    async keep(items) {
      const whole = await readEach(api, items, ({ id }) => ifThere(api.call("inboxes", "get", { addr: id })));
      return whole.flatMap((inbox) => (inbox && isFound(inbox) ? [inboxView(api, inbox)] : []));
    },
  });
  return pageOf("inboxes", data, next, limit);
}
const listQuery = z.strictObject({ ...pageFields, q: z.string().optional() });

async function create(api: Api, given: z.infer<typeof createBody>) {
  return inboxView(api, await api.call("inboxes", "create", given), given.client_id);
}

async function update(api: Api, inboxId: string, { metadata: wanted, ...given }: z.infer<typeof updateBody>) {
  // Null removes everything; ours removes one key at a time.
  const cleared = async () =>
    Object.fromEntries(
      Object.keys((await api.call("inboxes", "get", { addr: inboxId })).metadata).map((key) => [key, null]),
    );
  const changed = wanted === null ? await cleared() : wanted;
  return inboxView(
    api,
    await api.call("inboxes", "update", { addr: inboxId, ...given, ...(changed && { metadata: changed }) }),
  );
}

export const inboxRoutes = [
  route("GET /v0/inboxes", listQuery.omit({ q: true }), (api, _, query) => list(api, query)),
  route("GET /v0/inboxes/search", listQuery.extend({ q: z.string().min(2).max(256) }), (api, _, query) =>
    list(api, query),
  ),
  route("POST /v0/inboxes", createBody, (api, _, body) => create(api, body)),
  route("GET /v0/inboxes/{inbox_id}", anyInput, async (api, { inbox_id = "" }) =>
    inboxView(api, await api.call("inboxes", "get", { addr: inbox_id })),
  ),
  route("PATCH /v0/inboxes/{inbox_id}", updateBody, (api, { inbox_id = "" }, body) => update(api, inbox_id, body)),
  route("DELETE /v0/inboxes/{inbox_id}", anyInput, async (api, { inbox_id = "" }) => {
    await api.call("inboxes", "remove", { addr: inbox_id });
  }),
  ...absent(["POST /v0/inboxes/{inbox_id}/authorize"], "Mailberth does not sign mailboxes in to other services."),
  ...absent(["GET /v0/inboxes/{inbox_id}/events"], "Mailberth keeps no log of labels."),
];
