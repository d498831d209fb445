// Serves drop-in APIs below /compat: the paths, fields and errors of another service, mapped onto our procedures (docs/decisions/102).
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AnyTRPCRouter } from "@trpc/server";
import type { Agent, Services } from "../base/context.ts";
import type { CompatApi } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";
import { takeSlot } from "../events/slots.ts";
import { errorHeaders, refusalOf } from "../procedures/errors.ts";
import { identified, type RequestContext, requireAgent } from "../procedures/procedures.ts";
import { agentmail } from "./agentmail/agentmail.ts";
import { readJsonBody, readJsonList } from "./bodies/body.ts";
import { streamDownload } from "./bodies/download.ts";
import { DOWNLOAD_PATH, openLink } from "./compat/download.ts";
import {
  createApi,
  type Find,
  findIn,
  inWordsOf,
  notAvailable,
  type Route,
  readInput,
  type Vendor,
} from "./compat/route.ts";
import { createSockets, isHandshake, type Sockets } from "./compat/socket.ts";
import { resend } from "./resend/resend.ts";
import { decodeName } from "./rest-request.ts";

export const COMPAT_BASE = "/compat";
const BODY_BYTES = 1_048_576;
/** The limit of our send. */
const LARGE_BODY_BYTES = 26_214_400;
const SHOWN_CHARS = 200;
const BEARER = /^Bearer +/i;

const VENDORS: Record<CompatApi, Vendor> = { agentmail, resend };

type Needs = {
  /** The context of a request, for the key of its Authorization header. */
  contextOf(): Promise<RequestContext>;
  /** Scheme, host and port that the client used, for links. */
  origin: string;
  /** Of a request that `upgrades` accepted: what the client sent after it. */
  head: Buffer | undefined;
};

export type Compat = {
  /** Answers a path below /compat; undefined if it belongs to no API that is on. */
  handle(req: IncomingMessage, res: ServerResponse, needs: Needs): Promise<{ door: string; route: string }> | undefined;
  /** Whether `handle` opens a WebSocket on the connection of this request. */
  upgrades(req: IncomingMessage): boolean;
  /** Closes all WebSockets, and opens no more. */
  closeSockets(): void;
};

/** Serves the APIs of COMPAT_APIS. */
export function createCompat(router: AnyTRPCRouter, services: Services): Compat {
  const sockets = createSockets();
  const tables = new Map(
    services.settings.COMPAT_APIS.map((name): [string, Table] => {
      const vendor = VENDORS[name];
      return [name, { router, services, name, vendor, find: findIn(vendor, decodeName), sockets }];
    }),
  );
  const socketPaths = new Set(
    [...tables.values()].flatMap(({ name, vendor: { socket } }) =>
      socket ? `${COMPAT_BASE}/${name}${socket.path}` : [],
    ),
  );
  return {
    handle(req, res, needs) {
      const [path = "", query = ""] = (req.url ?? "").split("?", 2);
      const [, , name = "", ...rest] = path.split("/");
      const table = tables.get(name);
      return table && answer(table, { req, res, needs, path: `/${rest.join("/")}`, query });
    },
    upgrades: (req) => socketPaths.has((req.url ?? "").split("?", 1)[0] ?? "") && isHandshake(req),
    closeSockets: sockets.close,
  };
}

type Table = {
  router: AnyTRPCRouter;
  services: Services;
  name: CompatApi;
  vendor: Vendor;
  find: Find;
  sockets: Sockets;
};
type Request = { req: IncomingMessage; res: ServerResponse; needs: Needs; path: string; query: string };
/** What is known of a request so far, for its log line and its refusal. */
type Asked = { pattern: string; context: RequestContext | undefined };

async function answer(table: Table, request: Request): Promise<{ door: string; route: string }> {
  const { services, vendor, name } = table;
  const { res, path } = request;
  const isDownload = path.startsWith(DOWNLOAD_PATH);
  const run = request.needs.head ? openSocket : isDownload ? followLink : callRoute;
  const asked: Asked = { pattern: isDownload ? `${DOWNLOAD_PATH}{link}` : "unmatched", context: undefined };
  try {
    await run(table, request, asked);
  } catch (error) {
    const { requestId = "", signal, headers } = asked.context ?? {};
    const failure = refusalOf({ services, requestId }, error, signal?.aborted ?? res.destroyed);
    const { status, body } = vendor.refusal(inWordsOf(vendor.words, failure));
    if (res.headersSent) res.destroy();
    else send(res, status, body, { ...headers, ...errorHeaders(failure) });
  }
  return { door: "compat", route: `${COMPAT_BASE}/${name}${asked.pattern}` };
}

