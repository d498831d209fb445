// AgentMail's drafts. One with a time is a scheduled message here, whose id is that of the draft.
import { z } from "zod";
import { ServiceError } from "../../base/errors.ts";
import { type Api, anyInput, eachOf, ifThere, notAvailable, type Output, route, without } from "../compat/route.ts";
import { addressOf } from "./inboxes.ts";
import { messageIn, messageView, sendWithLabels } from "./messages.ts";
import {
  attachmentsField,
  contentFields,
  contentOf,
  filesOf,
  labelList,
  pageFields,
  pageOf,
  present,
  textList,
  toPage,
} from "./parts.ts";

type Draft = Output<"drafts", "get">;
type Message = Output<"messages", "get">;

const PREVIEW_CHARS = 200;
const previewOf = (text: string | null) => (text ?? "").replace(/\s+/g, " ").trim().slice(0, PREVIEW_CHARS);
const noDraft = () => new ServiceError("draft_not_found", "The draft does not exist.");
const isMessage = (id: string) => id.startsWith("msg_");

/** The files of a draft have no ids here: they are named by their place. */
function draftView(draft: Draft) {
  const { text, html, subject, in_reply_to, reply_to } = draft;
  return {
    inbox_id: draft.inbox,
    draft_id: draft.id,
    labels: ["draft"],
    to: draft.to,
    cc: draft.cc,
    bcc: draft.bcc,
    ...(reply_to !== null && { reply_to: [reply_to] }),
    ...present({
      text: text ?? undefined,
      html: html ?? undefined,
      subject: subject ?? undefined,
      in_reply_to: in_reply_to ?? undefined,
    }),
    preview: previewOf(text),
    attachments: draft.attachments.map(({ filename, content_type, size }, place) => ({
      attachment_id: String(place),
      ...(filename !== null && { filename }),
      content_type,
      size,
    })),
    updated_at: draft.updated_at,
    created_at: draft.created_at,
  };
}

const SEND_STATUS: Partial<Record<Message["status"], string>> = {
  scheduled: "scheduled",
  held: "scheduled",
  queued: "sending",
  sending: "sending",
  failed: "failed",
  rejected: "failed",
};

/** A message that has a time and has not left. @throws ServiceError `draft_not_found` */
function scheduledView(message: Message) {
  const { send_at, created_at = "" } = message;
  const send_status = SEND_STATUS[message.status];
  if (message.direction !== "outbound" || send_at === null || send_at === undefined || !send_status) throw noDraft();
  const { inbox_id, to, cc, bcc, subject, preview, text, html, reply_to, attachments } = messageView(message);
  return {
    ...present({ inbox_id, draft_id: message.id, to, cc, bcc, subject, preview, text, html, reply_to, attachments }),
    labels: ["draft", "scheduled", ...message.labels],
    send_status,
    send_at,
    updated_at: created_at,
    created_at,
  };
}

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
  if (inbox === undefined || draft.inbox === inbox.toLowerCase()) return draft;
  if (inbox.startsWith("inb_") && (await ifThere(addressOf(api, inbox))) === draft.inbox) return draft;
  throw noDraft();
}

// The list has the scheduled messages first, then the drafts, each newest first.
const listQuery = z.strictObject({
  ...pageFields,
  labels: textList.optional(),
  before: without("drafts have no filter of times here"),
  after: without("drafts have no filter of times here"),
});
const DRAFTS = "drafts.";
const SCHEDULED = "scheduled.";

