// What an agent waits for in a mail: its one-time code and its verification link.
import type { Extraction } from "#db/message-parts.ts";
import { findCode } from "./codes.ts";
import type { HtmlReading } from "./html/html.ts";
import { findLink, hostMatchesSender } from "./links.ts";

const SUBJECT_CHARS = 1_000;

/**
 * Pure and linear in the mail, of which a bounded head is read. `from` is the sender's address. Never throws.
 * @returns `otp`: what a person would type in (`code-candidates.ts` says how). `link`: as it stands in the mail, a click-tracking
 *   wrapper included. `confidence`: with two decimals, of the surer of the two that are returned; 0 when neither is.
 */
export function extract(mail: {
  from: string;
  subject: string;
  text: string | null;
  html: Pick<HtmlReading, "text" | "links"> | null;
}): Extraction {
  const bodies = [mail.html?.text, mail.text].filter((body) => typeof body === "string");
  const subject = mail.subject.slice(0, SUBJECT_CHARS);
  const code = findCode(subject, bodies);
  const link = findLink(subject, mail.text, mail.html);
  const confidence = Math.max(code?.confidence ?? 0, link?.confidence ?? 0);
  return {
    otp: code?.value ?? null,
    link: link?.value ?? null,
    confidence: Math.round(confidence * 100) / 100,
    link_host_matches_sender: link ? hostMatchesSender(link.value, mail.from) : null,
  };
}
