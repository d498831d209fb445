// Resend's HTTP API on loopback, as far as we use it, enforcing the rules it documents:
// https://resend.com/docs/api-reference/emails/send-email (fields, at most 50 recipients, 40 MB with attachments in base64)
// https://resend.com/docs/dashboard/emails/idempotency-keys (at most 256 characters; same key and body, same answer)
// https://resend.com/docs/api-reference/errors (names and statuses), /rate-limit (429 with retry-after), /pagination,
// https://resend.com/docs/dashboard/emails/tags (ASCII letters, digits, `_`, `-`; at most 256 characters; at most 75 tags)
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const MAX_RECIPIENTS = 50;
const MAX_EMAIL_BYTES = 40_000_000;
const MAX_KEY_CHARS = 256;
const MAX_TAGS = 75;
const PAGE = { default: 20, max: 100 };
const TAG = /^[A-Za-z0-9_-]{1,256}$/;
const ADDRESS = /^[^\s<>@",;]+@((?:[a-z0-9-]+\.)+[a-z0-9-]+)$/i;
const NAMED = /^(?:"(?:[^"\\\r\n]|\\.)*"|[^"<>\r\n]*)\s*<([^<>\s]+)>$/;

export type ResendEmail = {
  id: string;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  reply_to: string[];
  subject: string;
  html?: string;
  text?: string;
  headers: Record<string, string>;
  attachments: { filename: string; content: string; content_type?: string }[];
  tags?: { name: string; value: string }[];
  idempotencyKey: string | undefined;
};
type DomainStatus = "verified" | "not_started" | "pending" | "failed";
export type ResendDomain = { id: string; name: string; status: DomainStatus };

/** As the API names them: within the zone, TXT in quotes, host names with a trailing dot; tracking beside them. */
function recordsOf({ id, status }: ResendDomain) {
  const common = { ttl: "Auto", status };
  return [
    { record: "SPF", name: "send", type: "MX", value: "feedback-smtp.eu.provider.example", priority: 10, ...common },
    { record: "SPF", name: "send", type: "TXT", value: '"v=spf1 include:provider.example ~all"', ...common },
    { record: "DKIM", name: "resend._domainkey", type: "TXT", value: `p=KEY${id.replace(/\W/g, "")}`, ...common },
    { record: "DKIM", name: "two._domainkey", type: "CNAME", value: "two.dkim.provider.example.", ...common },
    { record: "Tracking", name: "links", type: "CNAME", value: "links.provider.example", ...common },
  ];
}

type ResendFaults = {
  /** What every request is answered with, in place of doing it. */
  answer?: { status: number; name: string; retryAfter?: string } | undefined;
  /** Takes the email and then hangs, or drops the connection. */
  after?: "hang" | "drop" | undefined;
  /** How long an email or a new domain takes: a second request with its key during that time is concurrent. */
  takesMs?: number | undefined;
};

/** How the raw bytes of a received mail are answered. `url`: what the API says instead of where they are. */
export type RawAnswer = {
  raw?: string;
  status?: number;
  headers?: Record<string, string>;
  hang?: boolean;
  cut?: boolean;
  url?: string | null;
};

type Refusal = Error & { status: number; label: string };

function refusal(status: number, label: string, message: string): Refusal {
  return Object.assign(new Error(message), { status, label });
}

const list = (value: unknown): string[] => {
  if (value === undefined || value === null) return [];
  const all = Array.isArray(value) ? value : [value];
  if (!all.every((item) => typeof item === "string")) throw refusal(422, "validation_error", "Invalid address list.");
  return all as string[];
};

function domainOf(mailbox: string, field: string): string {
  const domain = ADDRESS.exec(NAMED.exec(mailbox)?.[1] ?? mailbox)?.[1];
  if (domain) return domain.toLowerCase();
  throw refusal(422, field === "from" ? "invalid_from_address" : "validation_error", `Invalid \`${field}\` field.`);
}

