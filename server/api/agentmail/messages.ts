// AgentMail's messages: those of an inbox, by our ids.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { downloadLink } from "../compat/download.ts";
import { type Api, anyInput, type Input, ifThere, notAvailable, type Output, route } from "../compat/route.ts";
import { addressOf } from "./inboxes.ts";
import {
  contentFields,
  contentOf,
  includeFields,
  labelFilters,
  labelList,
  labelsOf,
  mailbox,
  marksOf,
  pageFields,
  pageOf,
  present,
  textList,
  toPage,
} from "./parts.ts";

type Message = Output<"messages", "get">;
export type Summary = Output<"messages", "list">["data"][number];

const CHOSEN_MAX = 100;
/** Bodies in one answer. */
const BODIES_CHARS = 16_777_216;

export const timeOf = ({ received_at, created_at }: Pick<Summary, "received_at" | "created_at">) =>
  received_at ?? created_at ?? "";
export const senderOf = ({ from_name, from }: Pick<Summary, "from_name" | "from">) => mailbox(from_name, from);

function commonView(message: Summary | Message) {
  const at = timeOf(message);
  return {
    inbox_id: message.inbox,
    thread_id: message.thread_id,
    message_id: message.id,
    labels: labelsOf(message),
    timestamp: at,
    from: senderOf(message),
    to: message.to,
    subject: message.subject,
    size: message.size,
    updated_at: at,
    created_at: at,
  };
}

function itemView({ highlights, ...summary }: Summary) {
  const found = (fields: string[]) =>
    (highlights ?? [])
      .filter(({ field }) => fields.includes(field))
      .map(({ parts }) => parts.map(({ text }) => text).join(""));
  return {
    ...commonView(summary),
    preview: summary.preview,
    ...(highlights && {
      highlights: {
        from: found(["from", "from_name"]),
        recipients: found(["to"]),
        subject: found(["subject"]),
        text: found(["text"]),
      },
    }),
  };
}

function attachmentView({ id, filename, content_type, size, inline }: Message["attachments"][number]) {
  return {
    attachment_id: id,
    ...(filename !== null && { filename }),
    size,
    content_type,
    content_disposition: inline ? "inline" : "attachment",
  };
}

const MESSAGE_IDS = /<[^<>\s]+>/g;

export function messageView(message: Message) {
  const header = (name: string) => message.headers.find((each) => each.name.toLowerCase() === name)?.value;
  const headers = Object.fromEntries(message.headers.map(({ name, value }) => [name, value]));
  const ownId = message.rfc_message_id === null ? {} : { "Message-ID": `<${message.rfc_message_id}>` };
  const [answered] = header("in-reply-to")?.match(MESSAGE_IDS) ?? [];
  const references = header("references")?.match(MESSAGE_IDS);
  const preview = (message.extracted_text ?? message.text ?? "").replace(/\s+/g, " ").trim().slice(0, PREVIEW_CHARS);
  return {
    ...commonView(message),
    cc: message.cc,
    ...(message.bcc && { bcc: message.bcc }),
    reply_to: message.reply_to,
    preview,
    ...present({
      text: message.text ?? undefined,
      html: message.html ?? undefined,
      extracted_text: message.extracted_text ?? undefined,
      in_reply_to: answered,
      references: references && [...references],
    }),
    attachments: message.attachments.map(attachmentView),
    headers: message.headers.length > 0 ? headers : ownId,
  };
}
const PREVIEW_CHARS = 200;

/** Whether `inbox` is the address or the id of the mailbox of a message. */
async function isIn(api: Api, inbox: string, message: Pick<Message, "inbox">): Promise<boolean> {
  if (inbox.toLowerCase() === message.inbox) return true;
  return inbox.startsWith("inb_") && (await ifThere(addressOf(api, inbox))) === message.inbox;
}

/** A message of this mailbox. @throws ServiceError `message_not_found`, also if it is in another one */
export async function messageIn(api: Api, inbox: string, id: string): Promise<Message> {
  const message = await api.call("messages", "get", { id });
  if (await isIn(api, inbox, message)) return message;
  throw new ServiceError("message_not_found", "The message does not exist.");
}

