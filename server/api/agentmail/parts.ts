// What the resources of AgentMail's API share: ids, pages, labels, errors.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import type { Vendor } from "../compat/route.ts";
import {
  type Api,
  type Fetch,
  fileOf,
  limitField,
  type Output,
  replyToOf,
  sifted,
  walk,
  without,
} from "../compat/route.ts";

/** One organization is one pod. */
export const podOf = ({ actor }: Pick<Api, "actor">) => encodeId("org", actor.organizationId);

// Lists come newest first, or with `ascending` from the oldest item on.
export const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);
export const pageFields = {
  limit: limitField,
  page_token: z.string().optional(),
  ascending: flag.optional(),
};

export const toPage = ({
  limit,
  page_token: cursor,
}: {
  limit?: number | undefined;
  page_token?: string | undefined;
}) => ({
  limit: limit ?? PAGE_DEFAULT,
  cursor,
});
const PAGE_DEFAULT = 50;

const ASCENDING = "oldest.";
const PLACE = /^oldest\.[a-z]{3,4}_[0-9a-z]{26}$/;

/** A page of what is kept of a list. */
export async function siftedPage<Item, Kept>(
  api: Api,
  query: { limit?: number | undefined; page_token?: string | undefined },
  { fetch, keep }: Pick<List<Item, Kept>, "fetch" | "keep">,
) {
  const { limit, cursor } = toPage(query);
  const page = { limit, ...(cursor !== undefined && { cursor }) };
  const { data, next_cursor } = await sifted(api, fetch, keep)(page);
  return { data, next: next_cursor, limit };
}

/**
 * The same, or a page of the whole list from its oldest item on, whose place is
 * the id by which the list is ordered: it stays valid when the item is deleted.
 * @throws ServiceError `invalid_cursor`, `invalid_request` for a long list from its oldest item on
 */
export async function orderedPage<Item, Kept>(
  api: Api,
  {
    ascending,
    ...query
  }: { limit?: number | undefined; page_token?: string | undefined; ascending?: boolean | undefined },
  { fetch, placeOf, keep }: List<Item, Kept>,
): Promise<{ data: Kept[]; next: string | null; limit: number }> {
  if (!ascending) return siftedPage(api, query, { fetch, keep });
  const { limit, cursor } = toPage(query);
  if (cursor !== undefined && !PLACE.test(cursor)) {
    throw new ServiceError("invalid_cursor", "page_token: not one of this list.");
  }
  const all = (await walk(api, limit, fetch)).reverse();
  async function slice({ cursor: after = "" }: { cursor?: string }) {
    const left = all.filter((item) => placeOf(item) > after);
    const data = left.slice(0, limit);
    const last = data.at(-1);
    return { data, next_cursor: last && left.length > limit ? placeOf(last) : null };
  }
  const after = cursor?.slice(ASCENDING.length) ?? "";
  const { data, next_cursor } = await sifted(api, slice, keep)({ limit, cursor: after });
  return { data, next: next_cursor === null ? null : ASCENDING + next_cursor, limit };
}

type List<Item, Kept> = {
  fetch: Fetch<Item>;
  /** The id by which the list is ordered. */
  placeOf(item: Item): string;
  keep(items: Item[]): Kept[] | Promise<Kept[]>;
};

/** A page as theirs: `name` is that of the field with the items. */
export function pageOf<Item>(name: string, items: Item[], next: string | null, limit: number) {
  return { count: items.length, limit, ...(next !== null && { next_page_token: next }), [name]: items };
}

/** Whether a time is between the others, exclusively. Undefined: there is no bound. */
export function isWithin(
  at: string,
  { before, after }: { before?: string | undefined; after?: string | undefined },
): boolean {
  const time = Date.parse(at);
  return (before === undefined || time < Date.parse(before)) && (after === undefined || time > Date.parse(after));
}

/** Texts in a query: one, repeated ones, or a list in JSON, which their client sends. */
export const textList = z.union([z.string(), z.array(z.string())]).transform((given, { addIssue }) => {
  if (typeof given !== "string" || !given.startsWith("[")) return [given].flat();
  const read = z.array(z.string()).safeParse(parse(given));
  if (read.success) return read.data;
  addIssue("must be a list of texts");
  return z.NEVER;
});

