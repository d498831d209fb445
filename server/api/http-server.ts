// The HTTP server around all doors: request ids, security headers, limits, and the log and metrics of every request.
import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { v4 } from "uuid";
import { type Client, createReadClient } from "../base/client-address.ts";
import type { Services } from "../base/context.ts";
import { decodeId } from "../base/ids.ts";
import { type Facts, type WorkLine, writeWork } from "../base/log.ts";
import { pathOf } from "../base/request-target.ts";
import { errorBody, errorHeaders, refusalOf } from "../procedures/errors.ts";
import { ALL_METHODS, MALFORMED, NO_TUNNEL, refuseSocket, securityHeaders, sendJson } from "./answer.ts";
import { boundUnreadAnswer } from "./bodies/body-budget.ts";
import { boundUnread } from "./bodies/unread.ts";
import { handleCors } from "./doors/cors.ts";

/** The limits of every HTTP server that takes requests for the API, in the names of Node's server options. */
export const HTTP_LIMITS = { maxHeaderSize: 32_768, keepAliveTimeout: 65_000, requestTimeout: 120_000 };
/** The methods that metrics and the log distinguish; Node's parser knows thirty more. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The doors of API calls. */
const CALL_DOORS = new Set(["rest", "trpc", "mcp", "compat"]);

const FIRST_REFUSAL = 400;
const FIRST_FAILURE = 500;

/** What is logged about a request: the route that matched, and which part of the server answered. */
export type Passed = { door: string; route: string };
const UNKNOWN: Passed = { door: "unknown", route: "unmatched" };

const UNDECLARED_PROXY =
  "a request came through a proxy that is not in TRUST_PROXY, so rate limits count all its clients as one; add the proxy's address to TRUST_PROXY";

/** `head`: only of an upgrade request that `answer` takes over; what the client sent after it. */
export type Given = { requestId: string; client: Client; head?: Buffer | undefined };

type PassUpgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => unknown;

type Doors = {
  /** Answers a request, or throws what becomes an error answer. */
  answer(req: IncomingMessage, res: ServerResponse, given: Given): Promise<Passed>;
  /** What takes over the connection of an upgrade request: `answer`, or a function. Undefined: nothing. */
  upgrades(req: IncomingMessage): "answer" | PassUpgrade | undefined;
  isDraining(): boolean;
};

export type HttpServer = {
  server: Server;
  /** Answers one request of any server; `res` has its answer, whatever happens. */
  handle(req: IncomingMessage, res: ServerResponse, head?: Buffer): Promise<void>;
  /** Answers what is not HTTP; a listener of `clientError`. */
  refuseMalformed(error: Error, socket: Duplex): void;
};

/** A server takes the whole URL for a path as well (RFC 9112 §3.2.2). */
export const withoutOrigin = (url = "/"): string => url.replace(/^https?:\/\/[^/?]*(?=[/?])/i, "");

export function createHttpServer(services: Services, { answer, upgrades, isDraining }: Doors): HttpServer {
  const secure = securityHeaders(services.settings);
  const readClient = createClientReader(services);
  async function pass(req: IncomingMessage, res: ServerResponse, given: Given): Promise<Passed> {
    if (req.method === "OPTIONS" && req.url === "*") {
      res.writeHead(204, { Allow: ALL_METHODS }).end();
      return UNKNOWN;
    }
    if (handleCors(services.settings, req, res)) return { door: "rest", route: "preflight" };
    return answer(req, res, given);
  }

  async function handle(req: IncomingMessage, res: ServerResponse, head?: Buffer): Promise<void> {
    const started = performance.now();
    const requestId = `req_${v4()}`;
    req.url = withoutOrigin(req.url);
    res.setHeader("X-Request-Id", requestId);
    if (isDraining()) res.setHeader("Connection", "close");
    for (const [name, value] of secure) res.setHeader(name, value);
    boundUnread(req, res);
    const facts: Facts = spanFor(services, req, started);
    const client = readClient(req);
    const written = boundUnreadAnswer(services.answers, () => facts.organization ?? client.network, res);
    const passed = await services.facts.run(facts, async () => {
      try {
        return await pass(req, res, { requestId, client, head });
      } catch (error) {
        refuse(services, res, error, requestId);
        return UNKNOWN;
      }
    });
    written();
    note(services, { requestId, req, res, facts, started, remote: client.address }, passed);
  }

  const refuseMalformed = (_error: Error, socket: Duplex) => refuseSocket(socket, MALFORMED, secure);
  const server = createServer(
    {
      ...HTTP_LIMITS,
      // All other requests with an Upgrade header are answered as HTTP/1.1 (RFC 9110 §7.8).
      shouldUpgradeCallback: (req) => upgrades(req) !== undefined,
    },
    (req, res) => handle(req, res),
  );
  server.on("upgrade", (req, socket: Socket, head) => {
    const taker = upgrades(req);
    if (typeof taker === "function") taker(req, socket, head);
    else void handle(req, answerOn(req, socket), head);
  });
  server.on("clientError", refuseMalformed);
  server.on("connect", (_req, socket) => refuseSocket(socket, NO_TUNNEL, secure));
  // An expectation other than 100-continue may be ignored (RFC 9110 §10.1.1); Node would answer without our envelope.
  server.on("checkExpectation", (req, res) => handle(req, res));
  return { server, handle, refuseMalformed };
}

