// Resend's emails: what mailboxes send. The address in `from` must be a mailbox.
import { z } from "zod";
import { readRecipient } from "../../base/addresses.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import {
  type Api,
  absent,
  anyInput,
  fileOf,
  ifThere,
  notAvailable,
  type Output,
  route,
  without,
} from "../compat/route.ts";
import { attachmentOf, attachmentPage, messageOf, messagePage, pageQuery } from "./parts.ts";

type Message = Output<"messages", "get">;

const BATCH_MAX = 100;
const LABEL_CHARS = 100;

// Tags are labels here: `name:value`.
const TAG = /^[\w-]{1,256}$/;
const tag = z
  .strictObject({
    name: z.string().regex(TAG, "ASCII letters, digits, _ and -"),
    value: z.string().regex(TAG, "ASCII letters, digits, _ and -"),
  })
  .refine(
    ({ name, value }) => name.length + value.length < LABEL_CHARS,
    `name and value have at most ${LABEL_CHARS - 1} characters together here`,
  );

function tagsOf(labels: string[]) {
  return labels.flatMap((label) => {
    const [, name, value] = /^([\w-]+):([\w-]+)$/.exec(label) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
}

const EVENTS: Record<Message["status"], string> = {
  received: "delivered",
  parsed: "delivered",
  unparsed: "delivered",
  held: "queued",
  queued: "queued",
  sending: "queued",
  scheduled: "scheduled",
  rejected: "canceled",
  cancelled: "canceled",
  captured: "sent",
  sent: "sent",
  delivered: "delivered",
  bounced: "bounced",
  complained: "complained",
  suppressed: "suppressed",
  failed: "failed",
};

const orNull = (addresses: string[] | undefined) => (addresses && addresses.length > 0 ? addresses : null);
const sender = ({ from, from_name }: Message) => (from_name ? `${from_name} <${from}>` : from);

function itemView(message: Message) {
  return {
    id: message.id,
    to: message.to,
    from: sender(message),
    created_at: message.created_at,
    subject: message.subject,
    bcc: orNull(message.bcc),
    cc: orNull(message.cc),
    reply_to: orNull(message.reply_to),
    last_event: EVENTS[message.status],
    message_id: message.rfc_message_id === null ? null : `<${message.rfc_message_id}>`,
    scheduled_at: message.send_at ?? null,
  };
}

async function get(api: Api, id: string) {
  const message = await messageOf(api, "outbound", id);
  const { text, html, labels } = message;
  return { object: "email", ...itemView(message), text, html, tags: tagsOf(labels) };
}

// Sending.
const addresses = z.union([z.string(), z.array(z.string())]);
const file = z.strictObject({
  path: z.string().optional(),
  filename: z.string().optional(),
  content: z.string().optional(),
  content_type: z.string().optional(),
  content_id: z.string().optional(),
});
const time = z.iso.datetime({ offset: true, error: "takes an ISO 8601 time such as 2026-11-21T09:30:00Z here" });
const emailBody = z.strictObject({
  from: z.string(),
  to: addresses,
  cc: addresses.optional(),
  bcc: addresses.optional(),
  reply_to: addresses.optional().refine((given) => [given ?? []].flat().length <= 1, "takes one address here"),
  subject: z.string().optional(),
  text: z.string().optional(),
  html: z.string().optional(),
  attachments: z.array(file).optional(),
  scheduled_at: time.optional(),
  tags: z.array(tag).optional(),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .refine((headers) => Object.keys(headers ?? {}).length === 0, "headers cannot be set here"),
  topic_id: without("Mailberth has no topics"),
  template: without("Mailberth has no templates"),
});
type Email = z.infer<typeof emailBody>;

const NAMED = /^\s*"?([^"<]*?)"?\s*<[^<>]+>\s*$/;

/**
 * The mailbox of `from`. The name of the sender is that of the mailbox.
 * @throws ServiceError `invalid_request`
 */
async function mailboxOf(api: Api, from: string): Promise<string> {
  const address = readRecipient(from)?.toLowerCase();
  if (!address) throw invalidField("from", "not a mail address; write a@b.example or Name <a@b.example>");
  const name = NAMED.exec(from)?.[1] ?? "";
  if (name === "") return address;
  const inbox = await ifThere(api.call("inboxes", "get", { addr: address }));
  if (!inbox) throw noMailbox(address);
  if (inbox.display_name === name) return address;
  throw invalidField(
    "from",
    `the name is that of the mailbox here, ${JSON.stringify(inbox.display_name)}; leave it out, or change it with PATCH /v1/inboxes/${address}`,
  );
}

const noMailbox = (address: string) =>
  invalidField("from", `${address} is no mailbox of yours here; create it with POST /v1/inboxes`);

