// What the resources of Resend's API share: pages, attachments, errors.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { downloadLink } from "../compat/download.ts";
import type { Vendor } from "../compat/route.ts";
import { type Api, eachOf, ifThere, limitField, type Output } from "../compat/route.ts";

type Message = Output<"messages", "get">;

const PAGE_DEFAULT = 20;
const WALK_ITEMS = 100;
const WALK_PAGES = 20;

/** Pages go from newer to older, after the id of the last item. */
export const pageQuery = z.strictObject({
  limit: limitField.default(PAGE_DEFAULT),
  after: z.string().optional(),
  before: z
    .unknown()
    .optional()
    .refine((value) => value === undefined, "lists are read from the newest on; use after"),
});
export type PageQuery = z.infer<typeof pageQuery>;

export function listOf<Item>(data: Item[], hasMore: boolean) {
  return { object: "list", has_more: hasMore, data };
}

type Fetch<Item> = (page: { limit: number; cursor?: string }) => Promise<{ data: Item[]; next_cursor: string | null }>;

/**
 * A page of a short list of ours, after the item with an id: ours have cursors, which are no ids.
 * @throws ServiceError `invalid_request` if there is no such item
 */
export async function pageAfter<Item>(fetch: Fetch<Item>, idOf: (item: Item) => string, query: PageQuery) {
  const { limit, after } = query;
  if (after === undefined) {
    const { data, next_cursor } = await fetch({ limit });
    return { items: data, hasMore: next_cursor !== null };
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > WALK_ITEMS) await fetch({ limit });
  let cursor: string | undefined;
  let rest: Item[] | undefined;
  for (let page = 0; page < WALK_PAGES; page += 1) {
    const { data, next_cursor } = await fetch({ limit: WALK_ITEMS, ...(cursor !== undefined && { cursor }) });
    const at = rest ? -1 : data.findIndex((item) => idOf(item) === after);
    if (rest) rest.push(...data);
    else if (at >= 0) rest = data.slice(at + 1);
    if (rest && (rest.length > limit || next_cursor === null)) {
      return { items: rest.slice(0, limit), hasMore: rest.length > limit };
    }
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  throw new ServiceError("invalid_request", "after: not the id of an item of this list.");
}

// Attachments.
type File = Message["attachments"][number];

function attachmentView(api: Api, message: Message, file: File) {
  const input = { id: message.id, attachment_id: file.id };
  const { url, expires_at } = downloadLink(api, { procedure: "messages.attachment", input });
  return {
    id: file.id,
    ...(file.filename !== null && { filename: file.filename }),
    size: file.size,
    content_type: file.content_type,
    content_disposition: file.inline ? "inline" : "attachment",
    download_url: url,
    expires_at,
  };
}

export function attachmentPage(api: Api, message: Message, { limit, after }: PageQuery) {
  const at = after === undefined ? 0 : message.attachments.findIndex(({ id }) => id === after) + 1;
  const files = message.attachments.slice(at, at + limit);
  return listOf(
    files.map((file) => attachmentView(api, message, file)),
    at + limit < message.attachments.length,
  );
}

/** @throws ServiceError `attachment_not_found` */
export function attachmentOf(api: Api, message: Message, id: string) {
  const file = message.attachments.find((each) => each.id === id);
  if (!file) throw new ServiceError("attachment_not_found", "The attachment does not exist.");
  return { object: "attachment", ...attachmentView(api, message, file) };
}

/** A message of this direction. @throws ServiceError `message_not_found` */
export async function messageOf(api: Api, direction: Message["direction"], id: string): Promise<Message> {
  const message = await api.call("messages", "get", { id });
  if (message.direction === direction) return message;
  throw new ServiceError("message_not_found", "The message does not exist.");
}

// Errors.
const NAMES: Record<number, string> = {
  400: "validation_error",
  401: "missing_api_key",
  402: "monthly_quota_exceeded",
  403: "invalid_access",
  404: "not_found",
  405: "method_not_allowed",
  409: "invalid_idempotent_request",
  413: "invalid_attachment",
  415: "validation_error",
  422: "validation_error",
  429: "rate_limit_exceeded",
  500: "internal_server_error",
  503: "application_error",
};
const ELSEWHERE: Partial<Record<ServiceError["code"], [status: number, name: string]>> = {
  insufficient_scope: [401, "restricted_api_key"],
  daily_send_cap_exceeded: [429, "daily_quota_exceeded"],
  send_budget_exceeded: [429, "monthly_quota_exceeded"],
  invalid_request: [422, "validation_error"],
  unknown_field: [422, "validation_error"],
};

function nameOf(error: ServiceError): [status: number, name: string] {
  if (error.issues?.some(({ path }) => path === "from")) return [422, "invalid_from_address"];
  if (error.issues?.[0]?.message.startsWith("is missing")) return [422, "missing_required_field"];
  // An invalid key has another error than a missing one.
  if (error.code === "unauthorized" && !/needs an agent key/.test(error.message)) return [403, "invalid_api_key"];
  const isConflict = error.status === 409 && error.code !== "idempotency_conflict";
  return (
    ELSEWHERE[error.code] ?? [
      error.status,
      isConflict ? "validation_error" : (NAMES[error.status] ?? "application_error"),
    ]
  );
}

/** Their clients show the message alone, so it says what to do too. */
export const refusal: Vendor["refusal"] = (error) => {
  const [status, name] = nameOf(error);
  return { status, body: { statusCode: status, name, message: error.message, code: error.code, fix: error.fix } };
};

/** A page of messages of one direction, newest first, as `view` shows each. One that is deleted before it is read is left out. */
export async function messagePage<View>(
  api: Api,
  direction: Message["direction"],
  { limit, after }: PageQuery,
  view: (message: Message) => View,
) {
  const asked = { direction, limit, ...(after !== undefined && { before: after }) };
  const { data, next_cursor } = await api.call("messages", "search", asked);
  const whole = await eachOf(data, async ({ id }) => {
    const message = await ifThere(api.call("messages", "get", { id }));
    return message && view(message);
  });
  return listOf(
    whole.filter((item) => item !== undefined),
    next_cursor !== null,
  );
}
