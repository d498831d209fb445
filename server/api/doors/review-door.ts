// Serves the links of emails that ask for the approval of a message: GET shows the message and changes nothing, because
// scanners open links; POST decides. The page has no scripts and styles.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { escapeHtml } from "../../base/escape-html.ts";
import { queryOf } from "../../base/request-target.ts";
import { decideByLink, findByLink } from "../../sending/reviews/by-link.ts";
import type { WholeReview } from "../../sending/reviews/get.ts";
import { REVIEW_BASE } from "../../sending/reviews/link.ts";
import { type DoorNeeds, problemPage, sendLinkPage, takeLinkRequest } from "./link-page.ts";

const TITLE = "Approve a message";
const DECISIONS = { approve: "The message is approved and will be sent.", reject: "The message is rejected." };

const FORMS =
  '<form method="post" action="?decision=approve"><button>Approve and send</button></form>' +
  '<form method="post" action="?decision=reject"><button>Reject</button></form>';

type Decision = keyof typeof DECISIONS;
type Content = WholeReview["revisions"][number]["content"];
type Page = { status: number; content: string };

export const isReview = (path: string) => path.startsWith(REVIEW_BASE);

/**
 * Answers one request below /review; `route` is its path for logs and metrics.
 * @throws ServiceError `method_not_allowed`, `rate_limited`
 */
export async function handleReview(needs: DoorNeeds, req: IncomingMessage, res: ServerResponse, path: string) {
  const { services } = needs;
  const method = takeLinkRequest(needs, req);
  const token = path.slice(REVIEW_BASE.length);
  const work = method === "POST" ? decide(services, token, decisionOf(req)) : show(services, token);
  sendLinkPage(res, method, { title: TITLE, ...(await work.catch(problemPage)) });
  return { door: "review", route: `${REVIEW_BASE}{token}` };
}

function decisionOf(req: IncomingMessage): Decision {
  const given = queryOf(req).get("decision");
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

/** The message as it would leave, and the buttons if it still waits and is the one of the email. */
function reviewPage(review: WholeReview, { isCurrent, now }: { isCurrent: boolean; now: Date }): string {
  const content = review.revisions.at(-1)?.content;
  const state = stateOf(review, now);
  if (state) return `<h1>Decided</h1><p>${escapeHtml(state)}</p>`;
  if (!isCurrent || !content) {
    return "<h1>The message was changed</h1><p>It is not the one of your mail any more. Open Approvals in the dashboard.</p>";
  }
  const why = review.cause === "key_revoked" ? " It was held because the key that wrote it was revoked." : "";
  const until = `<p>It waits until ${review.expires_at.toISOString()}.${why}</p>`;
  return `<h1>Approve this message?</h1>${until}${headersOf(review, content)}${bodyOf(content)}${FORMS}`;
}

function stateOf({ status, decided_by, expires_at }: WholeReview, now: Date): string | undefined {
  if (status === "pending" && expires_at > now) return;
  const shown = status === "pending" ? "expired" : status;
  return `This message is ${shown}${decided_by === null ? "" : `, by ${decided_by}`}.`;
}

function headersOf(review: WholeReview, content: Content): string {
  const { inbox, from_name, reply_to, headers, attachments, hash } = review;
  const lines: [string, string][] = [
    ["From", from_name ? `${from_name} <${inbox}>` : inbox],
    ["To", content.to.join(", ")],
    ["Cc", content.cc.join(", ")],
    ["Bcc", content.bcc.join(", ")],
    ["Reply-To", reply_to.join(", ")],
    ["Subject", content.subject],
    ...(headers ?? []),
    ["Attachments", attachments.map(({ filename, size }) => `${filename ?? "attachment"} (${size} bytes)`).join(", ")],
    ["SHA-256", hash.toString("hex")],
  ];
  const shown = lines.filter(([, value]) => value !== "");
  return `<dl>${shown.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>`;
}

/** The HTML as text: it must not run here, and what it hides must be seen. */
function bodyOf({ text, html }: Content): string {
  const plain = text === null ? "" : `<h2>Text</h2><pre>${escapeHtml(text)}</pre>`;
  return html === null ? plain : `${plain}<h2>HTML, as source</h2><pre>${escapeHtml(html)}</pre>`;
}
