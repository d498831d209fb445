// An HTTP client for tests: every answer it gets is held against the OpenAPI document that the service itself serves.
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { Agent } from "undici";

const REQUEST_ID = /^req_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Headers of HTTP itself, which the document need not name. */
const PLAIN_HEADERS = new Set(
  "connection content-length content-type cache-control date keep-alive strict-transport-security transfer-encoding x-accel-buffering x-content-type-options".split(
    " ",
  ),
);
const JSON_TYPE = "application/json";
const INNARDS = /\n\s+at |node_modules|\.ts\b|\bselect\b.+\bfrom\b|insert into|relation "|violates|syntax error at/i;

type Header = { required?: boolean; schema: { type: string } };
export type Reply = {
  headers?: Record<string, Header>;
  content?: Record<string, { schema: object; example?: unknown }>;
};
export type Operation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  responses: Record<string, Reply>;
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  parameters?: { name: string; in: "path" | "query" | "header"; required?: boolean; schema: Schema }[];
  security?: object[];
};
export type Schema = { [keyword: string]: unknown; type?: string | string[]; properties?: Record<string, Schema> };
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> } & Record<string, object>;
};

export type Failure = {
  error: {
    code: string;
    message: string;
    fix: string;
    issues?: { path: string; message: string }[];
    request_id?: string;
  };
};
export type Answer<Body> = { status: number; headers: Record<string, string>; text: string; body: Body };
export type Request = {
  key?: string | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  body?: string | Buffer | undefined;
  headers?: Record<string, string>;
};

export type Quota = { max_mailboxes: number; used_count: number; remaining: number };
export type Inbox = {
  id: string;
  address: string;
  display_name: string;
  domain: string;
  status: string;
  created_at: string;
  metadata: Record<string, unknown>;
  webhook?: { id: string; url: string; events: string[]; secret: string };
};
export type Page<Item> = { data: Item[]; next_cursor: string | null };
export type Sent = { id: string; status: string; thread_id: string };
export type Webhook = { id: string; url: string; events: string[]; secret: string };

/** The same for every request: without the id of the request that an error names. */
export function withoutRequest<Body>(body: Body): Body {
  return JSON.parse(JSON.stringify(body).replaceAll(/req_[0-9a-f-]{36}/g, "req_"));
}

/** The part itself, where `part` names one of `components`. */
export function resolved<Part extends object>(document: Document, part: object): Part {
  if (!("$ref" in part) || part.$ref === undefined) return part as Part;
  const [, , kind = "", name = ""] = String(part.$ref).split("/");
  const target = (document.components[kind] as Record<string, Part> | undefined)?.[name];
  if (!target) throw new Error(`the document has no ${part.$ref}`);
  return target;
}

export function headersOf(document: Document, reply: Reply): Record<string, Header> {
  const headers = Object.entries(reply.headers ?? {});
  return Object.fromEntries(headers.map(([name, header]) => [name, resolved<Header>(document, header)]));
}

/** Says what is wrong with an answer, by name. */
function fail(request: string, answer: { status: number; text: string }, what: string): never {
  throw new Error(`${request} → ${answer.status}: ${what}\n${answer.text.slice(0, 1_000)}`);
}

