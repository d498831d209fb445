// AgentMail's messages: those of an inbox, by our ids.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { replySubject } from "../../sending/subject.ts";
import { downloadLink } from "../compat/download.ts";
import {
  type Api,
  anyInput,
  ifThere,
  notAvailable,
  type Output,
  readEach,
  readPages,
  route,
  withBody,
} from "../compat/route.ts";
import { addressOf, isInbox } from "./inboxes.ts";
import {
  contentFields,
  contentOf,
  includeFields,
  labelFilters,
  labelList,
  labelsOf,
  marksOf,
  orderedPage,
  pageFields,
  pageOf,
  present,
  siftedPage,
  textList,
  withMarks,
} from "./parts.ts";
import {
  attachmentView,
  isThere,
  itemView,
  type Message,
  messageView,
  recipientsOf,
  type Summary,
  senderOf,
  soughtPeople,
} from "./views.ts";

const CHOSEN_MAX = 100;

/** A message of this mailbox. @throws ServiceError `message_not_found`, also if it is in another one, or was cancelled */
export async function messageIn(api: Api, inbox: string, id: string): Promise<Message> {
  const message = await api.call("messages", "get", { id });
  if (isThere(message) && (await isInbox(api, inbox, message.inbox))) return message;
  throw new ServiceError("message_not_found", "The message does not exist.");
}

// Lists. Our lists take one value of each filter. What they do not compare in the same way is looked for in the page, which gets shorter.
const filterFields = {
  labels: textList.optional(),
  before: z.string().optional(),
  after: z.string().optional(),
};
const listQuery = z.strictObject({
  ...pageFields,
  ...includeFields,
  ...filterFields,
  from: textList.optional(),
  to: textList.optional(),
  subject: textList.optional(),
});

/**
 * What our list looks for so that it finds all that has the text. It reads a text with a domain as a whole address or domain: without one
 * it looks for a part. A whole address is looked for as one, by its index.
 */
function soughtIn(text = ""): string | undefined {
  const address = text.slice(text.lastIndexOf("<") + 1).replace(">", "");
  const at = address.indexOf("@");
  if (at >= 0 && address.includes(".", at)) return address;
  const end = at >= 0 ? at : address.lastIndexOf(".");
  return address.slice(0, end + 1) || address || undefined;
}

async function list(api: Api, inbox: string, query: z.infer<typeof listQuery>) {
  const { labels = [], before, after, subject = [] } = query;
  const [from, to] = [soughtPeople(query.from), soughtPeople(query.to)];
  const filters = present({
    before,
    after,
    from: soughtIn(from[0]),
    to: soughtIn(to[0]),
    subject: subject[0] || undefined,
  });
  const asked = { addr: inbox, ...filters, ...labelFilters(labels), ...present({ include_spam: query.include_spam }) };
  const has = (text: string, parts: string[]) => parts.every((part) => text.toLowerCase().includes(part.toLowerCase()));
  const fits = (each: Summary) =>
    isThere(each) &&
    labels.every((label) => labelsOf(each).includes(label)) &&
    has(senderOf(each), from) &&
    has(recipientsOf(each).join("\n"), to) &&
    has(each.subject, subject.slice(1));
  const { data, next, limit } = await orderedPage(api, query, {
    fetch: readPages<Summary>(api, (page) => api.call("messages", "list", { ...asked, ...page })),
    placeOf: ({ id }) => id,
    keep: (items) => items.filter(fits).map(itemView),
  });
  return pageOf("messages", data, next, limit);
}

const searchQuery = z.strictObject({
  limit: pageFields.limit,
  page_token: pageFields.page_token,
  q: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
});

/** @param inbox undefined: all mailboxes of the key @param keep what a page has of the messages that were found */
export function searchPage<Kept>(
  api: Api,
  inbox: string | undefined,
  query: z.infer<typeof searchQuery>,
  keep: (found: Summary[]) => Kept[] | Promise<Kept[]>,
) {
  const { q, before, after } = query;
  const asked = { ...present({ inbox, before, after }), q };
  return siftedPage(api, query, {
    fetch: readPages(api, (page) => api.call("messages", "search", { ...asked, ...page })),
    keep,
  });
}
export { searchQuery };

async function search(api: Api, inbox: string, query: z.infer<typeof searchQuery>) {
  const { data, next, limit } = await searchPage(api, inbox, query, (found) => found.filter(isThere).map(itemView));
  return pageOf("messages", data, next, limit);
}

