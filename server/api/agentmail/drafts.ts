// AgentMail's drafts. One with a time is a scheduled message here, whose id is that of the draft.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { downloadLink } from "../compat/download.ts";
import { type Api, anyInput, ifThere, missingBody, notAvailable, route, withBody, without } from "../compat/route.ts";
import { listDrafts, listQuery } from "./draft-list.ts";
import { findMessage, findScheduled, findUnscheduled, getDraft, isMessageId, viewOf } from "./find-draft.ts";
import { isInbox } from "./inboxes.ts";
import { attachmentAnswer, messageIn, sentView } from "./messages.ts";
import { attachmentsField, contentFields, contentOf, filesOf, labelList, labelsToSend, present } from "./parts.ts";
import { type Draft, draftFileView, isScheduled, type Message, noDraft } from "./views.ts";

/** The time of a scheduled draft that is sent now. It must not have passed when the message is changed. */
const SOON_MS = 2_000;
/** No draft has it, so that a send with it sends nothing. */
const NO_REVISION = 2_147_483_647;

/** @throws ServiceError `draft_not_found`, `attachment_not_found` */
async function getAttachment(api: Api, inbox: string | undefined, id: string, attachmentId: string) {
  if (isMessageId(id)) return attachmentAnswer(api, await findScheduled(api, inbox, id), attachmentId);
  const { attachments } = await findUnscheduled(api, inbox, id);
  const file = attachments.find((each) => each.id === attachmentId);
  if (!file) throw new ServiceError("attachment_not_found", "The attachment does not exist.");
  const stored = { procedure: "drafts.attachment" as const, input: { id, attachment_id: attachmentId } };
  const { url, expires_at } = downloadLink(api, stored);
  return { ...draftFileView(file), download_url: url, expires_at };
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
type CreateBody = z.infer<typeof createBody>;

async function create(api: Api, inbox: string, body: CreateBody) {
  const { in_reply_to, reply_all, send_at, client_id } = body;
  if (reply_all) checkReplyAll(body);
  const { reply_to, ...content } = contentOf(body);
  if (send_at !== undefined) {
    const id = await schedule(api, inbox, { ...body, send_at });
    return { ...(await getDraft(api, inbox, id)), ...present({ client_id }) };
  }
  if (client_id !== undefined) throw notAvailable("client_id: a draft without send_at cannot be repeated here.");
  if (typeof reply_to === "object") throw notAvailable("reply_to: a draft without send_at takes one address here.");
  if (in_reply_to !== undefined) await messageIn(api, inbox, in_reply_to);
  const fields = { inbox, ...content, ...present({ in_reply_to, reply_all, reply_to }) };
  return viewOf(api, await api.call("drafts", "create", fields));
}

/** @throws ServiceError `invalid_request` if there is nothing to answer, or other recipients than those of the message */
function checkReplyAll({ in_reply_to, to, cc, bcc }: CreateBody): void {
  if (in_reply_to === undefined)
    throw notAvailable("reply_all: a reply to all needs in_reply_to, the message that it answers.");
  const [own] = Object.entries({ to, cc, bcc }).find(([, given]) => [given ?? []].flat().length > 0) ?? [];
  if (own === undefined) return;
  throw notAvailable(`reply_all: a reply to all takes no \`${own}\` here; leave one of them out.`);
}

/** One call that sends or replies, with the `client_id` as its idempotency key. @returns the id of the message */
async function schedule(api: Api, inbox: string, body: CreateBody & { send_at: string }): Promise<string> {
  const { send_at, in_reply_to, reply_all = false, client_id } = body;
  const { to = [], ...content } = withBody(contentOf(body));
  const more = { send_at, ...present({ idempotency_key: client_id }) };
  if (in_reply_to === undefined) {
    const sent = await api.call("messages", "send", { addr: inbox, to, ...content, ...more });
    return sent.id;
  }
  const { cc, bcc, subject, reply_to, ...bodies } = content;
  const own = Object.keys(present({ to: body.to, cc, bcc, subject, reply_to }));
  if (own.length > 0)
    throw notAvailable(`${own.join(", ")}: a scheduled reply takes recipients and subject from its message.`);
  await messageIn(api, inbox, in_reply_to);
  const sent = await api.call("messages", "reply", { id: in_reply_to, reply_all, ...bodies, ...more });
  return sent.id;
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
type UpdateBody = z.infer<typeof updateBody>;

async function update(api: Api, inbox: string, id: string, body: UpdateBody) {
  if (isMessageId(id)) return updateScheduled(api, inbox, id, body);
  const { add_attachments, remove_attachments: _removed, add_labels, remove_labels, send_at, ...given } = body;
  if (send_at) throw notAvailable("send_at: a draft gets its time when it is created; create it again with send_at.");
  const draft = await findUnscheduled(api, inbox, id);
  if (add_attachments?.length && draft.attachments.length > 0) {
    throw notAvailable("add_attachments: the files of a draft are replaced together here; create the draft again.");
  }
  const texts = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === null ? "" : value]));
  const replyTo = given.reply_to === undefined ? {} : { reply_to: [given.reply_to ?? ""].flat()[0] ?? "" };
  const files = add_attachments?.length ? { attachments: filesOf(add_attachments) } : {};
  const labels = changedLabels(draft, add_labels, remove_labels);
  const changes = { ...texts, ...replyTo, ...files, ...labels };
  return viewOf(api, await api.call("drafts", "update", { id, revision: draft.revision, ...changes }));
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
async function updateScheduled(api: Api, inbox: string, id: string, body: UpdateBody) {
  const { send_at, add_labels, remove_labels, ...others } = body;
  labelsToSend([...add_labels, ...remove_labels]);
  await findScheduled(api, inbox, id);
  const isChanged = send_at !== undefined || add_labels.length + remove_labels.length > 0;
  if (!isChanged || send_at === null || Object.values(others).some((value) => value !== undefined))
    throw notAvailable(
      "Of a scheduled draft only send_at and labels can be changed here: delete it and create it again.",
    );
  await api.call("messages", "update", { id, ...(send_at && { send_at }), add_labels, remove_labels });
  return getDraft(api, inbox, id);
}