async function list(api: Api, inbox: string | undefined, query: z.infer<typeof listQuery>) {
  const { limit, cursor = SCHEDULED } = toPage(query);
  const { labels = [] } = query;
  const onlyScheduled = labels.includes("scheduled");
  const asked = (kind: string) => ({
    limit,
    ...(cursor !== kind && { cursor: cursor.slice(kind.length) }),
    ...(inbox !== undefined && { inbox }),
  });
  if (!cursor.startsWith(DRAFTS)) {
    if (!cursor.startsWith(SCHEDULED)) throw new ServiceError("invalid_cursor", "page_token: not one of this list.");
    const found = await api.call("messages", "search", {
      ...asked(SCHEDULED),
      direction: "outbound",
      status: "scheduled",
    });
    const views = await eachOf(found.data, ({ id }) => ifThere(get(api, undefined, id)));
    const next = found.next_cursor === null ? (onlyScheduled ? null : DRAFTS) : `${SCHEDULED}${found.next_cursor}`;
    // Without scheduled messages, the first page is that of the drafts.
    if (found.data.length > 0 || next !== DRAFTS) return pageOf("drafts", fitting(views, labels), next, limit);
    return list(api, inbox, { ...query, page_token: DRAFTS });
  }
  const found = await api.call("drafts", "list", asked(DRAFTS));
  const views = await eachOf(found.data, ({ id }) => ifThere(get(api, undefined, id)));
  const next = found.next_cursor === null ? null : `${DRAFTS}${found.next_cursor}`;
  return pageOf("drafts", fitting(views, labels), next, limit);
}

function fitting<View extends { labels: string[] }>(views: (View | undefined)[], labels: string[]): View[] {
  return views.filter((view) => view !== undefined && labels.every((label) => view.labels.includes(label))) as View[];
}

const { track_opens: _track, headers: _headers, labels: _labels, ...draftFields } = contentFields;
const createBody = z.strictObject({
  ...draftFields,
  labels: without("drafts have no labels of their own here"),
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
const NO_LABELS = "drafts have no labels of their own here";
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
  add_labels: without(NO_LABELS),
  remove_labels: without(NO_LABELS),
  send_at: z.string().nullish(),
});

async function update(api: Api, inbox: string, id: string, body: z.infer<typeof updateBody>) {
  const { add_attachments, remove_attachments: _r, add_labels: _a, remove_labels: _l, send_at, ...given } = body;
  if (isMessage(id)) return move(api, inbox, id, body);
  if (send_at) throw notAvailable("send_at: a draft gets its time when it is created; create it again with send_at.");
  const draft = await draftIn(api, inbox, id);
  if (add_attachments && draft.attachments.length > 0) {
    throw notAvailable("add_attachments: the files of a draft are replaced together here; create the draft again.");
  }
  const cleared = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === null ? "" : value]));
  const replyTo = given.reply_to === undefined ? {} : { reply_to: [given.reply_to ?? ""].flat()[0] ?? "" };
  const files = add_attachments && { attachments: filesOf(add_attachments) };
  return draftView(
    await api.call("drafts", "update", { id, revision: draft.revision, ...cleared, ...replyTo, ...files }),
  );
}

/** Of a draft with a time, the time alone can change. */
async function move(api: Api, inbox: string, id: string, { send_at, ...others }: z.infer<typeof updateBody>) {
  scheduledView(await orNoDraft(messageIn(api, inbox, id)));
  if (!send_at || Object.values(others).some((value) => value !== undefined))
    throw notAvailable("Of a scheduled draft only send_at can be changed here: delete it and create it again.");
  await api.call("messages", "update", { id, send_at });
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

async function send(api: Api, inbox: string, id: string, { add_labels }: z.infer<typeof sendBody>) {
  if (isMessage(id))
    throw notAvailable("A scheduled draft leaves at its time. To send it now, delete it and send its content.");
  const { revision } = await draftIn(api, inbox, id);
  return sendWithLabels(api, inbox, add_labels, () => api.call("drafts", "send", { id, revision }));
}

const OF_INBOX = "/v0/inboxes/{inbox_id}/drafts";
const ONE = `${OF_INBOX}/{draft_id}`;
const large = { isLarge: true };

async function attachment(api: Api, inbox: string | undefined, id: string): Promise<never> {
  await get(api, inbox, id);
  throw notAvailable("The files of a draft cannot be downloaded here.");
}

const readRoutes = (base: string) => [
  route(`GET ${base}`, listQuery, (api, { inbox_id }, query) => list(api, inbox_id, query)),
  route(`GET ${base}/{draft_id}`, anyInput, (api, { inbox_id, draft_id = "" }) => get(api, inbox_id, draft_id)),
  route(`GET ${base}/{draft_id}/attachments/{attachment_id}`, anyInput, (api, { inbox_id, draft_id = "" }) =>
    attachment(api, inbox_id, draft_id),
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