/** JSON; undefined if it is none. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Labels. Some say what a message is; the others are ours as they are.
const MADE = new Set(["received", "sent", "scheduled", "held", "unread", "spam"]);
const NOT_HERE = new Set(["trash", "blocked", "unauthenticated", "draft"]);

type Marked = Pick<
  Output<"messages", "list">["data"][number],
  "direction" | "status" | "read" | "labels" | "quarantined" | "recipients"
>;

/** What a message is. Undefined: it was to be sent, and left for no recipient. */
function kindOf({ direction, status, recipients = [] }: Marked): string | undefined {
  if (direction === "inbound") return "received";
  if (status === "scheduled" || status === "held") return status;
  const hasFailed = status === "failed" && recipients.every((each) => each.status === "failed");
  return status === "cancelled" || status === "rejected" || hasFailed ? undefined : "sent";
}

export function labelsOf(message: Marked): string[] {
  const { read, labels, quarantined } = message;
  const kind = kindOf(message) ?? [];
  return [...new Set([kind, read ? [] : "unread", quarantined ? "spam" : [], labels].flat())];
}

export const labelList = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((given) => (given === undefined ? [] : [given].flat()));

/**
 * Changes of labels as our update has them: a label that is in both is removed. Removing `spam` is a separate call.
 * @throws ServiceError `invalid_request` for a label that says what a message is
 */
export function marksOf(add: string[], remove: string[]) {
  const fixed = [...add, ...remove.filter((each) => each !== "spam")].find(
    (each) => (MADE.has(each) && each !== "unread") || NOT_HERE.has(each),
  );
  if (fixed !== undefined) throw fixedLabel(fixed);
  const read = remove.includes("unread") ? true : add.includes("unread") ? false : undefined;
  const own = (labels: string[]) => labels.filter((each) => !MADE.has(each));
  return {
    ...(read !== undefined && { read }),
    ...(own(add).length > 0 && { add_labels: own(add) }),
    ...(own(remove).length > 0 && { remove_labels: own(remove) }),
  };
}

/** A message as it is after its update with these marks. */
export function withMarks<Message extends Marked>(
  message: Message,
  { read, add_labels = [], remove_labels = [] }: ReturnType<typeof marksOf>,
  removed: string[],
): Message {
  const labels = [...message.labels, ...add_labels].filter((each) => !remove_labels.includes(each));
  const { quarantined } = message;
  return { ...message, read: read ?? message.read, quarantined: quarantined && !removed.includes("spam"), labels };
}

/**
 * The labels of a message that is to be sent, as our sends have them.
 * @throws ServiceError `invalid_request` for a label that says what a message is
 */
export function labelsToSend(labels: string[]) {
  const made = labels.find((each) => MADE.has(each) || NOT_HERE.has(each));
  if (made !== undefined) throw fixedLabel(made);
  return labels.length > 0 ? { labels } : {};
}

function fixedLabel(label: string): ServiceError {
  return new ServiceError("invalid_request", `The label ${label} cannot be set: it says what a message is.`, {
    fix: label === "trash" ? "To remove a message, delete it." : "Leave the label out.",
  });
}

/** The filters of our lists that find messages with these labels, as far as there are some. */
export function labelFilters(labels: string[]) {
  const own = labels.find((each) => !MADE.has(each));
  return {
    ...(labels.includes("received") && { direction: "inbound" as const }),
    ...((labels.includes("sent") || labels.includes("scheduled") || labels.includes("held")) && {
      direction: "outbound" as const,
    }),
    ...(labels.includes("scheduled") && { status: "scheduled" as const }),
    ...(labels.includes("held") && { status: "held" as const }),
    ...(labels.includes("unread") && { unread: true }),
    ...(labels.includes("spam") && { quarantined: true }),
    ...(own !== undefined && { label: own }),
  };
}

/** Lists hide only quarantined mail here, so that to include other mail changes nothing. */
const included = flag.optional();
export const includeFields = {
  include_spam: included,
  include_blocked: included,
  include_unauthenticated: included,
  include_trash: included,
};

const addresses = z.union([z.string(), z.array(z.string())]);
const attachment = z
  .strictObject({
    url: z.string().optional(),
    filename: z.string().optional(),
    content_type: z.string().optional(),
    content: z.string().optional(),
    content_disposition: z.enum(["inline", "attachment"]).optional(),
    content_id: z.string().optional(),
  })
  .refine(
    ({ content, url }) => (content === undefined) !== (url === undefined),
    "takes `content` or `url`, and one of them is needed",
  )
  .refine(
    ({ content_disposition, content_id }) => content_disposition !== "inline" || content_id !== undefined,
    "an inline file needs a content_id here",
  )
  .refine(
    ({ content_disposition, content_id }) => content_disposition !== "attachment" || content_id === undefined,
    "a file with a content_id is inline here; leave out content_id or content_disposition",
  );
