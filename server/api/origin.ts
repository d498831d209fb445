// Which origin a request was sent to, and whether the page that sent it is of that origin.
import type { IncomingMessage } from "node:http";
import type { Client } from "../base/client-address.ts";

type Sent = Pick<IncomingMessage, "headers">;

/** Scheme, host and port that the client used, for a service that is reached by several names; PUBLIC_URL's without a Host. */
export function originOf({ headers: { host } }: Sent, { scheme }: Client, publicUrl: string): string {
  const url = `${scheme}://${host}`;
  return host && URL.canParse(url) ? new URL(url).origin : new URL(publicUrl).origin;
}

/** Whether the `Origin` header (browsers send it with every POST) names the origin of this request, or that of PUBLIC_URL. */
export function isSameOrigin(req: Sent, client: Client, publicUrl: string): boolean {
  const { origin } = req.headers;
  if (origin === undefined) return false;
  return origin === originOf(req, client, publicUrl) || origin === new URL(publicUrl).origin;
}
