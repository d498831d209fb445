// Calls a procedure by way of trpc-to-openapi's Node handler, which was built once: from a parsed request to an answer.
import type { ServerResponse } from "node:http";
import { createOpenApiNodeHttpHandler, type NodeHTTPRequest } from "trpc-to-openapi";
import { logFailure } from "../procedures/log-failure.ts";
import { restMetas } from "../procedures/meta.ts";
import {
  type Download,
  errorBody,
  errorHeaders,
  type RequestContext,
  toServiceError,
} from "../procedures/procedures.ts";
import { downloadElsewhere } from "./download.ts";
import { type AppRouter, appRouter } from "./router.ts";

export type Answer = {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  download?: Download | undefined;
};

/** The request for trpc-to-openapi: matched, decoded, authenticated and parsed. */
type ParsedRequest = { method: string; url: string; body: unknown; context: RequestContext };

export function refuse(error: unknown, context: RequestContext): Answer {
  const told = toServiceError(error);
  logFailure(context.services.log, error, context.requestId, context.signal.aborted);
  return {
    status: told.status,
    headers: { ...context.headers, ...errorHeaders(told) },
    body: JSON.stringify(errorBody(told)),
  };
}

type Call = (parsed: ParsedRequest) => Promise<Answer>;

/** Calls procedures, with binary and late answers. */
export function createCall(): Call {
  const call = createHandlerCall();
  return async (parsed) => {
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
  };
}

/** Wraps the library's handler as a function from a parsed request to an answer. */
function createHandlerCall(): Call {
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
