// Extracts the one-time code and the verification link of a mail.
import type { Extraction } from "#db/message-parts.ts";
import { findCode, textForCodes } from "./codes.ts";
import type { HtmlReading } from "./html/html-reading.ts";
import { findLink, hostMatchesSender } from "./links.ts";
import { isReplySubject } from "./reply-shapes.ts";

const SUBJECT_CHARS = 1_000;
const LINKS = 500;

type Html = Pick<HtmlReading, "text" | "links"> & Partial<Pick<HtmlReading, "pieces" | "marked">>;

const withoutSpaces = (text: string) => text.replace(/\s+/g, "");

/** The links of the new part of an answer: those whose words stand there alone. */
function linksOfAnswer({ text, links }: Html, answer: string): Html["links"] {
  if (withoutSpaces(text) === withoutSpaces(answer)) return links;
  const times = (whole: string, words: string) => whole.split(words).length;
  return links
    .slice(0, LINKS)
    .filter(({ text: words }) => words !== "" && answer.includes(words) && times(answer, words) === times(text, words));
}

/** What is read of a mail: of an answer the new part alone. */
function readParts({
  subject,
  text,
  html,
  answer,
}: {
  subject: string;
  text: string | null;
  html: Html | null;
  answer?: string | null | undefined;
}) {
  if (typeof answer !== "string") return { subject, text, html, bodies: [html && textForCodes(html), text] };
  const isHtml = html !== null && html.text.trim() !== "";
  return {
    subject: answer === "" || isReplySubject(subject) ? "" : subject,
    text: isHtml ? null : answer,
    html: isHtml ? { ...html, text: answer, links: linksOfAnswer(html, answer) } : null,
    bodies: [answer],
  };
}

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
  html: Html | null;
}): Extraction {
  const { subject, text, html, bodies } = readParts({ ...mail, subject: mail.subject.slice(0, SUBJECT_CHARS) });
  const code = findCode({
    from: mail.from,
    subject,
    bodies: bodies.filter((body) => typeof body === "string"),
    pieces: html?.pieces ?? [],
    links: html?.links.length ?? 0,
  });
  const link = findLink(subject, text, html, { code: code?.value });
  const confidence = Math.max(code?.confidence ?? 0, link?.confidence ?? 0);
  return {
    otp: code?.value ?? null,
    link: link?.value ?? null,
    confidence: Math.round(confidence * 100) / 100,
    link_host_matches_sender: link ? hostMatchesSender(link.value, mail.from) : null,
  };
}