// Lists. Our lists take one value of each filter: the others are looked for in the page, which gets shorter.
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

async function list(api: Api, inbox: string, query: z.infer<typeof listQuery>) {
  const page = toPage(query);
  const { labels = [], before, after, from = [], to = [], subject = [] } = query;
  const one = (values: string[]) => values[0] || undefined;
  const filters = present({ before, after, from: one(from), to: one(to), subject: one(subject) });
  const { data, next_cursor } = await api.call("messages", "list", {
    addr: inbox,
    ...page,
    ...filters,
    ...labelFilters(labels),
    ...present({ include_spam: query.include_spam }),
  });
  const has = (text: string, parts: string[]) => parts.every((part) => text.toLowerCase().includes(part.toLowerCase()));
  const fits = (each: Summary) =>
    labels.every((label) => labelsOf(each).includes(label)) &&
    has(senderOf(each), from.slice(1)) &&
    has([...each.to, ...(each.recipients ?? []).map(({ address }) => address)].join("\n"), to.slice(1)) &&
    has(each.subject, subject.slice(1));
  return pageOf("messages", data.filter(fits).map(itemView), next_cursor, page.limit);
}

const searchQuery = z.strictObject({
  limit: pageFields.limit,
  page_token: pageFields.page_token,
  q: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
});

/** @param inbox undefined: all mailboxes of the key */
export function searchMessages(api: Api, inbox: string | undefined, query: z.infer<typeof searchQuery>) {
  const { q, before, after } = query;
  return api.call("messages", "search", { ...present({ inbox, before, after }), q, ...toPage(query) });
}
export { searchQuery };

async function search(api: Api, inbox: string, query: z.infer<typeof searchQuery>) {
  const { data, next_cursor } = await searchMessages(api, inbox, query);
  return pageOf("messages", data.map(itemView), next_cursor, toPage(query).limit);
}

// Several messages.
const ids = z.array(z.string()).min(1).max(CHOSEN_MAX);
const batchGetBody = z.strictObject({ message_ids: ids });

/** One after the other, so that no more bodies are in memory than the answer may have. */
async function batchGet(api: Api, inbox: string, { message_ids }: z.infer<typeof batchGetBody>) {
  await addressOf(api, inbox);
  const found: ReturnType<typeof messageView>[] = [];
  let chars = 0;
  for (const id of new Set(message_ids)) {
    const message = await ifThere(messageIn(api, inbox, id));
    if (!message) continue;
    found.push(messageView(message));
    chars += (message.text?.length ?? 0) + (message.html?.length ?? 0) + (message.extracted_text?.length ?? 0);
    if (chars > BODIES_CHARS)
      throw new ServiceError("payload_too_large", "These messages are too large for one answer.", {
        fix: "Get fewer messages in one call.",
      });
  }
  return { count: found.length, limit: CHOSEN_MAX, messages: found };
}

const updateBody = z.strictObject({ add_labels: labelList, remove_labels: labelList });
type Labels = z.infer<typeof updateBody>;

async function update(api: Api, inbox: string, id: string, { add_labels, remove_labels }: Labels) {
  const marks = marksOf(add_labels, remove_labels);
  await messageIn(api, inbox, id);
  if (remove_labels.includes("spam")) await api.call("messages", "notSpam", { id });
  const message = await api.call("messages", "update", { id, ...marks });
  return { message_id: message.id, labels: labelsOf(message) };
}

const batchUpdateBody = updateBody.extend({ message_ids: ids });

async function batchUpdate(api: Api, inbox: string, { message_ids, ...labels }: z.infer<typeof batchUpdateBody>) {
  await addressOf(api, inbox);
  const updates: { message_id: string; labels: string[] }[] = [];
  for (const id of new Set(message_ids)) {
    const updated = await ifThere(update(api, inbox, id, labels));
    if (updated) updates.push(updated);
  }
  return { count: updates.length, limit: CHOSEN_MAX, updates };
}