export const attachmentsField = z.array(attachment).optional();
export const contentFields = {
  to: addresses.optional(),
  cc: addresses.optional(),
  bcc: addresses.optional(),
  subject: z.string().optional(),
  text: z.string().optional(),
  html: z.string().optional(),
  reply_to: addresses.optional(),
  attachments: attachmentsField,
  headers: z.record(z.string(), z.string()).optional(),
  track_opens: without("opens are not tracked here", false),
  labels: labelList,
};

export function filesOf(attachments: z.infer<typeof attachmentsField>) {
  return (attachments ?? []).map(fileOf);
}

/** The fields of content that are there. */
export function contentOf(given: {
  to?: string | string[] | undefined;
  cc?: string | string[] | undefined;
  bcc?: string | string[] | undefined;
  subject?: string | undefined;
  text?: string | undefined;
  html?: string | undefined;
  reply_to?: string | string[] | undefined;
  attachments?: z.infer<typeof attachmentsField>;
  headers?: Record<string, string> | undefined;
  labels?: string[];
}) {
  const { attachments, reply_to, labels = [], ...texts } = given;
  return {
    ...present({
      to: texts.to,
      cc: texts.cc,
      bcc: texts.bcc,
      subject: texts.subject,
      text: texts.text,
      html: texts.html,
      headers: texts.headers,
    }),
    ...replyToOf(reply_to),
    ...(attachments && { attachments: filesOf(attachments) }),
    ...labelsToSend(labels),
  };
}

export function present<Fields extends object>(fields: Fields) {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

// Errors.
export const WORDS: Vendor["words"] = {
  fields: { "attachments.content_base64": "content", label: "labels" },
  texts: [
    ["`issues`", "`errors`"],
    ["the addresses listed in `addresses`", "the addresses that the message names"],
    ["use `unread=true`", "write `unread`"],
    ["use the field `in_reply_to`", "reply to the message instead"],
  ],
};
const NAMES: Record<number, string> = {
  400: "ValidationError",
  401: "UnauthorizedError",
  403: "ForbiddenError",
  404: "NotFoundError",
  409: "ConflictError",
  413: "PayloadTooLargeError",
  422: "UnprocessableError",
  429: "RateLimitError",
};
/** What their programs tell apart. */
const CODES: Record<number, string> = {
  400: "validation_error",
  401: "unknown_api_key",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  422: "unprocessable",
  429: "rate_limit_exceeded",
  500: "internal_error",
  503: "service_unavailable",
};
const REJECTED = { status: 403, name: "MessageRejectedError", code: "message_rejected" };
const TAKEN = { status: 403, name: "IsTakenError", code: "resource_taken" };
/** What they tell apart by another status or code, or where our fix names what they do not have. */
const ELSEWHERE: Partial<
  Record<ServiceError["code"], { status?: number; name?: string; code?: string; fix?: string }>
> = {
  recipient_suppressed: REJECTED,
  recipient_blocked: REJECTED,
  reply_refused: REJECTED,
  sending_paused: REJECTED,
  address_taken: TAKEN,
  domain_taken: TAKEN,
  // Their drafts have no revision.
  draft_changed: { code: "race_condition", fix: "Read the draft again, then repeat the call." },
  insufficient_scope: { code: "missing_permission" },
  domain_not_verified: { code: "domain_not_verified" },
  domain_not_ready: { code: "domain_not_verified" },
  domain_in_use: { code: "cannot_delete" },
};

function codeOf({ code, status, message }: ServiceError): string {
  if (code === "unauthorized" && /needs an agent key/.test(message)) return "missing_authorization";
  if (/^too_many_|quota/.test(code)) return "limit_exceeded";
  return CODES[status] ?? code;
}

export const refusal: Vendor["refusal"] = (error) => {
  const { message, issues } = error;
  const usual = {
    status: error.status,
    name: NAMES[error.status] ?? "ServerError",
    code: codeOf(error),
    fix: error.fix,
  };
  const { status, ...named } = { ...usual, ...ELSEWHERE[error.code] };
  return {
    status,
    body: { ...named, message, ...(status === 400 && { errors: issues ?? [{ path: "", message }] }) },
  };
};