// Several messages.
const ids = z
  .array(z.string())
  .min(1)
  .max(CHOSEN_MAX)
  .refine((given) => new Set(given).size === given.length, "has an id twice");
const batchGetBody = z.strictObject({ message_ids: ids });

/** Without bodies. `limit` is the number of ids, so that a client sees by `count` whether some were not found. */
async function batchGet(api: Api, inbox: string, { message_ids }: z.infer<typeof batchGetBody>) {
  await addressOf(api, inbox);
  const read = await readEach(api, message_ids, async (id) => {
    const message = await ifThere(messageIn(api, inbox, id));
    return message && withoutBodies(message);
  });
  const messages = read.filter((each) => each !== undefined);
  return { count: messages.length, limit: message_ids.length, messages };
}

function withoutBodies(message: Message) {
  const { text: _text, html: _html, extracted_text: _extracted, ...view } = messageView(message);
  return view;
}

const labelFields = { add_labels: labelList, remove_labels: labelList };
const updateBody = z.strictObject(labelFields);
type Labels = z.infer<typeof updateBody>;

async function update(api: Api, inbox: string, id: string, { add_labels, remove_labels }: Labels) {
  const marks = marksOf(add_labels, remove_labels);
  await messageIn(api, inbox, id);
  if (remove_labels.includes("spam")) await api.call("messages", "notSpam", { id });
  const message = await api.call("messages", "update", { id, ...marks });
  return { message_id: message.id, labels: labelsOf(message) };
}

const batchUpdateBody = z
  .strictObject({ ...labelFields, message_ids: ids })
  .refine(
    ({ add_labels, remove_labels }) => add_labels.length + remove_labels.length > 0,
    "An update has add_labels or remove_labels.",
  );

/** The marks are set by one call. */
async function batchUpdate(
  api: Api,
  inbox: string,
  { message_ids, add_labels, remove_labels }: z.infer<typeof batchUpdateBody>,
) {
  const marks = marksOf(add_labels, remove_labels);
  await addressOf(api, inbox);
  const marked = await readEach(api, message_ids, async (id) => {
    const message = await ifThere(messageIn(api, inbox, id));
    return (
      message && { id, quarantined: message.quarantined, labels: labelsOf(withMarks(message, marks, remove_labels)) }
    );
  });
  const found = marked.filter((each) => each !== undefined);
  const freed = found.filter(({ quarantined }) => quarantined && remove_labels.includes("spam"));
  api.takeChanges(freed.length);
  for (const { id } of freed) await api.call("messages", "notSpam", { id });
  const ids = found.map(({ id }) => id);
  const { missing } =
    ids.length === 0 ? { missing: [] as string[] } : await api.call("messages", "updateMany", { ids, ...marks });
  const updates = found.filter(({ id }) => !missing.includes(id)).map(({ id, labels }) => ({ message_id: id, labels }));
  return { count: updates.length, limit: message_ids.length, updates };
}

// Sending.
type Queued = Pick<Output<"messages", "send">, "id" | "thread_id">;

export const sentView = ({ id, thread_id }: Queued) => ({ message_id: id, thread_id });

const sendBody = z.strictObject(contentFields);

async function send(api: Api, inbox: string, body: z.infer<typeof sendBody>) {
  const { to = [], ...content } = withBody(contentOf(body));
  return sentView(await api.call("messages", "send", { addr: inbox, to, ...content }));
}

const flag = z.boolean().optional();
const { subject: _subject, ...replyFields } = contentFields;
const replyBody = z.strictObject({ ...replyFields, reply_all: flag });
const { to: _to, cc: _cc, bcc: _bcc, ...replyAllFields } = replyFields;
const replyAllBody = z.strictObject(replyAllFields);

/** Our reply goes to the sender: one to others is a send that answers the message. */
async function reply(api: Api, inbox: string, id: string, { reply_all = false, ...body }: z.infer<typeof replyBody>) {
  const { subject } = await messageIn(api, inbox, id);
  const { to, ...content } = withBody(contentOf(body));
  if (to === undefined) return sentView(await api.call("messages", "reply", { id, reply_all, ...content }));
  if (reply_all) throw notAvailable("reply_all: a reply to all takes no `to` here; leave one of them out.");
  const answer = { addr: inbox, to, subject: replySubject(subject), in_reply_to: id, ...content };
  return sentView(await api.call("messages", "send", answer));
}

