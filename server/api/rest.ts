// Serves REST: finds the procedure of a /v1 path, reads the query or the body, calls it and sends the answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import { methodNotAllowed, ServiceError } from "../base/errors.ts";
import { callProcedure } from "../procedures/chain.ts";
import { errorBody, errorHeaders, refusalOf } from "../procedures/errors.ts";
import type { Download, RequestContext } from "../procedures/procedures.ts";
import { downloadElsewhere, streamDownload } from "./bodies/download.ts";
import type { Document } from "./openapi/parts.ts";
import { createDocumentServer } from "./openapi/serve-document.ts";
import { allowed, octetsOf, readInput, readQuery, routeFor } from "./rest-request.ts";
import { appRouter } from "./router.ts";
import { type FindRoute, nearestCall, nearestPaths, type Route, routeTable } from "./routes.ts";

const OPENAPI_PATH = "/v1/openapi.json";
/** Of an unknown path, as much as an answer shows. */
const SHOWN_CHARS = 200;

export type Rest = {
  /** Answers one /v1 request; `route` is the matched path pattern, for logs and metrics. */
  handle(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<{ door: string; route: string }>;
};

export function createRest(documentOf: () => Document): Rest {
  const serveDocument = createDocumentServer(documentOf);
  const parts: Parts = { findRoute: routeTable(appRouter), nearestPath: nearestPaths(appRouter), serveDocument };
  return {
    async handle(req, res, context) {
      let route = "unmatched";
      let answer: Answer;
      try {
        ({ route, answer } = await answerTo(parts, req, context));
      } catch (error) {
        answer = refuse(error, context);
      }
      await send(req, res, answer, context.requestId);
      return { door: "rest", route };
    },
  };
}

type Answer = {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  download?: Download | undefined;
};

type Parts = {
  findRoute: FindRoute;
  nearestPath: ReturnType<typeof nearestPaths>;
  serveDocument: ReturnType<typeof createDocumentServer>;
};

async function answerTo(
  { findRoute, nearestPath, serveDocument }: Parts,
  req: IncomingMessage,
  context: RequestContext,
) {
  const [path = "/", asked = ""] = (req.url ?? "/").split("?", 2);
  if (path === OPENAPI_PATH) {
    if (req.method !== "GET" && req.method !== "HEAD") throw methodNotAllowed(req.method, ["GET", "HEAD"]);
    if (context.actor instanceof ServiceError || context.actor.kind === "anonymous") {
      context.takeAnonymous(context.client.network);
    }
    return { route: OPENAPI_PATH, answer: await serveDocument(req.headers) };
  }
  const query = readQuery(asked);
  const found = routeFor(findRoute, path, query);
  const { method: given = "GET" } = req;
  if (!found) throw noPath(path, nearestPath(given, path));
  const method = given === "HEAD" ? "GET" : given;
  const route = found.methods.get(method);
  if (!route) throw methodNotAllowed(given, allowed(found.methods), meant(nearestCall(given, path)));
  const input = await readInput(req, route, { names: found.names, query, context });
  const octets = route.takesFile ? octetsOf(req, context) : undefined;
  return { route: route.pattern, answer: await call(route, input, { ...context, octets }) };
}

function meant(near: string | undefined): string | undefined {
  return near && `Did you mean ${near}? GET /llms.txt names the most used paths.`;
}

function noPath(path: string, near: string | undefined): ServiceError {
  const shown = path.length > SHOWN_CHARS ? `${path.slice(0, SHOWN_CHARS)}…` : path;
  return new ServiceError("not_found", `There is no path ${shown}.`, near === undefined ? {} : { fix: meant(near) });
}

/** Calls the procedure with all of its middleware, as tRPC and MCP do. The answer may be binary, or late. */
async function call(route: Route, input: object, context: RequestContext): Promise<Answer> {
  try {
    const { output, download, work } = await run(route, input, context);
    const body = download ? "" : JSON.stringify(work ? await work() : output);
    return { status: route.status, headers: context.headers, body, download };
  } catch (error) {
    return refuse(error, context);
  }
}

async function run({ procedure, type, pathFields }: Route, input: object, context: RequestContext) {
  let download: Download | undefined;
  let work: (() => Promise<unknown>) | undefined;
  const output: unknown = await callProcedure(appRouter, {
    path: procedure,
    type,
    input,
    ctx: {
      ...context,
      checkInput: (path, given) => context.checkInput(path, given, pathFields),
      async send(what) {
        download = what;
        return downloadElsewhere(context, what);
      },
      async later(what, placeholder) {
        work = what;
        return placeholder;
      },
    } satisfies RequestContext,
  });
  return { output, download, work };
}

function refuse(error: unknown, context: RequestContext): Answer {
  const failure = refusalOf(context, error, context.signal.aborted);
  return {
    status: failure.status,
    headers: { ...context.headers, ...errorHeaders(failure) },
    body: JSON.stringify(errorBody(failure, context.requestId)),
  };
}

async function send(req: IncomingMessage, res: ServerResponse, answer: Answer, requestId: string): Promise<void> {
  if (answer.download) {
    const headers = { ...answer.headers, "X-Request-Id": requestId };
    return streamDownload(res, answer.download, headers, req.method === "HEAD");
  }
  res.writeHead(answer.status, {
    "Cache-Control": "no-store",
    ...answer.headers,
    "X-Request-Id": requestId,
    ...(answer.status !== 304 && {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(answer.body),
    }),
  });
  res.end(answer.body);
}