/** Makes the answer with which an upgrade request is refused. Node makes none. */
function answerOn(req: IncomingMessage, socket: Socket): ServerResponse {
  const res = new ServerResponse(req);
  res.assignSocket(socket);
  res.shouldKeepAlive = false;
  res.once("finish", () => socket.destroySoon());
  socket.on("error", () => socket.destroy());
  return res;
}

function refuse(services: Services, res: ServerResponse, error: unknown, requestId: string): void {
  const failure = refusalOf({ services, requestId }, error, res.destroyed);
  if (!res.headersSent) sendJson(res, failure.status, errorBody(failure, requestId), errorHeaders(failure));
  else res.destroy();
}

type Ended = {
  requestId: string;
  req: IncomingMessage;
  res: ServerResponse;
  facts: Facts;
  started: number;
  remote: string;
};

function note(services: Services, ended: Ended, passed: Passed): void {
  const { metrics, log } = services;
  const { requestId, req, res, facts, started } = ended;
  const method = req.method && METHODS.has(req.method) ? req.method : "other";
  const status = res.statusCode;
  const ms = performance.now() - started;
  metrics.httpSeconds.observe({ ...passed, method, status }, ms / 1000);
  const { caller, refusedKey, span: spanOf, failure, ...known } = facts;
  const isCall = CALL_DOORS.has(passed.door);
  const keyId = isCall ? decodeId("akey", caller ?? refusedKey ?? "") : undefined;
  if (keyId && known.organization) {
    services.callLog.add({
      organizationId: known.organization,
      keyId,
      ...passed,
      method,
      path: pathOf(req),
      status: failure?.status ?? status,
      error: failure?.code ?? null,
      ms: Math.round(ms),
      requestId,
      remote: ended.remote,
    });
  }
  const span = isCall ? spanOf?.() : undefined;
  span?.rename(`${method} ${passed.route}`);
  writeWork(log, isCall ? "info" : "debug", {
    kind: "request",
    ...known,
    outcome: outcomeOf(res),
    ms,
    facts: { request_id: requestId, ...passed, method, status, caller },
    span,
    spanFacts: {
      "http.request.method": method,
      "http.route": passed.route,
      "http.response.status_code": status,
      "mailberth.door": passed.door,
    },
  });
}

/**
 * The span of a request is made when work that it leaves behind needs it, or at its end: its parent depends on who calls. Its name
 * is the route, which is known at the end.
 */
function spanFor({ tracing }: Services, req: IncomingMessage, began: number): Facts {
  if (!tracing) return {};
  let span: WorkLine["span"];
  const facts: Facts = {
    span: () => (span ??= tracing.start({ name: "request", kind: "server", began, ...causeOf(req, facts.caller) })),
  };
  return facts;
}

/** A caller with a key or session may decide that its calls are traced. The header of anyone else is only linked. */
function causeOf({ headers: { traceparent } }: IncomingMessage, caller: string | undefined) {
  if (typeof traceparent !== "string") return {};
  return caller === undefined ? { link: traceparent } : { parent: traceparent };
}

/** `left`: the client disconnected before the whole answer was sent. */
function outcomeOf(res: ServerResponse): "ok" | "refused" | "failed" | "left" {
  if (res.destroyed && !res.writableFinished) return "left";
  if (res.statusCode >= FIRST_FAILURE) return "failed";
  return res.statusCode >= FIRST_REFUSAL ? "refused" : "ok";
}

/** Who calls; warns once if a proxy hides its clients. */
function createClientReader({ settings, log }: Services): (req: IncomingMessage) => Client {
  const read = createReadClient(settings.TRUST_PROXY);
  let warned = false;
  return (req) => {
    const client = read(req);
    if (client.behindUndeclaredProxy && !warned) log.warn(UNDECLARED_PROXY);
    warned ||= client.behindUndeclaredProxy;
    return client;
  };
}
