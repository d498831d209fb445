// The HTTP server: paths → doors. /v1 is REST (below /x402 too), /trpc is tRPC, /auth is sign-in, /mail-html shows mail, /health and /metrics are the operator's, the rest is pages.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { nodeHTTPRequestHandler } from "@trpc/server/adapters/node-http";
import { v4 } from "uuid";
import type { Services } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { hasSession, readMember } from "../team/session.ts";
import { AUTH_BASE } from "../team/sign-in.ts";
import { createAuthenticate } from "./auth.ts";
import { handleAuth } from "./auth-door.ts";
import { downloadInJson } from "./download.ts";
import { healthOf } from "./health.ts";
import { handleMail, MAIL_BASE } from "./mail-door.ts";
import { createRateLimit } from "./rate-limit.ts";
import { createRest } from "./rest.ts";
import { appRouter } from "./router.ts";
import { MAX_BODY_BYTES } from "./routes.ts";
import { errorBody, errorHeaders, type RequestContext, toServiceError } from "./trpc.ts";

const MAX_HEADER_BYTES = 32_768;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 65_000;
/** The base path of clients that read version 2 of x402 alone and cannot send a header that says so. */
const X402_BASE = "/x402";
const MAX_TRPC_BATCH = 20;
const MAX_TRPC_BODY_BYTES = 40 * MAX_BODY_BYTES;

/** `api`: /v1 and /trpc are served (role `web`); `pages`: whoever answers all other paths. */
type Behind = { api: boolean; pages: { handle(req: IncomingMessage, res: ServerResponse): Promise<void> } | undefined };

/** What one request left behind for the log: which door took it and which route matched. */
type Passed = { door: string; route: string };

export type FrontDoor = {
  server: Server;
  /** From now on readiness is refused and connections close after their answer. */
  drain(): void;
};

