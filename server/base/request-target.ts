// Reads the target of an HTTP request (RFC 9112 §3.2): its path and its query.
import type { IncomingMessage } from "node:http";

/** As the client wrote it, so percent-encoded. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "";
}

export function queryOf({ url = "" }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.split("?", 2)[1]);
}
