// Checks whether a request comes from a page of the origin it was sent to.
import type { IncomingMessage } from "node:http";
import type { Client } from "../base/client-address.ts";

type Sent = Pick<IncomingMessage, "headers">;

/**
 * Scheme, host and port that the client used, because a service may have several names; those of PUBLIC_URL without a
 * Host header.
 */
export function originOf({ headers: { host } }: Sent, { scheme }: Client, publicUrl: string): string {
  const url = `${scheme}://${host}`;
  return host && URL.canParse(url) ? new URL(url).origin : new URL(publicUrl).origin;
}

/** Whether the `Origin` header, which browsers send with every POST, is the origin of this request or of PUBLIC_URL. */
export function isSameOrigin(req: Sent, client: Client, publicUrl: string): boolean {
  const { origin } = req.headers;
  if (origin === undefined) return false;
  return origin === originOf(req, client, publicUrl) || origin === new URL(publicUrl).origin;
}