async function callRoute(table: Table, request: Request, asked: Asked): Promise<void> {
  const { vendor, find } = table;
  const { req, res, path } = request;
  await refuseWithoutKey(table, request, asked);
  const { context, actor } = await takeCaller(request, asked);
  const found = find(req.method ?? "GET", vendor.plainPath?.(path, actor) ?? path);
  if (!found) throw noRoute(vendor, req.method, path);
  asked.pattern = found.route.pattern;
  const input = readInput(found.route.input, await readGiven(found.route, request, context, actor));
  const api = apiFor(table, request, context, actor);
  const { status, body } = await found.route.run(api, found.names, input);
  send(res, status, body, context.headers);
}

/** @throws ServiceError for a call that clients of the other API make before they have a key */
async function refuseWithoutKey({ vendor: { withoutKey = [] } }: Table, { req, needs, path }: Request, asked: Asked) {
  const why = withoutKey.find(([method, each]) => method === req.method && each === path)?.[2];
  if (why === undefined) return;
  const context = await needs.contextOf();
  Object.assign(asked, { context, pattern: path });
  context.takeAnonymous(context.client.network, context.headers);
  throw notAvailable(why);
}

/** The key of the query is that of the socket, the header that of the client. */
async function openSocket(table: Table, request: Request, asked: Asked): Promise<void> {
  const { req, res, needs, path, query } = request;
  asked.pattern = path;
  const key = new URLSearchParams(query).get("api_key");
  if (key !== null) req.headers.authorization = `Bearer ${key}`;
  const { context, actor } = await takeCaller(request, asked);
  const leaveSlot = takeSlot({ ...table.services, actor });
  res.once("close", leaveSlot);
  const socket = await table.sockets.accept({ req, res, head: needs.head ?? Buffer.alloc(0) }, context);
  table.vendor.socket?.serve(apiFor(table, request, context, actor), socket);
}

/** The agent that calls, whose request is counted. @throws ServiceError */
async function takeCaller({ needs }: Request, asked: Asked): Promise<{ context: RequestContext; actor: Agent }> {
  const context = await needs.contextOf();
  asked.context = context;
  const actor = identified(context, requireAgent);
  context.takeRequest(actor, context.headers);
  return { context, actor };
}

function apiFor({ router, name, vendor }: Table, { req, needs }: Request, context: RequestContext, actor: Agent) {
  return createApi(router, context, {
    actor,
    fields: vendor.words.fields,
    key: (req.headers.authorization ?? "").replace(BEARER, ""),
    base: `${needs.origin}${COMPAT_BASE}/${name}`,
    header: (header) => req.headers[header]?.toString(),
  });
}

async function followLink({ router, services }: Table, { req, res, needs, path }: Request, asked: Asked) {
  const contextOf = async () => {
    asked.context = await needs.contextOf();
    return asked.context;
  };
  const download = await openLink({ router, services }, { req, path, contextOf });
  await streamDownload(res, download, asked.context?.headers ?? {}, req.method === "HEAD");
}

function noRoute({ absent = [] }: Vendor, method: string | undefined, path: string): ServiceError {
  const why = absent.find(([each]) => path === each || path.startsWith(`${each}/`))?.[1];
  if (why !== undefined) return notAvailable(why);
  return new ServiceError("not_found", `There is no ${method} ${path.slice(0, SHOWN_CHARS)} here.`);
}

function send(res: ServerResponse, status: number, body: unknown, headers: Record<string, string>): void {
  if (typeof body === "string") {
    res.writeHead(status, { ...headers, "Cache-Control": "no-store", "Content-Type": "text/plain; charset=utf-8" });
    res.end(body);
    return;
  }
  const text = body === undefined ? "" : JSON.stringify(body);
  res.writeHead(status, {
    ...headers,
    "Cache-Control": "no-store",
    ...(body !== undefined && { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }),
  });
  res.end(text);
}

async function readGiven(route: Route, { req, query }: Request, context: RequestContext, actor: Agent) {
  if (route.method === "GET" || route.method === "DELETE") {
    const given: Record<string, unknown> = Object.create(null);
    for (const [name, value] of new URLSearchParams(query)) {
      given[name] = name in given ? [given[name], value].flat() : value;
    }
    return { ...given };
  }
  const limits = {
    maxBytes: route.isLarge ? LARGE_BODY_BYTES : BODY_BYTES,
    hold: context.holdFor(actor.organizationId),
  };
  return route.isList ? readJsonList(req, limits) : readJsonBody(req, limits);
}