async function forward(api: Api, inbox: string, id: string, body: z.infer<typeof sendBody>) {
  if (body.subject !== undefined)
    throw notAvailable("subject: a forward has the subject of its message, with Fwd: before it.");
  if (Object.keys(body.headers ?? {}).length > 0) throw notAvailable("headers: a forward takes no headers here.");
  if (body.reply_to !== undefined) throw notAvailable("reply_to: a forward takes no Reply-To here.");
  await messageIn(api, inbox, id);
  const { to = [], headers: _none, ...content } = contentOf(body);
  return sentView(await api.call("messages", "forward", { id, to, ...content }));
}

// Files.
/** @throws ServiceError `attachment_not_found` */
export function attachmentAnswer(api: Api, message: Pick<Message, "id" | "attachments">, attachmentId: string) {
  const found = message.attachments.find(({ id }) => id === attachmentId);
  if (!found) throw new ServiceError("attachment_not_found", "The attachment does not exist.");
  const input = { id: message.id, attachment_id: attachmentId };
  const { url, expires_at } = downloadLink(api, { procedure: "messages.attachment", input });
  return { ...attachmentView(found), download_url: url, expires_at };
}

/** Sent mail is composed again, so that only then its size is known. */
async function rawAnswer(api: Api, { id, direction, size }: Message) {
  const file = { procedure: "messages.raw", input: { id } } as const;
  const octets = direction === "inbound" ? size : await api.sizeOf(file);
  const { url, expires_at } = downloadLink(api, file);
  return { message_id: id, size: octets, download_url: url, expires_at };
}

const OF_INBOX = "/v0/inboxes/{inbox_id}/messages";
const ONE = `${OF_INBOX}/{message_id}`;
const large = { isLarge: true };

export const messageRoutes = [
  route(`GET ${OF_INBOX}`, listQuery, (api, { inbox_id = "" }, query) => list(api, inbox_id, query)),
  route(`GET ${OF_INBOX}/search`, searchQuery, (api, { inbox_id = "" }, query) => search(api, inbox_id, query)),
  route(`POST ${OF_INBOX}/batch-get`, batchGetBody, (api, { inbox_id = "" }, body) => batchGet(api, inbox_id, body)),
  route(`POST ${OF_INBOX}/batch-update`, batchUpdateBody, (api, { inbox_id = "" }, body) =>
    batchUpdate(api, inbox_id, body),
  ),
  route(`POST ${OF_INBOX}/send`, sendBody, (api, { inbox_id = "" }, body) => send(api, inbox_id, body), large),
  route(`GET ${ONE}`, anyInput, async (api, { inbox_id = "", message_id = "" }) =>
    messageView(await messageIn(api, inbox_id, message_id)),
  ),
  route(`PATCH ${ONE}`, updateBody, (api, { inbox_id = "", message_id = "" }, body) =>
    update(api, inbox_id, message_id, body),
  ),
  route(`DELETE ${ONE}`, anyInput, async (api, { inbox_id = "", message_id = "" }) => {
    await messageIn(api, inbox_id, message_id);
    await api.call("messages", "remove", { id: message_id });
  }),
  route(
    `POST ${ONE}/reply`,
    replyBody,
    (api, { inbox_id = "", message_id = "" }, body) => reply(api, inbox_id, message_id, body),
    large,
  ),
  route(
    `POST ${ONE}/reply-all`,
    replyAllBody,
    (api, { inbox_id = "", message_id = "" }, body) => reply(api, inbox_id, message_id, { ...body, reply_all: true }),
    large,
  ),
  route(
    `POST ${ONE}/forward`,
    sendBody,
    (api, { inbox_id = "", message_id = "" }, body) => forward(api, inbox_id, message_id, body),
    large,
  ),
  route(`GET ${ONE}/raw`, anyInput, async (api, { inbox_id = "", message_id = "" }) =>
    rawAnswer(api, await messageIn(api, inbox_id, message_id)),
  ),
  route(
    `GET ${ONE}/attachments/{attachment_id}`,
    anyInput,
    async (api, { inbox_id = "", message_id = "", attachment_id = "" }) =>
      attachmentAnswer(api, await messageIn(api, inbox_id, message_id), attachment_id),
  ),
];
