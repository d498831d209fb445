// AgentMail's drafts. One with a time is a scheduled message here, whose id is that of the draft.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { downloadLink } from "../compat/download.ts";
import { type Api, anyInput, ifThere, notAvailable, readEach, route, without } from "../compat/route.ts";
import { isInbox } from "./inboxes.ts";
import { attachmentAnswer, messageIn, sentView } from "./messages.ts";
import {
  attachmentsField,
  contentFields,
  contentOf,
  filesOf,
  labelList,
  labelsToSend,
  pageFields,
  pageOf,
  present,
  textList,
  toPage,
} from "./parts.ts";
import { type Draft, draftFileView, draftView, type Message, noDraft, scheduledView } from "./views.ts";

const isMessage = (id: string) => id.startsWith("msg_");

/** @param inbox undefined: of any mailbox */
async function get(api: Api, inbox: string | undefined, id: string) {
  if (isMessage(id)) {
    const message = await orNoDraft(
      inbox === undefined ? api.call("messages", "get", { id }) : messageIn(api, inbox, id),
    );
    return scheduledView(message);
  }
  return draftView(await draftIn(api, inbox, id));
}

async function orNoDraft(asked: Promise<Message>): Promise<Message> {
  const message = await ifThere(asked);
  if (!message) throw noDraft();
  return message;
}

async function draftIn(api: Api, inbox: string | undefined, id: string): Promise<Draft> {
  const draft = await api.call("drafts", "get", { id });
  if (await isInbox(api, inbox, draft.inbox)) return draft;
  throw noDraft();
}

// The list has the scheduled messages first, then the drafts, each newest first.
const listQuery = z.strictObject({
  ...pageFields,
  labels: textList.optional(),
  before: without("drafts have no filter of times here"),
  after: without("drafts have no filter of times here"),
});
type ListQuery = z.infer<typeof listQuery>;
const SCHEDULED = "scheduled.";
const DRAFTS = "drafts.";

async function list(api: Api, inbox: string | undefined, query: ListQuery) {
  const token = query.page_token ?? SCHEDULED;
  if (token.startsWith(DRAFTS)) return draftPage(api, inbox, query, token.slice(DRAFTS.length));
  if (!token.startsWith(SCHEDULED)) throw new ServiceError("invalid_cursor", "page_token: not one of this list.");
  const page = await scheduledPage(api, inbox, query, token.slice(SCHEDULED.length));
  return page ?? draftPage(api, inbox, query, "");
}

/** @param cursor of our list; empty: from its beginning. @returns undefined if there are none, so that the first page has drafts */
async function scheduledPage(api: Api, inbox: string | undefined, query: ListQuery, cursor: string) {
  const asked = { ...askedOf(inbox, query, cursor), direction: "outbound" as const, status: "scheduled" as const };
  const { data, next_cursor } = await api.call("messages", "search", asked);
  const { labels = [] } = query;
  const isLast = next_cursor === null && labels.includes("scheduled");
  if (data.length === 0 && next_cursor === null && !isLast) return;
  const next = next_cursor === null ? DRAFTS : `${SCHEDULED}${next_cursor}`;
  return pageOf("drafts", await wholeOf(api, data, labels), isLast ? null : next, asked.limit);
}

/** @param cursor of our list; empty: from its beginning */
async function draftPage(api: Api, inbox: string | undefined, query: ListQuery, cursor: string) {
  const asked = askedOf(inbox, query, cursor);
  const { data, next_cursor } = await api.call("drafts", "list", asked);
  const next = next_cursor === null ? null : `${DRAFTS}${next_cursor}`;
  return pageOf("drafts", await wholeOf(api, data, query.labels ?? []), next, asked.limit);
}

function askedOf(inbox: string | undefined, query: ListQuery, cursor: string) {
  const { limit } = toPage(query);
  return { limit, ...(cursor !== "" && { cursor }), ...(inbox !== undefined && { inbox }) };
}

/** The drafts that have all labels, and were neither deleted nor sent since the list was read. */
async function wholeOf(api: Api, found: { id: string }[], labels: string[]) {
  const views = await readEach(api, found, ({ id }) => ifThere(get(api, undefined, id)));
  return views.filter((view) => view !== undefined && labels.every((label) => view.labels.includes(label)));
}

