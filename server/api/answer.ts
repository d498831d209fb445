// Sends answers that come from no procedure: errors as JSON, also on connections without a valid HTTP request.
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Settings } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";
import { errorBody, errorHeaders } from "../procedures/errors.ts";

const ONE_YEAR_SECONDS = 31_536_000;

/** The security headers of every answer, errors too: name and value of each. */
export function securityHeaders({ PUBLIC_URL }: Pick<Settings, "PUBLIC_URL">): [string, string][] {
  const isHttps = new URL(PUBLIC_URL).protocol === "https:";
  return [
    ["X-Content-Type-Options", "nosniff"],
    ...(isHttps ? ([["Strict-Transport-Security", `max-age=${ONE_YEAR_SECONDS}`]] as [string, string][]) : []),
  ];
}

/** The methods of the server as a whole, for `OPTIONS *` (RFC 9110 §9.3.7). */
export const ALL_METHODS = "GET, HEAD, POST, PATCH, DELETE, OPTIONS";
export const MALFORMED = new ServiceError("invalid_request", "This is not a well-formed HTTP request.");
export const NO_TUNNEL = new ServiceError(
  "method_not_allowed",
  "This server is not a proxy and does not support CONNECT.",
  {
    headers: { Allow: ALL_METHODS },
  },
);

/** Answers a connection without a request object in the usual error envelope, with `more` headers, and closes it. */
export function refuseSocket(socket: Duplex, refusal: ServiceError, more: [string, string][]): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(errorBody(refusal));
  const headers = {
    ...Object.fromEntries(more),
    ...errorHeaders(refusal),
    "Content-Type": "application/json",
    Connection: "close",
  };
  const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join("")}\r\n${body}`);
}

export function sendJson(
  res: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { ...headers, "Content-Type": "application/json", "Cache-Control": "no-store" });
  res.end(JSON.stringify(body));
}
