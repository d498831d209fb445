// AgentMail's drafts. One with a time is a scheduled message here, whose id is that of the draft.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { FIRST_ID, timeOfId } from "../../base/id-range.ts";
import { decodeId } from "../../base/ids.ts";
import { replySubject } from "../../sending/subject.ts";
import { downloadLink } from "../compat/download.ts";
import {
  type Api,
  anyInput,
  ifThere,
  missingBody,
  notAvailable,
  type Output,
  readEach,
  route,
  walk,
  withBody,
  without,
} from "../compat/route.ts";
import { isInbox } from "./inboxes.ts";
import { attachmentAnswer, messageIn, sentView } from "./messages.ts";
import {
  attachmentsField,
  contentFields,
  contentOf,
  filesOf,
  flag,
  isWithin,
  labelList,
  labelsToSend,
  pageFields,
  pageOf,
  parse,
  present,
  siftedPage,
  textList,
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
  return viewOf(api, await draftIn(api, inbox, id));
}

async function orNoDraft(asked: Promise<Message>): Promise<Message> {
  const message = await ifThere(asked);
  if (!message) throw noDraft();
  return message;
}

async function draftIn(api: Api, inbox: string | undefined, id: string): Promise<Draft> {
  const draft = await api.call("drafts", "get", { id });
  await requireInbox(api, inbox, draft);
  return draft;
}

/** @throws ServiceError `draft_not_found` for a draft of another mailbox */
async function requireInbox(api: Api, inbox: string | undefined, draft: Draft): Promise<void> {
  if (!(await isInbox(api, inbox, draft.inbox))) throw noDraft();
}

const hasNoSubject = ({ in_reply_to, subject }: Pick<Draft, "in_reply_to" | "subject">) =>
  in_reply_to !== null && subject === null;

/** A reply without a subject gets that of its message when it is sent. */
async function viewOf(api: Api, draft: Draft) {
  const id = draft.in_reply_to;
  const answered = id !== null && hasNoSubject(draft) ? await ifThere(api.call("messages", "get", { id })) : undefined;
  return draftView(answered ? { ...draft, subject: replySubject(answered.subject) } : draft);
}

// A page has both kinds by the time of their last change, the newest first. Scheduled messages are listed in this order; drafts are read as a
// whole, because theirs is that of their creation.
const time = z.iso.datetime({ offset: true });
const listQuery = z.strictObject({
  ...pageFields,
  ascending: flag.optional().refine((value) => value !== true, "drafts come newest first here; leave it out"),
  labels: textList.optional(),
  before: time.optional(),
  after: time.optional(),
});
type ListQuery = z.infer<typeof listQuery>;
type Listed = { id: string; updated_at: string };

/** Where a page begins: behind this draft, and behind this message or place of the list of messages. */
const placeFields = z.strictObject({
  draft: z.strictObject({ id: z.string(), updated_at: z.string() }).optional(),
  message: z.string().optional(),
  cursor: z.string().optional(),
});
type Place = z.infer<typeof placeFields>;

function readPlace(token: string | undefined): Place {
  if (token === undefined) return {};
  const read = placeFields.safeParse(parse(Buffer.from(token, "base64url").toString()));
  if (read.success) return read.data;
  throw new ServiceError("invalid_cursor", "page_token: not one of this list.");
}
const writePlace = (place: Place) => Buffer.from(JSON.stringify(place)).toString("base64url");

const orderOf = (a: Listed, b: Listed) =>
  Date.parse(b.updated_at) - Date.parse(a.updated_at) || b.id.localeCompare(a.id);
const hasLabels = (labels: string[], asked: string[] = []) => asked.every((label) => labels.includes(label));

