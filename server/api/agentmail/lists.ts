// AgentMail's allow and block lists.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import type { ListName } from "../../recipients/lists/owner.ts";
import { type Api, anyInput, notAvailable, type Output, route } from "../compat/route.ts";
import { pageFields, pageOf, podOf, present, toPage } from "./parts.ts";

type Entry = Output<"lists", "add">;

const DIRECTIONS = ["send", "receive"] as const;
const LISTS = ["allow", "block"] as const;

/** @throws ServiceError `not_found`, `invalid_request` for a list of replies */
function listOf({ direction = "", type = "", inbox_id }: Record<string, string | undefined>): ListName {
  if (direction === "reply")
    throw notAvailable("Mailberth has no lists of replies: the lists of `receive` cover them.");
  const [of, list] = [DIRECTIONS.find((each) => each === direction), LISTS.find((each) => each === type)];
  if (!of || !list) throw new ServiceError("not_found", "There is no such list.");
  return { direction: of, list, ...(inbox_id !== undefined && { inbox: inbox_id }) };
}

function entryView(api: Api, { direction, list, inbox }: ListName, { entry, reason, created_at, set_by }: Entry) {
  return {
    entry,
    organization_id: encodeId("org", api.actor.organizationId),
    pod_id: podOf(api),
    ...present({ inbox_id: inbox, reason: reason ?? undefined }),
    direction,
    list_type: list,
    entry_type: entry.includes("@") ? "email" : "domain",
    created_at,
    read_only: set_by === "member",
  };
}

const listQuery = z.strictObject({ limit: pageFields.limit, page_token: pageFields.page_token });

async function list(api: Api, names: Record<string, string>, query: z.infer<typeof listQuery>) {
  const [named, page] = [listOf(names), toPage(query)];
  const { data, next_cursor } = await api.call("lists", "list", { ...named, ...page });
  return pageOf(
    "entries",
    data.map((each) => entryView(api, named, each)),
    next_cursor,
    page.limit,
  );
}

async function get(api: Api, names: Record<string, string>) {
  const named = listOf(names);
  const { data } = await api.call("lists", "list", { ...named, entry: names.entry ?? "", limit: 1 });
  if (!data[0]) throw new ServiceError("list_entry_not_found", "The entry does not exist.");
  return entryView(api, named, data[0]);
}

const addBody = z.strictObject({ entry: z.string(), reason: z.string().optional() });

const routesAt = (base: string) => [
  route(`GET ${base}`, listQuery, list),
  route(`POST ${base}`, addBody, async (api, names, body) => {
    const named = listOf(names);
    return entryView(api, named, await api.call("lists", "add", { ...named, ...body }));
  }),
  route(`GET ${base}/{entry}`, anyInput, get),
  route(`DELETE ${base}/{entry}`, anyInput, async (api, names) => {
    await api.call("lists", "remove", { ...listOf(names), entry: names.entry ?? "" });
  }),
];

export const listRoutes = [
  ...routesAt("/v0/lists/{direction}/{type}"),
  ...routesAt("/v0/inboxes/{inbox_id}/lists/{direction}/{type}"),
];
