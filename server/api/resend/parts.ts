// What the resources of Resend's API share: pages, attachments, errors.
import { z } from "zod";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { downloadLink } from "../compat/download.ts";
import type { Vendor } from "../compat/route.ts";
import {
  type Api,
  type Fetch,
  limitField,
  notAvailable,
  type Output,
  sifted,
  viewEach,
  WALK_ITEMS,
  walk,
  wholeMessages,
  withFieldNames,
} from "../compat/route.ts";

export const orNull = (addresses: string[] | undefined) => (addresses && addresses.length > 0 ? addresses : null);

type Message = Output<"messages", "get">;
type Row = Output<"messages", "search">["data"][number];
/** A message, or its row, which has less, if it is not read in time. */
export type Listed = Pick<Row, keyof Row & keyof Message> & Partial<Omit<Message, keyof Row>>;

const PAGE_DEFAULT = 20;

/** Pages go from newer to older: after the id of the last item, or before that of the first. */
export const pageQuery = z
  .strictObject({
    limit: limitField.default(PAGE_DEFAULT),
    after: z.string().optional(),
    before: z.string().optional(),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, "takes after or before, not both");
export type PageQuery = z.infer<typeof pageQuery>;

export function listOf<Item>(data: Item[], hasMore: boolean) {
  return { object: "list", has_more: hasMore, data };
}

/** @throws ServiceError `invalid_request` for an empty page before the end, behind which a client has no id to continue with */
function endOf({ data, next_cursor }: { data: unknown[]; next_cursor: string | null }): boolean {
  if (data.length > 0 || next_cursor === null) return next_cursor === null;
  throw notAvailable("The newest items of this list do not match, and it is too long to look further.");
}

type List<Item> = {
  fetch: Fetch<Item>;
  idOf(item: Item): string;
  /** Whether the list has it. Absent: it has all. */
  keep?: (item: Item) => boolean;
};

/**
 * A page of a short list, after or before the item with an id: ours have cursors, which are no ids.
 * @throws ServiceError `invalid_request` if there is no such item
 */
export async function pageAfter<Item>(api: Api, { fetch, idOf, keep }: List<Item>, query: PageQuery) {
  const { limit, after, before } = query;
  const isKept = keep ?? (() => true);
  if (after !== undefined || before !== undefined) {
    return sliceOf((await walk(api, limit, fetch)).filter(isKept), idOf, query);
  }
  const kept = keep ? sifted(api, fetch, (items) => items.filter(keep)) : fetch;
  const first = await kept({ limit: keep ? Math.max(limit, WALK_ITEMS) : limit });
  const { items, hasMore } = sliceOf(first.data, idOf, query);
  return { items, hasMore: !endOf(first) || hasMore };
}

/** @param all from newer to older @throws ServiceError `invalid_request` if there is no such item */
export function sliceOf<Item>(all: Item[], idOf: (item: Item) => string, { limit, after, before }: PageQuery) {
  if (!(Number.isInteger(limit) && limit >= 1)) throw invalidField("limit", "takes a whole number from 1");
  const id = after ?? before;
  const at = id === undefined ? -1 : all.findIndex((item) => idOf(item) === id);
  if (id !== undefined && at < 0) throw invalidField(before ? "before" : "after", "not the id of an item of this list");
  const [start, end] = before === undefined ? [at + 1, at + 1 + limit] : [Math.max(0, at - limit), at];
  return { items: all.slice(start, end), hasMore: before === undefined ? all.length > end : start > 0 };
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
    ...(file.content_id !== undefined && { content_id: file.content_id }),
    download_url: url,
    expires_at,
  };
}

export function attachmentPage(api: Api, message: Message, query: PageQuery) {
  const { items, hasMore } = sliceOf(message.attachments, ({ id }) => id, query);
  return listOf(
    items.map((file) => attachmentView(api, message, file)),
    hasMore,
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
export const WORDS: Vendor["words"] = {
  fields: { "attachments.content_base64": "content", "attachments.url": "path", send_at: "scheduled_at" },
  texts: [
    ["the fields listed in `issues`", "what the message names"],
    ["the addresses listed in `addresses`", "the addresses that the message names"],
  ],
};
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

/** A sender from whom the key may not send; theirs says it of a domain. */
const NOT_YOURS = /is no mailbox of yours here/;

function nameOf(error: ServiceError): [status: number, name: string] {
  if (error.message.startsWith("Idempotency-Key: ")) return [400, "invalid_idempotency_key"];
  if (error.issues?.some(({ path }) => /\battachments\.\d+$/.test(path))) return [422, "invalid_attachment"];
  if (error.issues?.[0]?.message.startsWith("is missing")) return [422, "missing_required_field"];
  if (error.issues?.some(({ path }) => path === "from"))
    return NOT_YOURS.test(error.message) ? [403, "validation_error"] : [422, "invalid_from_address"];
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

/** Of a body with too many values: the octets of a file that is a Buffer as JSON writes it. */
const OCTETS = /^(.*\battachments\.\d+\.content)\.data$/;

function wordsOf(error: ServiceError): string {
  const [, content] = OCTETS.exec(error.issues?.[0]?.path ?? "") ?? [];
  if (content === undefined) return error.message;
  return `${content}: is too long as a list of octets. Send the file as base64 in \`content\`, or its URL in \`path\`.`;
}

/** Their clients show the message alone, so it says what to do too. */
export const refusal: Vendor["refusal"] = (error) => {
  const [status, name] = nameOf(error);
  return { status, body: { statusCode: status, name, message: wordsOf(error), code: error.code, fix: error.fix } };
};

/**
 * A page of messages of one direction, newest first, as `view` shows each. One that is deleted before it is read is left out.
 */
export async function messagePage<View>(
  api: Api,
  direction: Message["direction"],
  query: PageQuery,
  view: (message: Listed) => View,
) {
  const wholeOf = async (found: Row[]) => viewEach(await wholeMessages(api, found), view);
  const { limit, after, before } = query;
  if (before !== undefined) {
    const asked = { direction, after: before };
    const newer = await walk(api, limit, (page) =>
      withFieldNames({ after: "before" }, api.call("messages", "search", { ...asked, ...page })),
    );
    return listOf(await wholeOf(newer.slice(-limit)), newer.length > limit);
  }
  const asked = { direction, ...(after !== undefined && { before: after }) };
  const fetch: Fetch<Row> = (each) =>
    withFieldNames({ before: "after" }, api.call("messages", "search", { ...asked, ...each }));
  const page = await sifted(api, fetch, wholeOf)({ limit });
  return listOf(page.data, !endOf(page));
}