async function list(api: Api, inbox: string | undefined, query: ListQuery) {
  async function fetch({ limit, cursor }: { limit: number; cursor?: string }) {
    const from = readPlace(cursor);
    const drafts = await draftsFrom(api, inbox, query, { limit, from });
    const scheduled = await scheduledFrom(api, inbox, query, { limit, from });
    const data = [...drafts, ...scheduled.found].sort(orderOf).slice(0, limit);
    const [lastDraft, lastMessage] = [false, true].map((is) => data.findLast(({ id }) => isMessage(id) === is));
    const left = [...drafts, ...scheduled.found].length > data.length;
    const isReached = scheduled.found.every((each) => data.includes(each));
    const next: Place = {
      draft: lastDraft && { id: lastDraft.id, updated_at: lastDraft.updated_at },
      ...(isReached && scheduled.rest !== null
        ? { message: from.message, cursor: scheduled.rest }
        : { message: lastMessage?.id ?? from.message, cursor: lastMessage ? undefined : from.cursor }),
    };
    const hasMore = left || scheduled.rest !== null;
    return { data, next_cursor: hasMore ? writePlace({ ...next, draft: next.draft ?? from.draft }) : null };
  }
  const { data, next, limit } = await siftedPage<Listed, unknown>(api, query, {
    fetch,
    async keep(items) {
      // Some were deleted or sent since the list was read.
      const views = await readEach(api, items, ({ id }) => ifThere(get(api, undefined, id)));
      return views.filter((view) => view !== undefined);
    },
  });
  return pageOf("drafts", data, next, limit);
}

type From = { limit: number; from: Place };

async function draftsFrom(api: Api, inbox: string | undefined, query: ListQuery, { limit, from }: From) {
  if (query.labels?.includes("scheduled")) return [];
  const of = present({ inbox });
  const all = await walk(api, limit, (page) => api.call("drafts", "list", { ...of, ...page }));
  const { draft: last } = from;
  const found = all.filter(
    (each) =>
      hasLabels(["draft", ...each.labels], query.labels) &&
      isWithin(each.updated_at, query) &&
      (last === undefined || orderOf(last, each) < 0),
  );
  // A reply without a subject gets that of its message.
  api.takeReads(found.sort(orderOf).slice(0, limit).filter(hasNoSubject).length);
  return found;
}

/** The time of its creation by its id, which is the order of the list. */
const timeOfMessage = (id: string) => new Date(timeOfId(decodeId("msg", id) ?? FIRST_ID)).toISOString();

/** @returns `rest`: the place behind those that were found, if there may be more */
async function scheduledFrom(api: Api, inbox: string | undefined, query: ListQuery, { limit, from }: From) {
  const { labels = [], after } = query;
  const label = labels.find((each) => each !== "draft" && each !== "scheduled");
  const before = from.message ?? query.before;
  const asked = { direction: "outbound" as const, status: "scheduled" as const, limit };
  const found: Listed[] = [];
  let cursor = from.cursor;
  for (let read = 1; ; read += 1) {
    const filters = present({ inbox, label, before, after, cursor });
    const page: Output<"messages", "search"> = await api.call("messages", "search", { ...asked, ...filters });
    const fitting = page.data.filter((each) => hasLabels(["draft", "scheduled", ...each.labels], labels));
    found.push(...fitting.map(({ id }) => ({ id, updated_at: timeOfMessage(id) })));
    const rest = page.next_cursor;
    if (rest === null || found.length >= limit || read === PAGES_MAX) return { found, rest };
    api.take(1);
    cursor = rest;
  }
}
/** Of messages in which few are scheduled. */
const PAGES_MAX = 10;

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
  if (reply_all) checkReplyAll(body);
  const { reply_to, ...content } = contentOf(body);
  if (send_at !== undefined) {
    return { ...(await schedule(api, inbox, { ...body, send_at })), ...present({ client_id }) };
  }
  if (client_id !== undefined) throw notAvailable("client_id: a draft without send_at cannot be repeated here.");
  if (typeof reply_to === "object") throw notAvailable("reply_to: a draft without send_at takes one address here.");
  if (in_reply_to !== undefined) await messageIn(api, inbox, in_reply_to);
  const fields = { inbox, ...content, ...present({ in_reply_to, reply_all, reply_to }) };
  const draft = await api.call("drafts", "create", fields);
  return viewOf(api, draft);
}

/** @throws ServiceError `invalid_request` if there is nothing to answer, or other recipients than those of the message */
function checkReplyAll({ in_reply_to, to, cc, bcc }: z.infer<typeof createBody>): void {
  if (in_reply_to === undefined)
    throw notAvailable("reply_all: a reply to all needs in_reply_to, the message that it answers.");
  const [own] = Object.entries({ to, cc, bcc }).find(([, given]) => [given ?? []].flat().length > 0) ?? [];
  if (own === undefined) return;
  throw notAvailable(`reply_all: a reply to all takes no \`${own}\` here; leave one of them out.`);
}

