// Lets pages of the origins in CORS_ORIGINS call the API with a key (Fetch §3.2). Credentials of the browser are never allowed.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Settings } from "../../base/env.ts";

const API_PATHS = /^\/(x402\/)?v1(\/|\?|$)/;
/** How long a browser remembers the answer to a preflight; Chromium allows two hours. */
const MAX_AGE_SECONDS = 7_200;
const METHODS = "GET, HEAD, POST, PATCH, DELETE";
const REQUEST_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, Payment-Signature, X-402-Version, X-Payment";
const ANSWER_HEADERS =
  "Content-Disposition, ETag, Idempotent-Replayed, Payment-Required, Payment-Response, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, X-Payment-Response, X-Request-Id";

/**
 * Sets the headers of an answer to a page of a listed origin.
 * @returns whether the request was a preflight, which is answered then; an origin that is not listed gets no permission
 */
export function handleCors(
  { CORS_ORIGINS }: Pick<Settings, "CORS_ORIGINS">,
  req: IncomingMessage,
  res: ServerResponse,
): boolean {
  if (!API_PATHS.test(req.url ?? "")) return false;
  const { origin } = req.headers;
  if (CORS_ORIGINS.length > 0) res.setHeader("Vary", "Origin");
  const isListed = origin !== undefined && CORS_ORIGINS.includes(origin);
  if (isListed) res.setHeader("Access-Control-Allow-Origin", origin);
  if (isPreflight(req)) {
    const permission = {
      "Access-Control-Allow-Methods": METHODS,
      "Access-Control-Allow-Headers": REQUEST_HEADERS,
      "Access-Control-Max-Age": MAX_AGE_SECONDS,
    };
    res.writeHead(204, isListed ? permission : {}).end();
    return true;
  }
  if (isListed) res.setHeader("Access-Control-Expose-Headers", ANSWER_HEADERS);
  return false;
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
}