function readEmail(body: Record<string, unknown>): Omit<ResendEmail, "id" | "idempotencyKey"> {
  for (const field of ["from", "to", "subject"]) {
    if (body[field] === undefined) throw refusal(422, "missing_required_field", `Missing \`${field}\` field.`);
  }
  if (body.html === undefined && body.text === undefined) {
    throw refusal(422, "missing_required_field", "Missing `html` or `text` field.");
  }
  const [to, cc, bcc, reply_to] = [list(body.to), list(body.cc), list(body.bcc), list(body.reply_to)];
  for (const [field, addresses] of Object.entries({ to, cc, bcc, reply_to })) {
    for (const address of addresses) domainOf(address, field);
  }
  if (to.length === 0 || [...to, ...cc, ...bcc].length > MAX_RECIPIENTS) {
    throw refusal(422, "validation_error", `Between 1 and ${MAX_RECIPIENTS} recipients.`);
  }
  const tags = (body.tags ?? []) as { name: string; value: string }[];
  if (tags.length > MAX_TAGS || !tags.every(({ name, value }) => TAG.test(name) && TAG.test(value))) {
    throw refusal(422, "validation_error", "Tags should only contain ASCII letters, numbers, underscores, or dashes.");
  }
  const headers = (body.headers ?? {}) as Record<string, string>;
  if (Object.entries(headers).some((pair) => pair.some((text) => /[\r\n]/.test(text)))) {
    throw refusal(422, "validation_error", "Invalid header.");
  }
  const attachments = (body.attachments ?? []) as ResendEmail["attachments"];
  if (
    attachments.some(
      ({ content, filename }) => !filename || Buffer.from(content, "base64").toString("base64") !== content,
    )
  ) {
    throw refusal(422, "invalid_attachment", "Attachments need a `filename` and `content` in base64.");
  }
  return { ...body, to, cc, bcc, reply_to, headers, attachments } as Omit<ResendEmail, "id" | "idempotencyKey">;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (size > MAX_EMAIL_BYTES) throw refusal(422, "validation_error", "The email is over the 40MB limit.");
  return Buffer.concat(chunks).toString();
}

export type ResendDouble = Awaited<ReturnType<typeof startResendDouble>>;

