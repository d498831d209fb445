// Serves REST: finds the procedure of a /v1 path, reads the body, and passes a parsed request to trpc-to-openapi's Node
// handler. Corrects where the handler differs from the specification (ARCHITECTURE.md).
import type { IncomingMessage, ServerResponse } from "node:http";
import { createOpenApiNodeHttpHandler, type NodeHTTPRequest } from "trpc-to-openapi";
import { ServiceError } from "../base/errors.ts";
import { restMetas } from "../procedures/meta.ts";
import {
  type Download,
  errorBody,
  errorHeaders,
  type RequestContext,
  toServiceError,
} from "../procedures/procedures.ts";
import { logFailure } from "./answer.ts";
import { readJsonBody } from "./bodies/body.ts";
import { downloadElsewhere, streamDownload } from "./download.ts";
import { openApiDocument } from "./openapi/document.ts";
import { createServedDocument } from "./openapi/served.ts";
import { type AppRouter, appRouter } from "./router.ts";
import { type Route, routeTable } from "./routes.ts";

const OPENAPI_PATH = "/v1/openapi.json";
// The characters that a decoded path parameter may have. Any other value cannot be a name here; it is replaced by
// NO_SUCH_NAME, so that the procedure answers it like every unknown name, after its other checks.
const NAME = /^(?!\.{1,2}$)[\w.@+~-]+$/;
const NO_SUCH_NAME = "~";

type Answer = {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  download?: Download | undefined;
};

/** The request for trpc-to-openapi: matched, decoded, authenticated and parsed. */
type ParsedRequest = { method: string; url: string; body: unknown; context: RequestContext };

export type Rest = {
  /** Answers one /v1 request; `route` is the matched path pattern, for logs and metrics. */
  handle(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<{ route: string }>;
};

export function createRest(settings: RequestContext["services"]["settings"]): Rest {
  const findRoute = routeTable(appRouter);
  const call = createCall();
  const serveDocument = createServedDocument(openApiDocument(settings, appRouter));

  async function answerTo(req: IncomingMessage, path: string, search: string, context: RequestContext) {
    if (path === OPENAPI_PATH) {
      if (req.method !== "GET" && req.method !== "HEAD") throw methodNotAllowed(req.method, ["GET", "HEAD"]);
      if (context.actor instanceof ServiceError || context.actor.kind === "anonymous") {
        context.takeAnonymous(context.client.network);
      }
      return { route: OPENAPI_PATH, answer: await serveDocument(req.headers) };
    }
    const found = findRoute(path);
    if (!found) throw new ServiceError("not_found", `There is no path ${path}.`);
    const method = req.method === "HEAD" ? "GET" : (req.method ?? "GET");
    const route = found.methods.get(method);
    if (!route) throw methodNotAllowed(req.method, allowed(found.methods));
    const body = await bodyFor(req, route, context);
    const url = route.fill(found.names.map(decodeName)) + search;
    return { route: route.pattern, answer: await answerOf({ method, url, body, context }) };
  }

  /** A call with a binary or late answer. */
  async function answerOf(parsed: ParsedRequest): Promise<Answer> {
    const { context } = parsed;
    let download: Download | undefined;
    let work: (() => Promise<unknown>) | undefined;
    const answer = await call({
      ...parsed,
      context: {
        ...context,
        async send(what) {
          download = what;
          return downloadElsewhere(what);
        },
        async later(what, placeholder) {
          work = what;
          return placeholder;
        },
      },
    });
    if (answer.status !== 200) return answer;
    return work ? { ...answer, body: JSON.stringify(await work()) } : { ...answer, download };
  }

  return {
    async handle(req, res, context) {
      const [path = "/", query] = (req.url ?? "/").split("?", 2);
      let route = "unmatched";
      let answer: Answer;
      try {
        ({ route, answer } = await answerTo(req, path, query ? `?${query}` : "", context));
      } catch (error) {
        answer = refuse(error, context);
      }
      if (answer.download) {
        const headers = { ...answer.headers, "X-Request-Id": context.requestId };
        await streamDownload(res, answer.download, headers, req.method === "HEAD");
        return { route };
      }
      res.writeHead(answer.status, {
        "Cache-Control": "no-store",
        ...answer.headers,
        "X-Request-Id": context.requestId,
        ...(answer.status !== 304 && {
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(answer.body),
        }),
      });
      res.end(answer.body);
      return { route };
    },
  };
}

/** The body of a request that may have one. The body of a caller with an invalid key is not read. */
async function bodyFor(req: IncomingMessage, route: Route, context: RequestContext): Promise<unknown> {
  if (!route.takesBody) return undefined;
  const { actor } = context;
  const { maxBodyBytes: maxBytes, needsKey } = route;
  if (!needsKey) return readJsonBody(req, { maxBytes });
  if (actor instanceof ServiceError || actor.kind !== "agent") return {};
  return readJsonBody(req, { maxBytes, hold: context.holdFor(actor.organizationId) });
}

function decodeName(raw: string): string {
  try {
    const name = decodeURIComponent(raw);
    return NAME.test(name) ? name : NO_SUCH_NAME;
  } catch {
    return NO_SUCH_NAME; // malformed percent-encoding is no valid name
  }
}

function allowed(methods: Map<string, Route>): string[] {
  return [...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : [])];
}