/** One call that sends or replies, with the `client_id` as its idempotency key. */
async function schedule(api: Api, inbox: string, body: z.infer<typeof createBody> & { send_at: string }) {
  const { send_at, in_reply_to, reply_all = false, client_id } = body;
  const { to = [], ...content } = withBody(contentOf(body));
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
  if (add_attachments?.length && draft.attachments.length > 0) {
    throw notAvailable("add_attachments: the files of a draft are replaced together here; create the draft again.");
  }
  const cleared = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === null ? "" : value]));
  const replyTo = given.reply_to === undefined ? {} : { reply_to: [given.reply_to ?? ""].flat()[0] ?? "" };
  const files = add_attachments?.length ? { attachments: filesOf(add_attachments) } : {};
  const labels = changedLabels(draft, add_labels, remove_labels);
  const changed = { id, revision: draft.revision, ...cleared, ...replyTo, ...files, ...labels };
  return viewOf(api, await api.call("drafts", "update", changed));
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
  const isChanged = send_at !== undefined || add_labels.length + remove_labels.length > 0;
  if (!isChanged || send_at === null || Object.values(others).some((value) => value !== undefined))
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

/** A label that is removed leaves the draft before it is sent, and a draft without a text gets an empty one. */
async function send(api: Api, inbox: string, id: string, body: z.infer<typeof sendBody>) {
  const { add_labels, remove_labels } = body;
  labelsToSend([...add_labels, ...remove_labels]);
  if (isMessage(id)) return sendNow(api, inbox, id, body);
  const draft = await ifThere(api.call("drafts", "get", { id }));
  if (!draft) return sentBefore(api, inbox, id, body);
  await requireInbox(api, inbox, draft);
  const isLess = draft.labels.some((label) => remove_labels.includes(label));
  const changes = { ...(isLess && changedLabels(draft, [], remove_labels)), ...missingBody(draft) };
  const { revision } =
    Object.keys(changes).length > 0
      ? await api.call("drafts", "update", { id, revision: draft.revision, ...changes })
      : draft;
  return sentView(await api.call("drafts", "send", { id, revision, ...labelsToSend(add_labels) }));
}

/** The time of a scheduled draft that is sent now. It must not have passed when the message is changed. */
const SOON_MS = 2_000;

/** It becomes due. A call that is repeated with its idempotency key gets the same message when that has left. */
async function sendNow(api: Api, inbox: string, id: string, body: z.infer<typeof sendBody>) {
  const message = await orNoDraft(messageIn(api, inbox, id));
  const { status, send_at } = message;
  if (status === "scheduled" || status === "held") {
    scheduledView(message);
    const soon = new Date(api.services.now().getTime() + SOON_MS).toISOString();
    await api.call("messages", "update", { id, send_at: soon, ...body });
    return sentView(message);
  }
  const isSent = send_at !== null && status !== "rejected" && status !== "failed";
  if (!isSent || api.idempotencyKey === undefined) throw noDraft();
  requireLabels(message, body);
  return sentView(message);
}

/** No draft has it, so that a send with it sends nothing. */
const NO_REVISION = 2_147_483_647;

/**
 * The message of a draft that was sent, for a call that is repeated with its idempotency key.
 * @throws ServiceError `draft_not_found`, `idempotency_conflict` if the call asks for other labels than the message has
 */
async function sentBefore(api: Api, inbox: string, id: string, body: z.infer<typeof sendBody>) {
  if (api.idempotencyKey === undefined) throw noDraft();
  // The key belongs to the revision that was sent. Our send answers with its message for a day.
  const sent = await api.call("drafts", "send", { id, revision: NO_REVISION }, { idempotencyKey: undefined });
  requireLabels(await orNoDraft(messageIn(api, inbox, sent.id)), body);
  return sentView(sent);
}

/** @throws ServiceError `idempotency_conflict` */
function requireLabels({ id, labels }: Message, { add_labels, remove_labels }: z.infer<typeof sendBody>): void {
  const isSame =
    add_labels.every((each) => labels.includes(each)) && !remove_labels.some((each) => labels.includes(each));
  if (isSame) return;
  const fix = `Change the labels of the message that it became: PATCH /v0/inboxes/{inbox_id}/messages/${id}.`;
  throw new ServiceError("idempotency_conflict", "The draft was sent with other labels.", { fix });
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