/** @param domains that the account has verified */
export async function startResendDouble(domains: string[] = []) {
  const apiKey = "re_double_key";
  const faults: ResendFaults = {};
  const account = {
    emails: [] as ResendEmail[],
    domains: domains.map((name, i): ResendDomain => ({ id: `d-${i}`, name, status: "verified" })),
    requests: [] as string[],
    /** As a key that is `restricted` to sending. */
    restricted: false,
  };
  const received = new Map<string, RawAnswer>();
  const answered = new Map<string, { body: string; id: string | undefined }>();

  async function takeEmail(text: string, key: string | undefined): Promise<{ id: string }> {
    if (key !== undefined && (key.length < 1 || key.length > MAX_KEY_CHARS)) {
      throw refusal(400, "invalid_idempotency_key", "The key must be between 1-256 chars.");
    }
    const email = readEmail(JSON.parse(text));
    const domain = account.domains.find(({ name }) => name === domainOf(email.from, "from"));
    if (domain?.status !== "verified") throw refusal(403, "validation_error", "The domain is not verified.");
    const earlier = key === undefined ? undefined : answered.get(key);
    if (earlier && earlier.body !== text) {
      throw refusal(409, "invalid_idempotent_request", "Same idempotency key used with a different request payload.");
    }
    if (earlier?.id) return { id: earlier.id };
    if (earlier) {
      throw refusal(
        409,
        "concurrent_idempotent_requests",
        "Same idempotency key used while original request is in progress.",
      );
    }
    if (key !== undefined) answered.set(key, { body: text, id: undefined });
    await sleep(faults.takesMs ?? 0);
    const id = `e-${account.emails.length}`;
    if (key !== undefined) answered.set(key, { body: text, id });
    account.emails.push({ ...email, id, idempotencyKey: key });
    return { id };
  }

  function listDomains(query: URLSearchParams) {
    const limit = Number(query.get("limit") ?? PAGE.default);
    if (!(limit >= 1 && limit <= PAGE.max)) throw refusal(422, "validation_error", "limit must be between 1 and 100.");
    const start = account.domains.findIndex(({ id }) => id === query.get("after")) + 1;
    const data = account.domains.slice(start, start + limit);
    return { object: "list", has_more: start + limit < account.domains.length, data };
  }

  async function createDomain(text: string): Promise<ResendDomain> {
    const { name } = JSON.parse(text) as { name?: string };
    if (!name || !ADDRESS.test(`x@${name}`)) throw refusal(422, "validation_error", "Invalid `name` field.");
    if (account.domains.some((domain) => domain.name === name)) {
      throw refusal(403, "validation_error", "The domain has been registered already.");
    }
    const domain: ResendDomain = { id: `d-${crypto.randomUUID()}`, name, status: "not_started" };
    account.domains.push(domain);
    await sleep(faults.takesMs ?? 0);
    return domain;
  }

  function removeDomain(id: string) {
    const at = account.domains.findIndex((domain) => domain.id === id);
    if (at < 0) throw refusal(404, "not_found", "Domain not found");
    account.domains.splice(at, 1);
    return { object: "domain", id, deleted: true };
  }

  function findDomain(id: string): ResendDomain {
    const domain = account.domains.find((one) => one.id === id);
    if (!domain) throw refusal(404, "not_found", "Domain not found");
    return domain;
  }

  /** DNS is looked up later: a test sets the result. */
  function verifyDomain(id: string) {
    findDomain(id).status = "pending";
    return { object: "domain", id };
  }

  function domainRoute(method: string | undefined, [id = "", verb]: string[]) {
    if (method === "DELETE" && !verb) return removeDomain(id);
    if (method === "POST" && verb === "verify") return verifyDomain(id);
    if (method !== "GET" || verb) throw refusal(404, "not_found", "No such endpoint.");
    const domain = findDomain(id);
    return { object: "domain", ...domain, records: recordsOf(domain) };
  }

  function readReceived(id: string, base: string) {
    const mail = received.get(id);
    if (!mail) throw refusal(404, "not_found", "Email not found");
    const download_url = mail.url === undefined ? `${base}/raw/${id}` : mail.url;
    return { object: "email", id, raw: download_url && { download_url, expires_at: new Date() } };
  }

  /** As the signed URL of a CDN: no key, no JSON. */
  function sendRaw(id: string, request: IncomingMessage, response: ServerResponse): void {
    const { raw = "", status = 200, headers = {}, hang, cut } = received.get(id) ?? { status: 404 };
    if (hang) return;
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(raw, "latin1") + (cut ? 1 : 0) });
    response.write(raw, "latin1", () => (cut ? request.socket.destroy() : response.end()));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? "/", "http://double");
    const route = `${request.method} ${url.pathname}`;
    account.requests.push(route);
    const text = await readBody(request);
    if (!request.headers.authorization) throw refusal(401, "missing_api_key", "Missing API key.");
    if (request.headers.authorization !== `Bearer ${apiKey}`)
      throw refusal(403, "invalid_api_key", "API key is invalid.");
    if (!request.headers["user-agent"]) throw refusal(403, "validation_error", "Missing User-Agent.");
    if (faults.answer) {
      if (faults.answer.retryAfter) response.setHeader("retry-after", faults.answer.retryAfter);
      throw refusal(faults.answer.status, faults.answer.name, "a fault of the double");
    }
    if (route === "POST /emails") return takeEmail(text, request.headers["idempotency-key"] as string | undefined);
    if (account.restricted) throw refusal(401, "restricted_api_key", "This API key is restricted to only send emails.");
    if (request.method === "GET" && url.pathname.startsWith("/emails/receiving/")) {
      return readReceived(url.pathname.split("/")[3] ?? "", `http://${request.headers.host}`);
    }
    if (route === "GET /domains") return listDomains(url.searchParams);
    if (route === "POST /domains") return createDomain(text);
    if (url.pathname.startsWith("/domains/")) return domainRoute(request.method, url.pathname.slice(9).split("/"));
    throw refusal(404, "not_found", "No such endpoint.");
  }

  const server = createServer(async (request, response) => {
    if (request.url?.startsWith("/raw/")) {
      account.requests.push(`GET ${request.url}`);
      return sendRaw(request.url.slice("/raw/".length), request, response);
    }
    response.setHeader("content-type", "application/json");
    try {
      const body = await answer(request, response);
      if (faults.after === "drop") request.socket.destroy();
      else if (faults.after !== "hang") response.end(JSON.stringify(body));
    } catch (error) {
      const { status, label, message } = {
        ...refusal(500, "internal_server_error", ""),
        ...(error as Refusal),
        message: String(error),
      };
      response.statusCode = status;
      response.end(JSON.stringify({ statusCode: status, name: label, message }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    faults,
    account,
    /** Receives a mail. @returns its id */
    receive(mail: string | RawAnswer): string {
      const id = crypto.randomUUID();
      received.set(id, typeof mail === "string" ? { raw: mail } : mail);
      return id;
    },
    /** From now on, answers with the bytes of the mail. */
    mend(id: string): void {
      received.set(id, { raw: received.get(id)?.raw ?? "" });
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