function methodNotAllowed(method: string | undefined, allow: string[]): ServiceError {
  return new ServiceError("method_not_allowed", `This path does not take ${method}.`, {
    headers: { Allow: allow.join(", ") },
  });
}

function refuse(error: unknown, context: RequestContext): Answer {
  const told = toServiceError(error);
  logFailure(context.services.log, error, context.requestId, context.signal.aborted);
  return {
    status: told.status,
    headers: { ...context.headers, ...errorHeaders(told) },
    body: JSON.stringify(errorBody(told)),
  };
}

/** Wraps the library's handler as a function from a parsed request to an answer. */
function createCall(): (parsed: ParsedRequest) => Promise<Answer> {
  const handler = createOpenApiNodeHttpHandler<AppRouter, NodeHTTPRequest, ServerResponse>({
    router: appRouter,
    createContext: ({ req }) => (req as unknown as { context: RequestContext }).context,
    responseMeta: ({ paths, errors }) => {
      const path = paths?.[0];
      const status = path && errors.length === 0 ? statusOf.get(path) : undefined;
      return status ? { status } : {};
    },
    onError: ({ error, req }) => {
      (req as unknown as { failure: unknown }).failure = error;
    },
  });

  return async (parsed) => {
    const req = requestFor(parsed);
    let body = "";
    const res = {
      statusCode: 200,
      setHeader() {}, // its headers are Content-Type, which is sent here, and those of responseMeta, which has none
      end(text: string) {
        body = text;
      },
      once() {},
      off() {},
      writableEnded: false,
    };
    await handler(req as unknown as NodeHTTPRequest, res as unknown as ServerResponse);
    if (req.failure) return refuse(req.failure, parsed.context);
    return { status: res.statusCode, headers: parsed.context.headers, body };
  };
}

function requestFor({ method, url, body, context }: ParsedRequest) {
  // The library reads the body twice: as the input, and serialized for a Request that is not used.
  if (body) Object.defineProperty(body, "toJSON", { value: () => "" });
  return {
    method,
    url,
    body,
    query: readQuery(url),
    headers: { "content-type": "application/json" },
    context,
    failure: undefined as unknown,
    readableEnded: true,
    once() {},
    off() {},
  };
}

/**
 * Parsed here, because the library fails on names of object properties (`?toString=1`). A repeated name gives an array.
 */
function readQuery(url: string): Record<string, string[]> {
  const query: Record<string, string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(url.split("?", 2)[1] ?? "")) {
    query[name] = [...(query[name] ?? []), value];
  }
  return query;
}

const statusOf = new Map([...restMetas(appRouter)].map(([path, meta]) => [path, meta.status] as const));