/** The server, not yet listening. A process of any role answers /health and /metrics. */
export function createFrontDoor(services: Services, { api, pages }: Behind): FrontDoor {
  const { log, metrics, settings } = services;
  const authenticate = createAuthenticate(services);
  const takeRequest = createRateLimit(settings);
  const rest = createRest(settings);
  let draining = false;

  async function contextFor(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<RequestContext> {
    const { authorization, "idempotency-key": idempotencyKey, "last-event-id": lastEventId } = req.headers;
    const actor = await authenticate(authorization);
    return {
      services,
      requestId,
      actor,
      takeRequest,
      idempotencyKey: idempotencyKey?.toString(),
      lastEventId: lastEventId?.toString(),
      payment: shownPayment(req),
      headers: {},
      clientAddress: req.socket.remoteAddress ?? "",
      setCookies: (cookies) => cookies.forEach((cookie) => void res.appendHeader("Set-Cookie", cookie)),
      signal: goneSignal(res),
      async allowed() {
        const still = await authenticate(authorization);
        if (still instanceof ServiceError) throw still;
      },
      send: downloadInJson,
      later: (work) => work(),
    };
  }

  /** At the tRPC door a session stands for an agent key. Agents have no cookies, and REST takes none. */
  async function withSession(req: IncomingMessage, context: RequestContext): Promise<RequestContext> {
    if (req.headers.authorization !== undefined || !hasSession(req.headers)) return context;
    if (req.method !== "GET" && !isSameOrigin(req, settings.PUBLIC_URL)) {
      const message = "A page of another origin cannot act for who is signed in here.";
      return { ...context, actor: new ServiceError("cross_origin", message) };
    }
    const organization = new URLSearchParams(req.url?.split("?", 2)[1]).get("organization") ?? undefined;
    const read = () => readMember(services, req.headers, organization, context.setCookies);
    const actor = await read();
    return {
      ...context,
      actor,
      async allowed() {
        const still = await read();
        if (still instanceof ServiceError) throw still;
      },
    };
  }

  async function trpc(req: IncomingMessage, res: ServerResponse, path: string, requestId: string): Promise<Passed> {
    const procedure = path.slice("/trpc/".length);
    const context = await withSession(req, await contextFor(req, res, requestId));
    await nodeHTTPRequestHandler({
      router: appRouter,
      req,
      res,
      path: procedure,
      maxBodySize: MAX_TRPC_BODY_BYTES,
      maxBatchSize: MAX_TRPC_BATCH,
      createContext: async () => context,
      responseMeta: ({ errors }) => ({
        headers: errors[0] ? { ...context.headers, ...errorHeaders(toServiceError(errors[0])) } : context.headers,
      }),
      onError: ({ error }) => {
        const told = toServiceError(error);
        if (told.status >= 500) log.error({ err: error, request_id: requestId }, told.message);
      },
    });
    return { door: "trpc", route: procedure.slice(0, 100) };
  }

  async function open(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<Passed> {
    const path = (req.url ?? "/").split("?", 1)[0] ?? "/";
    if (path === "/health" || path.startsWith("/health/")) {
      const { status, body } = await healthOf(services, path, draining);
      sendJson(res, status, body);
      return { door: "health", route: path };
    }
    if (path === "/metrics") {
      res.setHeader("Content-Type", metrics.registry.contentType);
      res.end(await metrics.registry.metrics());
      return { door: "metrics", route: path };
    }
    if (api && (path === "/v1" || path.startsWith("/v1/"))) {
      const { route } = await rest.handle(req, res, await contextFor(req, res, requestId));
      return { door: "rest", route };
    }
    if (api && path.startsWith(`${X402_BASE}/v1/`)) {
      const context = await contextFor(req, res, requestId);
      req.url = req.url?.slice(X402_BASE.length);
      const { route } = await rest.handle(req, res, { ...context, payment: { ...context.payment, version: 2 } });
      return { door: "rest", route };
    }
    if (api && path.startsWith(`${AUTH_BASE}/`)) return handleAuth(services, req, res, path);
    if (api && path.startsWith(`${MAIL_BASE}/`)) {
      return handleMail(await withSession(req, await contextFor(req, res, requestId)), req, res, path);
    }
    if (api && path.startsWith("/trpc/")) return trpc(req, res, path, requestId);
    if (!pages) throw new ServiceError("not_found", `There is no path ${path}.`);
    await pages.handle(req, res);
    return { door: "pages", route: "page" };
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const started = performance.now();
    const requestId = `req_${v4()}`;
    res.setHeader("X-Request-Id", requestId);
    if (draining) res.setHeader("Connection", "close");
    let passed: Passed = { door: "unknown", route: "unmatched" };
    try {
      passed = await open(req, res, requestId);
    } catch (error) {
      const told = toServiceError(error);
      if (told.status >= 500) log.error({ err: error, request_id: requestId }, told.message);
      if (!res.headersSent) sendJson(res, told.status, errorBody(told), errorHeaders(told));
      else res.destroy();
    }
    const seconds = (performance.now() - started) / 1000;
    const { method = "" } = req;
    metrics.httpSeconds.observe({ ...passed, method, status: res.statusCode }, seconds);
    const level = passed.door === "rest" || passed.door === "trpc" ? "info" : "debug";
    log[level]({
      request_id: requestId,
      ...passed,
      method,
      status: res.statusCode,
      ms: Math.round(seconds * 1e4) / 10,
    });
  }

  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS }, handle);
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.on("clientError", refuseMalformed);
  return {
    server,
    drain() {
      draining = true;
    },
  };
}

/** Whether the page that sent this is of the origin it was sent to (every browser says so with a POST). */
function isSameOrigin({ headers }: IncomingMessage, publicUrl: string): boolean {
  const { origin, host } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === host || origin === new URL(publicUrl).origin;
}

/** The payload by the name of either version of x402, and the version that a 402 is to be told in. */
function shownPayment({ headers }: IncomingMessage): RequestContext["payment"] {
  const header = headers["payment-signature"] ?? headers["x-payment"];
  return { header: header?.toString(), version: headers["x-402-version"] === "2" ? 2 : 1 };
}

/** Aborts when the connection closes before the answer was sent whole. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  res.once("close", () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** What is no HTTP at all never becomes a request; it is told so in our envelope all the same. */
function refuseMalformed(_error: Error, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(
    errorBody(new ServiceError("invalid_request", "This is not a well-formed HTTP request.")),
  );
  const head = ["HTTP/1.1 400 Bad Request", "Content-Type: application/json", "Connection: close"];
  socket.end(`${head.join("\r\n")}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function sendJson(res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  res.writeHead(status, { ...headers, "Content-Type": "application/json", "Cache-Control": "no-store" });
  res.end(JSON.stringify(body));
}