function contentOf({
  from: _from,
  scheduled_at,
  reply_to,
  attachments,
  tags: _tags,
  headers: _h,
  topic_id: _t,
  template: _p,
  ...texts
}: Email) {
  const [replyTo] = [reply_to ?? []].flat();
  return {
    ...texts,
    ...(replyTo !== undefined && { reply_to: replyTo }),
    ...(scheduled_at !== undefined && { send_at: scheduled_at }),
    attachments: (attachments ?? []).map(({ path, ...given }) => fileOf({ ...given, url: path })),
  };
}

/** @param key the idempotency key */
async function send(api: Api, email: Email, key: string | undefined): Promise<{ id: string }> {
  const addr = await mailboxOf(api, email.from);
  const labels = (email.tags ?? []).map(({ name, value }) => `${name}:${value}`);
  // Labels need the scope of reading: without it, nothing is sent.
  if (labels.length > 0) await ifThere(api.call("inboxes", "get", { addr }));
  const sent = await api
    .call("messages", "send", { addr, ...contentOf(email) }, { idempotencyKey: key })
    .catch((error) => Promise.reject(isCode(error, "inbox_not_found") ? noMailbox(addr) : error));
  if (labels.length > 0) await api.call("messages", "update", { id: sent.id, add_labels: labels });
  return { id: sent.id };
}

// Errors of procedures arrive as those of tRPC.
function isCode(error: unknown, code: ServiceError["code"]): boolean {
  return error instanceof Error && error.cause instanceof ServiceError && error.cause.code === code;
}

const serviceErrorOf = (error: unknown) =>
  error instanceof Error && error.cause instanceof ServiceError ? error.cause : error;

/** The key of one email of a batch. */
const keyAt = (key: string | undefined, at: number) => (key === undefined ? undefined : `${key}/${at}`);

/** All are checked before the first is sent. A refusal in between says how many were sent; with a key, a repetition continues. */
async function batch(api: Api, emails: Email[]) {
  if (api.header("x-batch-validation") === "permissive") {
    throw notAvailable("A batch is sent as a whole here: permissive validation is not available.");
  }
  // As many sends: the first is counted already.
  api.take(emails.length - 1);
  for (const [at, email] of emails.entries()) {
    const addr = await mailboxOf(api, email.from).catch((error) => Promise.reject(inBatch(error, at)));
    const { refusals } = await api
      .call("messages", "checkSend", { addr, ...contentOf(email) }, { idempotencyKey: keyAt(api.idempotencyKey, at) })
      .catch((error) => Promise.reject(inBatch(isCode(error, "inbox_not_found") ? noMailbox(addr) : error, at)));
    const [first] = refusals;
    if (first)
      throw new ServiceError(first.code as ServiceError["code"], `emails.${at}: ${first.message}`, { fix: first.fix });
  }
  const data: { id: string }[] = [];
  for (const [at, email] of emails.entries()) {
    data.push(
      await send(api, email, keyAt(api.idempotencyKey, at)).catch((error) => Promise.reject(inBatch(error, at))),
    );
  }
  return { data };
}

function inBatch(error: unknown, at: number): unknown {
  const known = serviceErrorOf(error);
  if (!(known instanceof ServiceError)) return error;
  const { code, message, fix, issues, headers } = known;
  return new ServiceError(code, `emails.${at}: ${message}`, { fix, headers, ...(issues && { issues }) });
}

async function cancel(api: Api, id: string) {
  await messageOf(api, "outbound", id);
  await api.call("messages", "cancel", { id });
  return { object: "email", id };
}

async function update(api: Api, id: string, scheduledAt: string) {
  await messageOf(api, "outbound", id);
  await api.call("messages", "update", { id, send_at: scheduledAt });
  return { object: "email", id };
}

const large = { isLarge: true };

export const emailRoutes = [
  route("POST /emails", emailBody, (api, _, email) => send(api, email, api.idempotencyKey), large),
  route("POST /emails/batch", z.array(emailBody).min(1).max(BATCH_MAX), (api, _, emails) => batch(api, emails), {
    isLarge: true,
    isList: true,
  }),
  route("GET /emails", pageQuery, (api, _, query) => messagePage(api, "outbound", query, itemView)),
  route("GET /emails/{id}", anyInput, (api, { id = "" }) => get(api, id)),
  route("PATCH /emails/{id}", z.strictObject({ scheduled_at: time }), (api, { id = "" }, { scheduled_at }) =>
    update(api, id, scheduled_at),
  ),
  route("POST /emails/{id}/cancel", anyInput, (api, { id = "" }) => cancel(api, id)),
  route("GET /emails/{id}/attachments", pageQuery, async (api, { id = "" }, query) =>
    attachmentPage(api, await messageOf(api, "outbound", id), query),
  ),
  route("GET /emails/{id}/attachments/{attachment_id}", anyInput, async (api, { id = "", attachment_id = "" }) =>
    attachmentOf(api, await messageOf(api, "outbound", id), attachment_id),
  ),
  ...absent(["POST /emails/{id}/share"], "Emails cannot be shared by a link here."),
  ...absent(["GET /emails/metrics"], "Mailberth has no metrics here: count the events (GET /v1/events)."),
];
