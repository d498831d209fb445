// Serves unsubscribe links (RFC 8058): GET shows a page with a button and changes nothing, because scanners open links;
// POST unsubscribes.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { readUnsubscription, UNSUBSCRIBE_BASE, unsubscribe } from "../../messages/suppressions/unsubscribe.ts";

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const ASK = '<p>Stop mail from this sender?</p><form method="post"><button>Unsubscribe</button></form>';
const DONE = "<p>You are unsubscribed. This sender can no longer send you mail.</p>";

function sendPage(res: ServerResponse, content: string, withBody: boolean): void {
  const page =
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    `<meta name="robots" content="noindex"><title>Unsubscribe</title></head><body>${content}</body></html>`;
  res.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(page),
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
  res.end(withBody ? page : undefined);
}

type Needs = {
  services: Services;
  limits: { takeAnonymous(network: string): void };
  given: { client: { network: string } };
};

export const isUnsubscribe = (path: string) => path.startsWith(UNSUBSCRIBE_BASE);

/**
 * Answers one request below /unsubscribe; `route` is its path for logs and metrics.
 * @throws ServiceError `not_found`, `method_not_allowed`, `rate_limited`
 */
export async function handleUnsubscribe(
  { services, limits, given }: Needs,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
) {
  limits.takeAnonymous(given.client.network);
  const { method = "" } = req;
  if (!["GET", "HEAD", "POST"].includes(method)) {
    const headers = { Allow: "GET, HEAD, POST" };
    throw new ServiceError("method_not_allowed", `This path does not take ${method}.`, { headers });
  }
  const who = readUnsubscription(services, path.slice(UNSUBSCRIBE_BASE.length));
  if (method === "POST") await unsubscribe(services, who);
  sendPage(res, method === "POST" ? DONE : ASK, method !== "HEAD");
  return { door: "unsubscribe", route: `${UNSUBSCRIBE_BASE}{token}` };
}