function loadChecker(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addFormat("double-int", true);
  ajv.addSchema({ $id: "document", ...document });
  const patterns = Object.keys(document.paths).map((path) => ({
    path,
    expression: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  const pointer = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

  function checkHeaders(request: string, answer: Answer<unknown>, documented: Record<string, Header>): void {
    const names = new Map(Object.entries(documented).map(([name, header]) => [name.toLowerCase(), header]));
    for (const [name, header] of names) {
      const value = answer.headers[name];
      if (value === undefined && header.required) fail(request, answer, `the documented header ${name} is missing`);
      if (value !== undefined && header.schema.type === "integer" && !/^\d+$/.test(value)) {
        fail(request, answer, `${name}: ${value} is no whole number`);
      }
    }
    const extra = Object.keys(answer.headers).find((name) => !PLAIN_HEADERS.has(name) && !names.has(name));
    if (extra) fail(request, answer, `the header ${extra} is not documented`);
  }

  function checkIsJson(request: string, answer: Answer<unknown>): void {
    if (answer.headers["content-type"] !== JSON_TYPE) fail(request, answer, "the answer is not JSON");
  }

  /** What is documented as bytes: any type where the document says so. */
  function checkBytes(request: string, answer: Answer<unknown>, type: string): void {
    if (type !== "*/*" && answer.headers["content-type"] !== type) fail(request, answer, `the answer is not ${type}`);
  }

  function checkBody(request: string, answer: Answer<unknown>, reference: string): void {
    const validate = ajv.getSchema(`document#${reference}`);
    if (!validate) fail(request, answer, `no schema at ${reference}`);
    if (!validate(answer.body)) fail(request, answer, ajv.errorsText(validate.errors));
  }

  return (method: string, path: string, answer: Answer<unknown>): void => {
    const request = `${method} ${path.slice(0, 200)}`;
    const bare = path.split("?", 1)[0] ?? "";
    const found = patterns.filter(({ expression }) => expression.test(bare));
    const pattern = found.find(({ path: candidate }) => candidate === bare) ?? found[0];
    const declared = (method === "HEAD" ? "GET" : method).toLowerCase();
    const operation = pattern && document.paths[pattern.path]?.[declared];
    if (!REQUEST_ID.test(answer.headers["x-request-id"] ?? "")) fail(request, answer, "no X-Request-Id");
    const said = (answer.body as Failure | undefined)?.error;
    if (answer.status >= 400 && said?.code && said.request_id !== answer.headers["x-request-id"]) {
      fail(request, answer, "error.request_id is not X-Request-Id");
    }
    if (answer.status >= 400 && INNARDS.test(answer.text)) fail(request, answer, "the error shows its innards");
    if (!pattern || !operation) {
      if (method !== "HEAD") checkIsJson(request, answer);
      if (method !== "HEAD" && answer.status >= 400) checkBody(request, answer, "/components/schemas/Error");
      const expected = pattern ? 405 : 404;
      const elsewhere = /^\/(v1\/openapi\.json$|health|metrics|trpc)/.test(bare);
      if (!elsewhere && answer.status !== expected) fail(request, answer, `expected ${expected}: it is not documented`);
      return;
    }
    const declaredReply = operation.responses[answer.status];
    const reply = declaredReply && resolved<Reply>(document, declaredReply);
    if (!reply) fail(request, answer, "this status is not documented");
    checkHeaders(request, answer, headersOf(document, reply));
    const [type = ""] = Object.keys(reply.content ?? {});
    if (type !== JSON_TYPE) {
      checkBytes(request, answer, type);
      return;
    }
    checkIsJson(request, answer);
    const at = `/paths/${pointer(pattern.path)}/${declared}/responses/${answer.status}`;
    const named = "$ref" in declaredReply ? String(declaredReply.$ref).slice(1) : at;
    const where = `${named}/content/application~1json/schema`;
    if (method !== "HEAD") checkBody(request, answer, where.replace("application~1json", pointer("application/json")));
  };
}

/** By the text of their document. Compiling its schemas takes longer than most tests, and few services differ. */
const CHECKERS = new Map<string, ReturnType<typeof loadChecker>>();

function checkerOf(text: string) {
  const checker = CHECKERS.get(text) ?? loadChecker(JSON.parse(text));
  CHECKERS.set(text, checker);
  return checker;
}

/** A client of the service at `url`. `check: false` (for answers that are no JSON) leaves the document out. */
export function api({ url }: { url: string }) {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  let checker: Promise<ReturnType<typeof loadChecker>> | undefined;

  async function exchange(method: string, path: string, request: Request): Promise<Answer<string>> {
    const { key, json, headers = {} } = request;
    const body = json === undefined ? request.body : JSON.stringify(json);
    const {
      statusCode,
      headers: got,
      body: stream,
    } = await agent.request({
      origin: url,
      method: method as "GET",
      path,
      body: body ?? null,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
    });
    const text = await stream.text();
    const flat = Object.entries(got).map(([name, value]) => [name, [value].flat().join(", ")]);
    return { status: statusCode, headers: Object.fromEntries(flat), text, body: text };
  }

  const documentText = async () => (await exchange("GET", "/v1/openapi.json", {})).text;

  async function call<Body = Failure>(method: string, path: string, request: Request = {}): Promise<Answer<Body>> {
    checker ??= documentText().then(checkerOf);
    const answer = await exchange(method, path, request);
    const parsed = { ...answer, body: parse(answer.text) as Body };
    (await checker)(method, path, parsed);
    return parsed;
  }

  return {
    document: async (): Promise<Document> => JSON.parse(await documentText()),
    call,
    /** Any path of the service, JSON or not, unchecked. */
    exchange,
    get: <Body = Failure>(path: string, request?: Request) => call<Body>("GET", path, request),
    post: <Body = Failure>(path: string, json?: unknown, request: Request = {}) =>
      call<Body>("POST", path, { json, ...request }),
    patch: <Body = Failure>(path: string, json?: unknown, request: Request = {}) =>
      call<Body>("PATCH", path, { json, ...request }),
    delete: <Body = Failure>(path: string, request?: Request) => call<Body>("DELETE", path, request),
    /** A mailbox that must come into being. */
    async createInbox(key: string, json: object = {}): Promise<Inbox> {
      const { status, text, body } = await call<Inbox>("POST", "/v1/inboxes", { key, json });
      if (status !== 201) throw new Error(`POST /v1/inboxes: ${status} ${text}`);
      return body;
    },
    close: () => agent.close(),
  };
}

export type Api = ReturnType<typeof api>;

/** `/v1/inboxes/{addr}` and what follows, the address encoded as the specification says. */
export function inboxPath(address: string, rest = ""): string {
  return `/v1/inboxes/${encodeURIComponent(address)}${rest}`;
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text; // not JSON: the check says so, with the text
  }
}