const { track_opens: _track, headers: _headers, ...draftFields } = contentFields;
const createBody = z.strictObject({
  ...draftFields,
  in_reply_to: z.string().optional(),
  forward_of: without("a draft cannot forward here; forward the message"),
  reply_all: z.boolean().optional(),
  send_at: z.string().optional(),
  client_id: z.string().optional(),
});

async function create(api: Api, inbox: string, body: z.infer<typeof createBody>) {
  const { in_reply_to, reply_all, send_at, client_id } = body;
  const content = contentOf(body);
  if (send_at !== undefined) return schedule(api, inbox, { ...body, send_at });
  if (client_id !== undefined) throw notAvailable("client_id: a draft without send_at cannot be repeated here.");
  if (in_reply_to !== undefined) await messageIn(api, inbox, in_reply_to);
  const draft = await api.call("drafts", "create", { inbox, ...content, ...present({ in_reply_to, reply_all }) });
  return draftView(draft);
}

/** One call that sends or replies, with the `client_id` as its idempotency key. */
async function schedule(api: Api, inbox: string, body: z.infer<typeof createBody> & { send_at: string }) {
  const { send_at, in_reply_to, reply_all = false, client_id } = body;
  const { to = [], ...content } = contentOf(body);
  const more = { send_at, ...present({ idempotency_key: client_id }) };
  if (in_reply_to === undefined)
    return get(api, inbox, (await api.call("messages", "send", { addr: inbox, to, ...content, ...more })).id);
  const { cc, bcc, subject, reply_to, ...bodies } = content;
  const own = Object.keys(present({ to: body.to, cc, bcc, subject, reply_to }));
  if (own.length > 0)
    throw notAvailable(`${own.join(", ")}: a scheduled reply takes recipients and subject from its message.`);
  await messageIn(api, inbox, in_reply_to);
  return get(api, inbox, (await api.call("messages", "reply", { id: in_reply_to, reply_all, ...bodies, ...more })).id);
}

const addresses = z.union([z.string(), z.array(z.string())]).nullish();
const text = z.string().nullish();
const updateBody = z.strictObject({
  to: addresses,
  cc: addresses,
  bcc: addresses,
  reply_to: addresses.refine((given) => [given ?? []].flat().length <= 1, "takes one address here"),
  subject: text,
  text,
  html: text,
  add_attachments: attachmentsField,
  remove_attachments: without("the files of a draft are replaced together here; create the draft again"),
  add_labels: labelList,
  remove_labels: labelList,
  send_at: z.string().nullish(),
});

async function update(api: Api, inbox: string, id: string, body: z.infer<typeof updateBody>) {
  const { add_attachments, remove_attachments: _r, add_labels, remove_labels, send_at, ...given } = body;
  if (isMessage(id)) return move(api, inbox, id, body);
  if (send_at) throw notAvailable("send_at: a draft gets its time when it is created; create it again with send_at.");
  const draft = await draftIn(api, inbox, id);
  if (add_attachments && draft.attachments.length > 0) {
    throw notAvailable("add_attachments: the files of a draft are replaced together here; create the draft again.");
  }
  const cleared = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === null ? "" : value]));
  const replyTo = given.reply_to === undefined ? {} : { reply_to: [given.reply_to ?? ""].flat()[0] ?? "" };
  const files = add_attachments && { attachments: filesOf(add_attachments) };
  const labels = changedLabels(draft, add_labels, remove_labels);
  return draftView(
    await api.call("drafts", "update", { id, revision: draft.revision, ...cleared, ...replyTo, ...files, ...labels }),
  );
}

/**
 * The labels of a draft with these changes, if there are any.
 * @throws ServiceError `invalid_request` for a label that says what a message is
 */
function changedLabels({ labels }: Draft, add: string[], remove: string[]) {
  labelsToSend([...add, ...remove]);
  if (add.length + remove.length === 0) return {};
  return { labels: [...labels, ...add].filter((each) => !remove.includes(each)) };
}