// Sending.
type Queued = Output<"messages", "send">;

/**
 * Sends, then sets labels. That needs the scope of reading, which is asked for before anything is sent.
 * @param inbox the mailbox that sends
 */
export async function sendWithLabels(api: Api, inbox: string, labels: string[], send: () => Promise<Queued>) {
  const marks = marksOf(labels, []);
  if (labels.length > 0) await addressOf(api, inbox);
  const queued = await send();
  if (labels.length > 0) await api.call("messages", "update", { id: queued.id, ...marks });
  return { message_id: queued.id, thread_id: queued.thread_id };
}

const sendBody = z.strictObject(contentFields);

function send(api: Api, inbox: string, { labels, ...body }: z.infer<typeof sendBody>) {
  const { to = [], ...content } = contentOf(body);
  return sendWithLabels(api, inbox, labels, () => api.call("messages", "send", { addr: inbox, to, ...content }));
}

const flag = z.boolean().optional();
const { subject: _subject, ...replyFields } = contentFields;
const replyBody = z.strictObject({ ...replyFields, reply_all: flag });
const { to: _to, cc: _cc, bcc: _bcc, ...replyAllFields } = replyFields;
const replyAllBody = z.strictObject(replyAllFields);

/** Our reply takes no recipients: a reply with recipients is a draft that is sent. */
async function reply(
  api: Api,
  inbox: string,
  id: string,
  { labels, reply_all = false, ...body }: z.infer<typeof replyBody>,
) {
  await messageIn(api, inbox, id);
  const content = contentOf(body);
  const { to, cc, bcc, reply_to, ...bodies } = content;
  const isPlain = to === undefined && cc === undefined && bcc === undefined && reply_to === undefined;
  return sendWithLabels(api, inbox, labels, () =>
    isPlain
      ? api.call("messages", "reply", { id, reply_all, ...bodies })
      : sendAsDraft(api, { inbox, in_reply_to: id, reply_all, ...content }),
  );
}

async function sendAsDraft(api: Api, content: Input<"drafts", "create">): Promise<Queued> {
  if (api.idempotencyKey !== undefined) {
    throw notAvailable("A reply with recipients or a Reply-To takes no Idempotency-Key here.");
  }
  const { id, revision } = await api.call("drafts", "create", content);
  try {
    return await api.call("drafts", "send", { id, revision });
  } catch (error) {
    await ifThere(api.call("drafts", "remove", { id }));
    throw error;
  }
}
async function forward(api: Api, inbox: string, id: string, { labels, ...body }: z.infer<typeof sendBody>) {
  if (body.subject !== undefined)
    throw notAvailable("subject: a forward has the subject of its message, with Fwd: before it.");
  if (body.reply_to !== undefined) throw notAvailable("reply_to: a forward takes no Reply-To here.");
  await messageIn(api, inbox, id);
  const { to = [], cc, bcc, text, html, attachments } = contentOf(body);
  return sendWithLabels(api, inbox, labels, () =>
    api.call("messages", "forward", { id, to, ...present({ cc, bcc, text, html, attachments }) }),
  );
}

// Files.
/** @throws ServiceError `attachment_not_found` */
export function attachmentAnswer(api: Api, message: Message, attachmentId: string) {
  const found = message.attachments.find(({ id }) => id === attachmentId);
  if (!found) throw new ServiceError("attachment_not_found", "The attachment does not exist.");
  const input = { id: message.id, attachment_id: attachmentId };
  const { url, expires_at } = downloadLink(api, { procedure: "messages.attachment", input });
  return { ...attachmentView(found), download_url: url, expires_at };
}

function rawAnswer(api: Api, message: Message) {
  if (message.direction === "outbound") throw notAvailable("Mailberth keeps the raw bytes of received mail only.");
  const { url, expires_at } = downloadLink(api, { procedure: "messages.raw", input: { id: message.id } });
  return { message_id: message.id, size: message.size, download_url: url, expires_at };
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
