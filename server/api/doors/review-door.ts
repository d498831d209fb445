// Serves the links of letters that ask for the approval of a message: GET shows the message and changes nothing, because
// scanners open links; POST decides.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { decideByLink, findByLink } from "../../messages/reviews/by-link.ts";
import { REVIEW_BASE } from "../../messages/reviews/link.ts";
import { type LinkNeeds, problemPage, sendLinkPage, takeLinkRequest } from "./link-page.ts";
import { reviewPage } from "./review-page.ts";

const TITLE = "Approve a message";
const DECISIONS = { approve: "The message is approved and will be sent.", reject: "The message is rejected." };

type Decision = keyof typeof DECISIONS;

export const isReview = (path: string) => path.startsWith(REVIEW_BASE);

/**
 * Answers one request below /review; `route` is its path for logs and metrics.
 * @throws ServiceError `method_not_allowed`, `rate_limited`
 */
export async function handleReview(needs: LinkNeeds, req: IncomingMessage, res: ServerResponse, path: string) {
  const { services } = needs;
  const method = takeLinkRequest(needs, req);
  const token = path.slice(REVIEW_BASE.length);
  const work = method === "POST" ? decide(services, token, decisionOf(req)) : show(services, token);
  sendLinkPage(res, method, { title: TITLE, ...(await work.catch(problemPage)) });
  return { door: "review", route: `${REVIEW_BASE}{token}` };
}

type Page = { status: number; content: string };

function decisionOf({ url = "" }: IncomingMessage): Decision {
  const given = new URLSearchParams(url.split("?", 2)[1]).get("decision");
  if (given === "approve" || given === "reject") return given;
  throw new ServiceError("invalid_request", "`decision` is approve or reject.");
}

async function show(services: Services, token: string): Promise<Page> {
  const { review, isCurrent } = await findByLink(services, token);
  return { status: 200, content: reviewPage(review, { isCurrent, now: services.now() }) };
}

async function decide(services: Services, token: string, decision: Decision): Promise<Page> {
  await decideByLink(services, token, decision);
  return { status: 200, content: `<h1>Done</h1><p>${DECISIONS[decision]}</p>` };
}