async function remove(api: Api, inbox: string, id: string): Promise<void> {
  if (isMessageId(id)) {
    await findScheduled(api, inbox, id);
    await api.call("messages", "cancel", { id });
  } else {
    await findUnscheduled(api, inbox, id);
    await api.call("drafts", "remove", { id });
  }
}

const sendBody = z.strictObject({ add_labels: labelList, remove_labels: labelList });
type SendBody = z.infer<typeof sendBody>;

/** A label that is removed leaves the draft before it is sent, and a draft without a text gets an empty one. */
async function send(api: Api, inbox: string, id: string, body: SendBody) {
  const { add_labels, remove_labels } = body;
  labelsToSend([...add_labels, ...remove_labels]);
  if (isMessageId(id)) return sendScheduled(api, inbox, id, body);
  const draft = await ifThere(api.call("drafts", "get", { id }));
  if (!draft) return sentBefore(api, inbox, id, body);
  if (!(await isInbox(api, inbox, draft.inbox))) throw noDraft();
  const losesLabel = draft.labels.some((label) => remove_labels.includes(label));
  const changes = { ...(losesLabel && changedLabels(draft, [], remove_labels)), ...missingBody(draft) };
  const { revision } =
    Object.keys(changes).length > 0
      ? await api.call("drafts", "update", { id, revision: draft.revision, ...changes })
      : draft;
  return sentView(await api.call("drafts", "send", { id, revision, ...labelsToSend(add_labels) }));
}

/**
 * The message of a draft that was sent, for a call that is repeated with its idempotency key.
 * @throws ServiceError `draft_not_found`, `idempotency_conflict` if the call asks for other labels than the message has
 */
async function sentBefore(api: Api, inbox: string, id: string, body: SendBody) {
  if (api.idempotencyKey === undefined) throw noDraft();
  // The key belongs to the revision that was sent. Our send answers with its message for a day.
  const sent = await api.call("drafts", "send", { id, revision: NO_REVISION }, { idempotencyKey: undefined });
  requireLabels(await findMessage(api, inbox, sent.id), body);
  return sentView(sent);
}

/** It becomes due. A call that is repeated with its idempotency key gets the same message when that has left. */
async function sendScheduled(api: Api, inbox: string, id: string, body: SendBody) {
  const message = await findMessage(api, inbox, id);
  const { status, send_at } = message;
  if (status === "scheduled" || status === "held") {
    if (!isScheduled(message)) throw noDraft();
    const soon = new Date(api.services.now().getTime() + SOON_MS).toISOString();
    await api.call("messages", "update", { id, send_at: soon, ...body });
  } else {
    const isSent = send_at !== null && status !== "rejected" && status !== "failed";
    if (!isSent || api.idempotencyKey === undefined) throw noDraft();
    requireLabels(message, body);
  }
  return sentView(message);
}

/** @throws ServiceError `idempotency_conflict` */
function requireLabels({ id, labels }: Message, { add_labels, remove_labels }: SendBody): void {
  const isSame =
    add_labels.every((each) => labels.includes(each)) && !remove_labels.some((each) => labels.includes(each));
  if (isSame) return;
  const fix = `Change the labels of the message that it became: PATCH /v0/inboxes/{inbox_id}/messages/${id}.`;
  throw new ServiceError("idempotency_conflict", "The draft was sent with other labels.", { fix });
}

const OF_INBOX = "/v0/inboxes/{inbox_id}/drafts";
const ONE = `${OF_INBOX}/{draft_id}`;
const large = { isLarge: true };

const readRoutes = (base: string) => [
  route(`GET ${base}`, listQuery, (api, { inbox_id }, query) => listDrafts(api, inbox_id, query)),
  route(`GET ${base}/{draft_id}`, anyInput, (api, { inbox_id, draft_id = "" }) => getDraft(api, inbox_id, draft_id)),
  route(
    `GET ${base}/{draft_id}/attachments/{attachment_id}`,
    anyInput,
    (api, { inbox_id, draft_id = "", attachment_id = "" }) => getAttachment(api, inbox_id, draft_id, attachment_id),
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
