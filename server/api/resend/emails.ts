// Resend's emails: what mailboxes send. The address in `from` must be a mailbox.
import { hash } from "node:crypto";
import { z } from "zod";
import { readRecipient, writeRecipient } from "../../base/addresses.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { KEY_CHARS } from "../../base/idempotency.ts";
import { toServiceError } from "../../procedures/errors.ts";
import {
  type Api,
  absent,
  anyInput,
  fieldName,
  fileOf,
  missingBody,
  type Output,
  readInput,
  replyToOf,
  route,
  withNames,
  without,
} from "../compat/route.ts";
import {
  attachmentOf,
  attachmentPage,
  type Listed,
  messageOf,
  messagePage,
  orNull,
  pageQuery,
  WORDS,
} from "./parts.ts";

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

function itemView(message: Listed) {
  return {
    id: message.id,
    to: withNames(message.to, message, "to"),
    from: writeRecipient({ address: message.from, name: message.from_name ?? "" }),
    created_at: message.created_at,
    subject: message.subject,
    bcc: orNull(message.bcc),
    cc: orNull(message.cc && withNames(message.cc, message, "cc")),
    reply_to: orNull(message.reply_to),
    last_event: EVENTS[message.status],
    message_id: message.rfc_message_id ? `<${message.rfc_message_id}>` : "",
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
type Octets = { type: "Buffer"; data: number[] };
const isOctets = (given: unknown): given is Octets =>
  typeof given === "object" &&
  given !== null &&
  "data" in given &&
  Array.isArray(given.data) &&
  given.data.every((octet) => Number.isInteger(octet) && octet >= 0 && octet <= OCTET_MAX);
const OCTET_MAX = 255;
const file = z
  .strictObject({
    path: z.string().optional(),
    filename: z
      .union([z.string(), z.literal(false)])
      .transform((given) => given || undefined)
      .optional(),
    // Earlier versions of their client write a Buffer as JSON does.
    content: z
      .union([z.string(), z.custom<Octets>(isOctets, "takes base64")])
      .transform((given) => (typeof given === "string" ? given : Buffer.from(given.data).toString("base64")))
      .optional(),
    content_type: z.string().optional(),
    content_id: z.string().optional(),
  })
  .refine(
    ({ content, path }) => (content === undefined) !== (path === undefined),
    "takes `content` or `path`, and one of them is needed",
  );
const WHEN = "takes an ISO 8601 time such as 2026-11-21T09:30:00Z, or words such as `in 10 min`, here";
const isoTime = z.iso.datetime({ offset: true });
const emailBody = z.strictObject({
  // First: an email with a template lacks what others need.
  template: without("Mailberth has no templates"),
  from: z.string(),
  to: addresses,
  cc: addresses.optional(),
  bcc: addresses.optional(),
  reply_to: addresses.optional(),
  subject: z.string(),
  text: z.string().optional(),
  html: z.string().optional(),
  attachments: z.array(file).optional(),
  scheduled_at: z.string().optional(),
  tags: z.array(tag).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  topic_id: without("Mailberth has no topics"),
});
type Email = z.infer<typeof emailBody>;

/** The mailbox that `from` names, and the name of the sender. @throws ServiceError `invalid_request` */
function senderOf(from: string): { addr: string; from_name?: string } {
  const sender = readRecipient(from);
  if (!sender) throw invalidField("from", "not a mail address; write a@b.example or Name <a@b.example>");
  const { address, name } = sender;
  return { addr: address.toLowerCase(), ...(name !== "" && { from_name: name }) };
}

const noMailbox = (address: string) =>
  invalidField("from", `${address} is no mailbox of yours here; create it with POST /v1/inboxes`);

/** As our send has it. @param key the idempotency key @throws ServiceError `invalid_request` */
function contentOf(api: Api, email: Email, key: string | undefined) {
  const { from, scheduled_at, reply_to, attachments = [], tags = [], headers = {}, ...others } = email;
  const { topic_id: _topic, template: _template, ...texts } = others;
  const isGiven = texts.text !== undefined || texts.html !== undefined;
  return {
    ...texts,
    ...(isGiven && missingBody(texts)),
    ...senderOf(from),
    ...headersOf(headers),
    ...replyToOf(reply_to),
    ...(scheduled_at !== undefined && { send_at: timeOf(api, scheduled_at, key) }),
    ...(tags.length > 0 && { labels: tags.map(({ name, value }) => `${name}:${value}`) }),
    attachments: attachments.map(({ path, ...given }) => fileOf({ ...given, url: path })),
  };
}

const THREAD_HEADERS = /^(?:in-reply-to|references)$/i;
const MESSAGE_ID = /<[^<>\s]+>/g;

/**
 * The message that is answered, as headers of an answer name it, and the other headers. References follow from that message here.
 * @throws ServiceError `invalid_request`
 */
function headersOf(given: Record<string, string>) {
  const isThread = ([name]: [string, string]) => THREAD_HEADERS.test(name);
  const all = Object.entries(given);
  const others = all.filter((line) => !isThread(line));
  return {
    ...answering(Object.fromEntries(all.filter(isThread))),
    ...(others.length > 0 && { headers: Object.fromEntries(others) }),
  };
}

function answering(headers: Record<string, string>): { in_reply_to?: string } {
  const names = Object.keys(headers);
  const answered = names.find((name) => name.toLowerCase() === "in-reply-to") ?? names[0];
  if (answered === undefined) return {};
  const id = headers[answered]?.match(MESSAGE_ID)?.at(-1);
  if (id === undefined) throw invalidField("headers", `${answered} takes Message-IDs such as <id@shop.example>`);
  return { in_reply_to: id };
}

const IN_WORDS = /^in (\d{1,4}) ?(s|sec|second|m|min|minute|h|hr|hour|d|day|w|week)s?$/i;
const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * A repetition with the idempotency key would have another time than its first call.
 * @throws ServiceError `invalid_request`
 */
function timeOf({ services }: Api, given: string, key: string | undefined): string {
  if (isoTime.safeParse(given).success) return given;
  const [, count, unit = ""] = IN_WORDS.exec(given.trim()) ?? [];
  const ms = Number(count) * (UNIT_MS[unit.charAt(0).toLowerCase()] ?? Number.NaN);
  if (Number.isNaN(ms)) throw invalidField("scheduled_at", WHEN);
  if (key !== undefined) throw invalidField("scheduled_at", "takes an ISO 8601 time beside an idempotency key here");
  return new Date(services.now().getTime() + ms).toISOString();
}

/** @param key the idempotency key */
async function send(api: Api, email: Email, key: string | undefined): Promise<{ id: string }> {
  const content = contentOf(api, email, key);
  const { id } = await api
    .call("messages", "send", content, { idempotencyKey: key })
    .catch((error) => Promise.reject(isCode(error, "inbox_not_found") ? noMailbox(content.addr) : error));
  return { id };
}

// Errors of procedures arrive as those of tRPC.
function isCode(error: unknown, code: ServiceError["code"]): boolean {
  return error instanceof Error && error.cause instanceof ServiceError && error.cause.code === code;
}

function serviceErrorOf(error: unknown): unknown {
  const known = toServiceError(error);
  // The log has the cause of an unknown one.
  return known.code === "internal_error" ? error : known;
}

/** The key of one email of a batch. A long one is shortened to its hash, so that the place fits behind it. */
function keyAt(key: string | undefined, at: number): string | undefined {
  if (key === undefined) return;
  const whole = `${key}/${at}`;
  return whole.length <= KEY_CHARS ? whole : `${hash("sha256", key)}/${at}`;
}

/**
 * All are checked before the first is sent. A refusal in between says how many were sent; with a key, a repetition continues.
 * With permissive validation, refused emails are left out.
 */
async function batch(api: Api, given: unknown[]) {
  // As many sends: the first is counted already.
  api.take(given.length - 1);
  const isPermissive = api.header("x-batch-validation") === "permissive";
  const errors: { index: number; message: string }[] = [];
  async function each<Result>(at: number, run: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await run();
    } catch (error) {
      const known = serviceErrorOf(error);
      if (!isPermissive || !isOfItem(known)) throw inBatch(known, at);
      errors.push({ index: at, message: known.message });
    }
  }
  const sound: { at: number; email: Email }[] = [];
  for (const [at, item] of given.entries()) {
    const email = await each(at, () => checked(api, item, keyAt(api.idempotencyKey, at)));
    if (email) sound.push({ at, email });
  }
  const data: { id: string }[] = [];
  for (const { at, email } of sound) {
    const sent = await each(at, () => send(api, email, keyAt(api.idempotencyKey, at)));
    if (sent) data.push(sent);
  }
  return { data, ...(isPermissive && { errors: errors.sort((a, b) => a.index - b.index) }) };
}

/** @throws ServiceError what would refuse the send */
async function checked(api: Api, given: unknown, key: string | undefined): Promise<Email> {
  const email = readInput(emailBody, given);
  const content = contentOf(api, email, key);
  const { refusals } = await api
    .call("messages", "checkSend", content, { idempotencyKey: key })
    .catch((error) => Promise.reject(isCode(error, "inbox_not_found") ? noMailbox(content.addr) : error));
  const [first] = refusals;
  if (first) {
    const message = first.message.replace(/^[\w.]+(?=: )/, (path) => fieldName(WORDS.fields, path));
    throw new ServiceError(first.code as ServiceError["code"], message, { fix: first.fix });
  }
  return email;
}

/** Whether the email itself is refused, and not the key or the service. */
function isOfItem(error: unknown): error is ServiceError {
  return error instanceof ServiceError && [400, 404, 409, 413, 422].includes(error.status);
}

function inBatch(known: unknown, at: number): unknown {
  if (!(known instanceof ServiceError)) return known;
  const { code, message, fix, issues, headers } = known;
  return new ServiceError(code, `emails.${at}: ${message}`, { fix, headers, ...(issues && { issues }) });
}

async function cancel(api: Api, id: string) {
  await messageOf(api, "outbound", id);
  await api.call("messages", "cancel", { id });
  return { object: "email", id };
}

async function update(api: Api, id: string, scheduledAt: string) {
  const send_at = timeOf(api, scheduledAt, undefined);
  await messageOf(api, "outbound", id);
  await api.call("messages", "update", { id, send_at });
  return { object: "email", id };
}

const large = { isLarge: true };

export const emailRoutes = [
  route("POST /emails", emailBody, (api, _, email) => send(api, email, api.idempotencyKey), large),
  route("POST /emails/batch", z.array(z.unknown()).min(1).max(BATCH_MAX), (api, _, emails) => batch(api, emails), {
    isLarge: true,
    isList: true,
  }),
  route("GET /emails", pageQuery, (api, _, query) => messagePage(api, "outbound", query, itemView)),
  route("GET /emails/{id}", anyInput, (api, { id = "" }) => get(api, id)),
  route("PATCH /emails/{id}", z.strictObject({ scheduled_at: z.string() }), (api, { id = "" }, { scheduled_at }) =>
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
