// Serves POST /mcp: the Model Context Protocol over Streamable HTTP, without sessions.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { AnyTRPCRouter } from "@trpc/server";
import type { Settings } from "../../base/env.ts";
import { ServiceError } from "../../base/errors.ts";
import { pathOf } from "../../base/request-target.ts";
import { whenNeeded } from "../../base/when-needed.ts";
import { APP_SCOPES, SIGN_IN_PATH } from "../../organizations/oauth.ts";
import { errorBody, errorHeaders, refusalOf } from "../../procedures/errors.ts";
import { bodyLimit } from "../../procedures/meta.ts";
import { identified, type RequestContext } from "../../procedures/procedures.ts";
import { readJsonBody } from "../bodies/body.ts";
import type { Document } from "../openapi/parts.ts";
import type { Served } from "./call.ts";
import { exchange } from "./exchange.ts";
import { checkSource } from "./source.ts";
import { toolTable } from "./tools.ts";

/** Methods that metrics and the log distinguish. */
const METHODS = ["initialize", "notifications/initialized", "ping", "server/discover", "tools/list"];
/** The SDK answers 406 to a request that does not name both. */
const ACCEPT = "application/json, text/event-stream";
const NOT_SIGNED_IN = new ServiceError("unauthorized", "This address needs a sign-in, or an agent key.");

export type Mcp = {
  /** Answers one request at /mcp, also one that is refused as a whole. `route` is its tool or method, from a closed set. */
  handle(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<{ door: string; route: string }>;
};

export function createMcp(router: AnyTRPCRouter, documentOf: () => Document): Mcp {
  const servedOf = whenNeeded(() => ({ router, tools: toolTable(router, documentOf()) }));
  return {
    async handle(req, res, context) {
      try {
        const body = await readMessage(req, context);
        const served = servedOf();
        const tool = served.tools.get(nameIn(body));
        // A call is counted by its procedure.
        if (!tool) count(context);
        await answer(served, res, context, { req, body, isCounted: !tool });
        return { door: "mcp", route: tool?.name ?? METHODS.find((method) => method === body.method) ?? "other" };
      } catch (error) {
        refuse(res, error, context);
        return { door: "mcp", route: "other" };
      }
    },
  };
}

function refuse(res: ServerResponse, error: unknown, context: RequestContext): void {
  const failure = refusalOf(context, error, res.destroyed);
  if (res.headersSent) return void res.destroy();
  const fields = { ...context.headers, ...errorHeaders(failure) };
  res.writeHead(failure.status, { ...fields, "Content-Type": "application/json", "Cache-Control": "no-store" });
  res.end(JSON.stringify(errorBody(failure, context.requestId)));
}

/** @throws ServiceError what the error table has for the request as such */
async function readMessage(req: IncomingMessage, context: RequestContext): Promise<Record<string, unknown>> {
  const { settings } = context.services;
  checkSource(req, settings.PUBLIC_URL);
  if (req.method !== "POST") {
    throw new ServiceError("method_not_allowed", `MCP does not take ${req.method}.`, { headers: { Allow: "POST" } });
  }
  const actor = identified(context, (caller) => {
    if (caller instanceof ServiceError) throw challenge(settings, pathOf(req), caller);
    if (caller.kind === "anonymous" && pathOf(req) === SIGN_IN_PATH)
      throw challenge(settings, SIGN_IN_PATH, NOT_SIGNED_IN);
    return caller;
  });
  if (actor.kind !== "agent") return readJsonBody(req, { maxBytes: bodyLimit({ open: true }) });
  return readJsonBody(req, { maxBytes: bodyLimit(), hold: context.holdFor(actor.organizationId) });
}

/** A 401 says where apps learn how to sign in (RFC 9728 §5.1), and which scopes they may ask for. */
function challenge(settings: Settings, path: string, refusal: ServiceError): ServiceError {
  if (refusal.status !== 401) return refusal;
  const metadata = new URL(`/.well-known/oauth-protected-resource${path}`, settings.PUBLIC_URL).href;
  const error = refusal === NOT_SIGNED_IN ? "" : ', error="invalid_token"';
  const value = `Bearer resource_metadata="${metadata}", scope="${APP_SCOPES.join(" ")}"${error}`;
  return new ServiceError(refusal.code, refusal.message, { fix: refusal.fix, headers: { "WWW-Authenticate": value } });
}

/** The tool that a `tools/call` message names. */
function nameIn({ method, params }: Record<string, unknown>): string {
  const isCall = method === "tools/call" && typeof params === "object" && params !== null && "name" in params;
  return isCall ? String(params.name) : "";
}

type Asked = { req: IncomingMessage; body: Record<string, unknown>; isCounted: boolean };

async function answer(served: Served, res: ServerResponse, context: RequestContext, { req, body, isCounted }: Asked) {
  const { counted, counting } = countingOnce(context);
  // All answers are JSON, whatever Accept says: many hosts send none, `*/*`, or one of the two types.
  const { response, close } = await exchange(served, counting, { body, headers: headersOf(req) });
  try {
    // A call whose arguments are refused reaches no procedure.
    if (!isCounted && !counted()) count(context);
    await send(res, response, context.headers);
  } finally {
    await close();
  }
}

/** A context that says whether a procedure has counted the request. */
function countingOnce(context: RequestContext) {
  let isCounted = false;
  const counting: RequestContext = {
    ...context,
    takeRequest(caller, headers) {
      isCounted = true;
      context.takeRequest(caller, headers);
    },
    takeAnonymous(network, headers) {
      isCounted = true;
      context.takeAnonymous(network, headers);
    },
  };
  return { counted: () => isCounted, counting };
}

function count({ actor, client, headers, takeRequest, takeAnonymous }: RequestContext): void {
  if (!(actor instanceof ServiceError) && actor.kind === "agent") takeRequest(actor, headers);
  else takeAnonymous(client.network, headers);
}

function headersOf({ headers }: IncomingMessage): Headers {
  const single = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name, value]] : [],
  );
  const all = new Headers(single);
  all.set("accept", ACCEPT);
  return all;
}

/** Sends the answer of the SDK at the caller's pace. */
async function send(res: ServerResponse, response: Response, more: Record<string, string>): Promise<void> {
  // Whether the connection stays open is decided by the server.
  response.headers.delete("connection");
  res.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    ...more,
    "Cache-Control": "no-store",
  });
  if (!response.body) return void res.end();
  await pipeline(Readable.fromWeb(response.body as ReadableStream), res);
}
