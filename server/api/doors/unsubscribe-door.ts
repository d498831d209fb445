// Serves unsubscribe links (RFC 8058): GET shows a page with a button and changes nothing, because scanners open links;
// POST unsubscribes.
import type { IncomingMessage, ServerResponse } from "node:http";
import { readUnsubscription, UNSUBSCRIBE_BASE, unsubscribe } from "../../recipients/suppressions/unsubscribe.ts";
import { type DoorNeeds, sendLinkPage, takeLinkRequest } from "./link-page.ts";

const TITLE = "Unsubscribe";
const ASK = '<p>Stop mail from this sender?</p><form method="post"><button>Unsubscribe</button></form>';
const DONE = "<p>You are unsubscribed. This sender can no longer send you mail.</p>";

export const isUnsubscribe = (path: string) => path.startsWith(UNSUBSCRIBE_BASE);

/**
 * Answers one request below /unsubscribe; `route` is its path for logs and metrics.
 * @throws ServiceError `not_found`, `method_not_allowed`, `rate_limited`
 */
export async function handleUnsubscribe(needs: DoorNeeds, req: IncomingMessage, res: ServerResponse, path: string) {
  const { services } = needs;
  const method = takeLinkRequest(needs, req);
  const who = readUnsubscription(services, path.slice(UNSUBSCRIBE_BASE.length));
  if (method === "POST") await unsubscribe(services, who);
  sendLinkPage(res, method, { title: TITLE, content: method === "POST" ? DONE : ASK });
  return { door: "unsubscribe", route: `${UNSUBSCRIBE_BASE}{token}` };
}
