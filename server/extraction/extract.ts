// Extracts the one-time code and the verification link of a mail.
import type { Extraction } from "#db/message-parts.ts";
import { findCode, textForCodes } from "./codes.ts";
import type { HtmlReading } from "./html/html-reading.ts";
import { findLink, hostMatchesSender } from "./links.ts";
import { isReplySubject } from "./reply-shapes.ts";

const SUBJECT_CHARS = 1_000;

/**
 * Pure, never throws, and linear in the mail, of which a limited part is read. `from` is the sender's address. `answer` is the new text of a
 * mail that answers another: what it quotes, and a subject with "Re:", are of that mail.
 * @returns `otp`: what a person would type in (see `code-candidates.ts`). `link`: as in the mail, including a click
 * tracker. `confidence`: two decimals, of the surer of the two; 0 if there is neither.
 */
export function extract(mail: {
  from: string;
  subject: string;
  text: string | null;
  answer?: string | null;
  html: (Pick<HtmlReading, "text" | "links"> & Partial<Pick<HtmlReading, "pieces" | "marked">>) | null;
}): Extraction {
  const { from, html, answer } = mail;
  const subject = mail.subject.slice(0, SUBJECT_CHARS);
  const seen = typeof answer === "string" ? [answer] : [html && textForCodes(html), mail.text];
  const code = findCode({
    from,
    subject: typeof answer === "string" && isReplySubject(subject) ? "" : subject,
    bodies: seen.filter((body) => typeof body === "string"),
    pieces: html?.pieces ?? [],
    links: html?.links.length ?? 0,
  });
  const link = findLink(subject, mail.text, mail.html, { code: code?.value });
  const confidence = Math.max(code?.confidence ?? 0, link?.confidence ?? 0);
  return {
    otp: code?.value ?? null,
    link: link?.value ?? null,
    confidence: Math.round(confidence * 100) / 100,
    link_host_matches_sender: link ? hostMatchesSender(link.value, mail.from) : null,
  };
}