/** Of a draft with a time, the time and the labels alone can change. */
async function move(
  api: Api,
  inbox: string,
  id: string,
  { send_at, add_labels, remove_labels, ...others }: z.infer<typeof updateBody>,
) {
  labelsToSend([...add_labels, ...remove_labels]);
  scheduledView(await orNoDraft(messageIn(api, inbox, id)));
  const isChanged = send_at || add_labels.length + remove_labels.length > 0;
  if (!isChanged || Object.values(others).some((value) => value !== undefined))
    throw notAvailable(
      "Of a scheduled draft only send_at and labels can be changed here: delete it and create it again.",
    );
  await api.call("messages", "update", { id, ...(send_at && { send_at }), add_labels, remove_labels });
  return get(api, inbox, id);
}

async function remove(api: Api, inbox: string, id: string): Promise<void> {
  if (isMessage(id)) {
    scheduledView(await orNoDraft(messageIn(api, inbox, id)));
    await api.call("messages", "cancel", { id });
  } else {
    await draftIn(api, inbox, id);
    await api.call("drafts", "remove", { id });
  }
}

const sendBody = z.strictObject({ add_labels: labelList, remove_labels: labelList });

/** A label that is removed leaves the draft before it is sent. */
async function send(api: Api, inbox: string, id: string, { add_labels, remove_labels }: z.infer<typeof sendBody>) {
  if (isMessage(id))
    throw notAvailable("A scheduled draft leaves at its time. To send it now, delete it and send its content.");
  labelsToSend([...add_labels, ...remove_labels]);
  const draft = await draftIn(api, inbox, id);
  const isLess = draft.labels.some((label) => remove_labels.includes(label));
  const { revision } = isLess
    ? await api.call("drafts", "update", { id, revision: draft.revision, ...changedLabels(draft, [], remove_labels) })
    : draft;
  return sentView(await api.call("drafts", "send", { id, revision, ...labelsToSend(add_labels) }));
}

const OF_INBOX = "/v0/inboxes/{inbox_id}/drafts";
const ONE = `${OF_INBOX}/{draft_id}`;
const large = { isLarge: true };

/** @throws ServiceError `draft_not_found`, `attachment_not_found` */
async function attachment(api: Api, inbox: string | undefined, id: string, attachmentId: string) {
  if (isMessage(id)) {
    const scheduled = inbox === undefined ? api.call("messages", "get", { id }) : messageIn(api, inbox, id);
    const message = await orNoDraft(scheduled);
    scheduledView(message);
    return attachmentAnswer(api, message, attachmentId);
  }
  const file = (await draftIn(api, inbox, id)).attachments.find((each) => each.id === attachmentId);
  if (!file) throw new ServiceError("attachment_not_found", "The attachment does not exist.");
  const { url, expires_at } = downloadLink(api, {
    procedure: "drafts.attachment",
    input: { id, attachment_id: attachmentId },
  });
  return { ...draftFileView(file), download_url: url, expires_at };
}

const readRoutes = (base: string) => [
  route(`GET ${base}`, listQuery, (api, { inbox_id }, query) => list(api, inbox_id, query)),
  route(`GET ${base}/{draft_id}`, anyInput, (api, { inbox_id, draft_id = "" }) => get(api, inbox_id, draft_id)),
  route(
    `GET ${base}/{draft_id}/attachments/{attachment_id}`,
    anyInput,
    (api, { inbox_id, draft_id = "", attachment_id = "" }) => attachment(api, inbox_id, draft_id, attachment_id),
  ),
];

export const draftRoutes = [
  ...readRoutes("/v0/drafts"),
  ...readRoutes(OF_INBOX),
  route(`POST ${OF_INBOX}`, createBody, (api, { inbox_id = "" }, body) => create(api, inbox_id, body), large),
  route(
    `PATCH ${ONE}`,
    updateBody,
    (api, { inbox_id = "", draft_id = "" }, body) => update(api, inbox_id, draft_id, body),
    large,
  ),
  route(`DELETE ${ONE}`, anyInput, (api, { inbox_id = "", draft_id = "" }) => remove(api, inbox_id, draft_id)),
  route(`POST ${ONE}/send`, sendBody, (api, { inbox_id = "", draft_id = "" }, body) =>
    send(api, inbox_id, draft_id, body),
  ),
];
