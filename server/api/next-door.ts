// The API inside Next's own server (`next start`, `next dev`): the route handlers of `app/` hand their requests to this file.
import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { type IncomingHttpHeaders, IncomingMessage, type Server, type ServerResponse } from "node:http";
import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isLoopback } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";
import { errorBody, errorHeaders } from "../procedures/errors.ts";
import { boundUnread } from "./bodies/unread.ts";
import type { FrontDoor } from "./front-door.ts";
import { HTTP_LIMITS, withoutOrigin } from "./http-server.ts";

/** Node publishes every request here, before any listener of the server sees it. */
const STARTED = "http.server.request.start";
/** All paths of the front door that are not pages. */
const OWN_PATHS =
  /^(\/(v1|x402\/v1|compat|auth|unsubscribe|review|notices|\.well-known|mcp|mail-html|trpc|health)(\/|\?|$)|\/(metrics|llms\.txt)(\?|$)|\*$)/;
const STARTING = new ServiceError("unavailable", "The service is starting.", { headers: { "Retry-After": "1" } });
const NOT_LOCAL = new ServiceError(
  "unavailable",
  "HOST says that only this machine reaches the service, but Next listens on other addresses too. Start Next with `-H 127.0.0.1`, or set HOST.",
);

type Started = { request: IncomingMessage; response: ServerResponse; server: Server };
/** Node's request and response, and what the client sent: Next changes the URL and adds headers of a proxy. */
type Exchange = { request: IncomingMessage; response: ServerResponse; url: string; headers: IncomingHttpHeaders };

/** Answers a request that Next hands to a route handler of `app/`. */
export type AnswerInNext = (request: Request) => Promise<Response>;

export type NextDoor = {
  answer: AnswerInNext;
  /** Takes no new requests, and waits for the open ones. */
  close(withinMs: number): Promise<void>;
};

/**
 * A Web `Request` has no client address, and Next removes Content-Length and Content-Encoding from a `Response`. So a request is
 * answered on Node's own response, exactly as under `npm start`, and Next gets an empty `Response` afterwards.
 * @param port where Next listens
 * @param localOnly whether requests from other machines are refused, because the settings rely on there being none
 */
export function createNextDoor(door: FrontDoor, { port, localOnly }: { port: number; localOnly: boolean }): NextDoor {
  const exchanges = new AsyncLocalStorage<Exchange>();
  const open = new Set<Promise<void>>();

  function remember(message: unknown): void {
    const { request, response, server } = message as Started;
    const { headers, socket } = request;
    const url = withoutOrigin(request.url);
    if (socket.localPort !== port) return; // the server of METRICS_PORT
    // The size of headers holds from the next connection on.
    Object.assign(server, HTTP_LIMITS);
    if (!server.listeners("clientError").includes(door.refuseMalformed)) server.on("clientError", door.refuseMalformed);
    if (!OWN_PATHS.test(url)) boundUnread(request, response);
    else {
      exchanges.enterWith({ request, response, url, headers: { ...headers } });
      // Next would redirect or refuse odd paths such as `/v1/%` and `/v1/inboxes/`.
      request.url = url.startsWith("/trpc/") ? "/trpc/call" : "/v1/call";
    }
  }
  subscribe(STARTED, remember);

  async function answer({ body }: Request): Promise<Response> {
    const exchange = exchanges.getStore();
    if (!exchange) return refusal(STARTING); // it arrived before `subscribe`
    const { request, response } = exchange;
    if (localOnly && !isLoopback(request.socket.localAddress ?? "")) return refusal(NOT_LOCAL);
    response.removeHeader("Vary"); // Next sets it for pages
    const handled = door.handle(readable(exchange, body), response).then(() => sent(response));
    open.add(handled);
    await handled.finally(() => open.delete(handled));
    return new Response(null);
  }

  return {
    answer,
    async close(withinMs) {
      unsubscribe(STARTED, remember);
      door.drain();
      await Promise.race([Promise.all(open), sleep(withinMs, undefined, { ref: false })]);
    },
  };
}

function refusal(error: ServiceError): Response {
  const headers = { ...errorHeaders(error), "Cache-Control": "no-store" };
  return Response.json(errorBody(error), { status: error.status, headers });
}

/** Resolves when the answer was sent, or the client left. */
async function sent(response: ServerResponse): Promise<void> {
  await finished(response).catch(() => undefined); // a client that leaves is no failure of the service
}

/** The request as the front door reads it. Next reads the connection for the body, at the pace of `body`. */
function readable({ request, url, headers }: Exchange, body: Request["body"]): IncomingMessage {
  if (!body) return Object.assign(request, { url, headers });
  const { method, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const copy = new IncomingMessage(request.socket);
  Object.assign(copy, { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor });
  const reader = body.getReader();
  async function readChunk(): Promise<void> {
    // Node drops the rest of a body without a limit after the answer, unless reading has begun by then.
    request.read(0);
    const { done, value } = await reader.read();
    copy.complete = done;
    copy.push(done ? null : value);
    // An IncomingMessage does not read on after a push.
    if (!done) copy.read(0);
  }
  copy._read = () => void readChunk().catch((error) => copy.destroy(error));
  return copy;
}
