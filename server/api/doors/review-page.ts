// Writes the page of a held message as HTML without scripts and styles.
import type { WholeReview } from "../../messages/reviews/get.ts";
import { escapeHtml } from "./link-page.ts";

type Content = WholeReview["revisions"][number]["content"];

const FORMS =
  '<form method="post" action="?decision=approve"><button>Approve and send</button></form>' +
  '<form method="post" action="?decision=reject"><button>Reject</button></form>';

/** The message as it would leave, and the buttons if it still waits and is the one of the letter. */
export function reviewPage(review: WholeReview, { isCurrent, now }: { isCurrent: boolean; now: Date }): string {
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

function headersOf({ inbox, from_name, reply_to, attachments, hash }: WholeReview, content: Content): string {
  const lines: [string, string][] = [
    ["From", from_name ? `${from_name} <${inbox}>` : inbox],
    ["To", content.to.join(", ")],
    ["Cc", content.cc.join(", ")],
    ["Bcc", content.bcc.join(", ")],
    ["Reply-To", reply_to.join(", ")],
    ["Subject", content.subject],
    ["Attachments", attachments.map(({ filename, size }) => `${filename ?? "attachment"} (${size} bytes)`).join(", ")],
    ["SHA-256", hash.toString("hex")],
  ];
  const shown = lines.filter(([, value]) => value !== "");
  return `<dl>${shown.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`).join("")}</dl>`;
}

/** The HTML as text: it must not run here, and what it hides must be seen. */
function bodyOf({ text, html }: Content): string {
  const plain = text === null ? "" : `<h2>Text</h2><pre>${escapeHtml(text)}</pre>`;
  return html === null ? plain : `${plain}<h2>HTML, as source</h2><pre>${escapeHtml(html)}</pre>`;
}
