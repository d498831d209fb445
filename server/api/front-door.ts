// The HTTP server. Routes paths: /v1 is REST (also below /x402), /trpc is tRPC, /auth is sign-in, /mail-html shows
// mail, /health and /metrics are for the operator, the rest is pages.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { v4 } from "uuid";
import { createReadClient } from "../base/client-address.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { AUTH_BASE } from "../organizations/sign-in.ts";
import { errorBody, errorHeaders, toServiceError } from "../procedures/procedures.ts";
import { ALL_METHODS, logFailure, MALFORMED, NO_TUNNEL, refuseSocket, sendJson } from "./answer.ts";
import { handleAuth } from "./auth-door.ts";
import { boundUnread } from "./bodies/unread.ts";
import { createHealth } from "./health.ts";
import { HTTP_LIMITS } from "./http-limits.ts";
import { handleMail, MAIL_BASE } from "./mail-door.ts";
import { handleMetrics, METRICS_PATH } from "./metrics-door.ts";
import { createContexts } from "./request-context.ts";
import { createRest } from "./rest.ts";
import { securityHeaders } from "./security-headers.ts";
import { handleTrpc, TRPC_BASE } from "./trpc-door.ts";

/** The methods that metrics and the log distinguish; Node's parser knows thirty more. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** The base path for x402 clients that support only version 2 and cannot send a header that says so. */
const X402_BASE = "/x402";

const UNDECLARED_PROXY =
  "a request came through a proxy that is not in TRUST_PROXY, so rate limits count all its clients as one; add the proxy's address to TRUST_PROXY";

/** Answers all other paths. `upgrades` returns whether it handles an upgrade request. */
type Pages = {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  upgrades(req: IncomingMessage): boolean;
};

/** `api`: whether /v1 and /trpc are served (role `web`). */
type Behind = { api: boolean; pages: Pages | undefined };

/** What is logged about a request: the route that matched, and which part of the server answered. */
type Passed = { door: string; route: string };

export type FrontDoor = {
  server: Server;
  /** Answers one request of any server; `res` has its answer, whatever happens. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** From now on, readiness fails and connections close after their answer. */
  drain(): void;
};

/** The server, not yet listening. A process of any role serves /health and /metrics. */
export function createFrontDoor(services: Services, { api, pages }: Behind): FrontDoor {
  const { log, metrics, settings } = services;
  const { limits, contextFor, withSession } = createContexts(services);
  const healthOf = createHealth(services);
  const rest = createRest(settings);
  const secure = securityHeaders(settings);
  const readClient = createReadClient(settings.TRUST_PROXY);
  let draining = false;
  let warnedOfProxy = false;

  function warnOfProxy(): void {
    if (!warnedOfProxy) log.warn(UNDECLARED_PROXY);
    warnedOfProxy = true;
  }

  async function open(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<Passed> {
    const client = readClient(req);
    if (client.behindUndeclaredProxy) warnOfProxy();
    const given = { requestId, client };
    const path = (req.url ?? "/").split("?", 1)[0] ?? "/";
    if (path === "/health" || path.startsWith("/health/")) {
      const { status, body } = await healthOf(path, draining);
      sendJson(res, status, body);
      return { door: "health", route: path };
    }
    // The methods of the server as a whole (RFC 9110 §9.3.7).
    if (req.method === "OPTIONS" && path === "*") {
      res.writeHead(204, { Allow: ALL_METHODS }).end();
      return { door: "unknown", route: "unmatched" };
    }
    if (path === METRICS_PATH) return handleMetrics(services, client, req, res);
    if (api && (path === "/v1" || path.startsWith("/v1/"))) {
      const { route } = await rest.handle(req, res, await contextFor(req, res, given));
      return { door: "rest", route };
    }
    if (api && path.startsWith(`${X402_BASE}/v1/`)) {
      const context = await contextFor(req, res, given);
      req.url = req.url?.slice(X402_BASE.length);
      const { route } = await rest.handle(req, res, { ...context, payment: { ...context.payment, version: 2 } });
      return { door: "rest", route };
    }
    if (api && path.startsWith(`${AUTH_BASE}/`)) {
      limits.takeAnonymous(client.network);
      return handleAuth(services, client, req, res, path);
    }
    if (api && path.startsWith(`${MAIL_BASE}/`)) {
      return handleMail(await withSession(req, await contextFor(req, res, given)), req, res, path);
    }
    if (api && path.startsWith(`${TRPC_BASE}/`)) {
      return handleTrpc(await withSession(req, await contextFor(req, res, given)), req, res, path);
    }
    if (!pages) throw new ServiceError("not_found", `There is no path ${path}.`);
    await pages.handle(req, res);
    return { door: "pages", route: "page" };
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const started = performance.now();
    const requestId = `req_${v4()}`;
    res.setHeader("X-Request-Id", requestId);
    if (draining) res.setHeader("Connection", "close");
    for (const [name, value] of secure) res.setHeader(name, value);
    boundUnread(req, res);
    let passed: Passed = { door: "unknown", route: "unmatched" };
    try {
      passed = await open(req, res, requestId);
    } catch (error) {
      const told = toServiceError(error);
      logFailure(log, error, requestId, res.destroyed);
      if (!res.headersSent) sendJson(res, told.status, errorBody(told), errorHeaders(told));
      else res.destroy();
    }
    const seconds = (performance.now() - started) / 1000;
    const method = METHODS.has(req.method ?? "") ? (req.method as string) : "other";
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

  const server = createServer(
    {
      ...HTTP_LIMITS,
      // Next adds an `upgrade` listener with the first page. Without this listener, Node would pass every request with
      // an Upgrade header to Next, which would never answer. Such requests are answered as HTTP/1.1 (RFC 9110 §7.8).
      shouldUpgradeCallback: (req) => pages?.upgrades(req) ?? false,
    },
    handle,
  );
  server.on("clientError", (_error, socket) => refuseSocket(socket, MALFORMED, secure));
  server.on("connect", (_req, socket) => refuseSocket(socket, NO_TUNNEL, secure));
  // An expectation other than 100-continue may be ignored (RFC 9110 §10.1.1); Node would answer without our envelope.
  server.on("checkExpectation", handle);
  return {
    server,
    handle,
    drain() {
      draining = true;
    },
  };
}
