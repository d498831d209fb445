// Extracts the content of a parsed mail: the new part, the visible text, codes, links, warnings.
import type { AttachmentInfo, Extraction, Reading, Security } from "#db/message-parts.ts";
import { unseenInText } from "../extraction/alternatives.ts";
import { extract } from "../extraction/extract.ts";
import { readHtml } from "../extraction/html/html.ts";
import type { HtmlReading } from "../extraction/html/html-reading.ts";
import type { UnseenKind } from "../extraction/html/unseen.ts";
import { hasHiddenCharacters, isFarDown, smuggledText, visibleText } from "../extraction/html/visible-text.ts";
import { findInstructions, type Instructions } from "../extraction/instructions.ts";
import { misleadingFrom } from "../extraction/misleading-from.ts";
import { newPart, newText } from "../extraction/new-text.ts";
import type { EarlierText } from "../extraction/repeated.ts";
import { isReplySubject } from "../extraction/reply-shapes.ts";
import { searchText } from "../extraction/search.ts";
import { suspiciousLinks } from "../extraction/suspicious.ts";
import { readArmour } from "../mime/armour.ts";
import { firstValue, type HeaderBlock } from "../mime/headers.ts";
import type { From } from "./authentication/read-from.ts";
import type { MailSummary } from "./headers.ts";
import { headerWords } from "./side-words.ts";
import { type Evidence, linksIn, spamEvidence } from "./spam.ts";

const SUSPICIOUS_MAX = 20;
/** Of the names of all files, searched for instructions. */
const NAMES_CHARS = 16 * 1024;

export type Extracted = {
  extracted_text: string | null;
  safe_text: string;
  extraction: Extraction;
  security: Required<Omit<Security, "first_contact">>;
  /** For the search index. */
  words: string;
  evidence: Evidence;
};

export type Bodies = {
  text: string | null;
  html: string | null;
  /** The text that has an HTML alternative, which is shown in its place; "" if there is none. */
  alternative: string;
  filenames: string[];
  /** Of files that are text. */
  fileWords: string;
};

/** Whether mail programs may show different senders: several From headers or mailboxes, or one that shows another. */
export function judgeFrom(from: From): Pick<Extracted["security"], "multiple_from" | "misleading_from"> {
  return { multiple_from: from.fields > 1 || from.mailboxes > 1, misleading_from: misleadingFrom(from) };
}

/** The parsed body. `text` and `html` are null if the mail has none. */
export type ParsedBody = {
  headers: [string, string][];
  to: string[];
  cc: string[];
  replyTo: string[];
  text: string | null;
  html: string | null;
  /** In the order of the mail. */
  attachments: AttachmentInfo[];
  reading: Reading;
  extracted: Extracted;
};

/** The values of a parsed message as JSON. A thread makes it, so that the main thread only joins texts. */
export function parsedRow({ to, cc, replyTo, extracted: { evidence: _, ...extracted }, ...body }: ParsedBody): string {
  return JSON.stringify({
    ...body,
    ...extracted,
    error: null,
    to_addresses: to,
    cc_addresses: cc,
    reply_to: replyTo,
  });
}

const KINDS: UnseenKind[] = ["none", "usual", "deceptive"];
const worst = (...kinds: UnseenKind[]) => KINDS.findLast((kind) => kinds.includes(kind)) ?? "none";

const INSTRUCTIONS: Instructions[] = ["none", "visible", "hidden"];

/** Hidden text, and text written for an assistant. */
function judgeText(
  { block, from, summary }: Head,
  { text, alternative, filenames, fileWords }: Omit<Bodies, "html">,
  html: HtmlReading | null,
) {
  const inText = unseenInText(alternative, html?.text ?? alternative);
  const smuggled = smuggledText(text ?? "").text;
  const isTrick = hasHiddenCharacters(text ?? "") || (html === null && isFarDown(text ?? ""));
  const hiding = worst(html?.unseen.kind ?? "none", inText.kind, isTrick ? "deceptive" : "none");
  const names = filenames.join("\n\n").slice(0, NAMES_CHARS);
  const beforeBody = `${[summary.subject, from.shown, names].join("\n\n")}\n\n`;
  const inMail = findInstructions({
    seen: `${beforeBody}${html ? html.bodyText : (text ?? "")}`,
    unseen: [smuggled, inText.text, html?.unseen.text ?? ""].join("\n\n"),
    code: html?.unseen.code ?? "",
    cited: (html?.cited ?? []).map((span) => ({
      from: span.from + beforeBody.length,
      to: span.to + beforeBody.length,
    })),
  });
  // Others write into a header, too: an order there is no proof that the sender hides one.
  const beside = [...headerWords(block), fileWords].map((seen) =>
    findInstructions({ seen, unseen: "", code: "", cited: [] }),
  );
  const instructions = INSTRUCTIONS.findLast((each) => each === inMail || beside.includes(each)) ?? "none";
  return { hidden_text: hiding !== "none", hiding, instructions };
}

/**
 * An earlier message of the thread of a mail, in either direction. `text`: what is seen of it, null if it has HTML alone. `isAnswered`: the
 * mail names it in `In-Reply-To`.
 */
export type Earlier = { text: string | null; html: string | null; from: string; isAnswered: boolean };

/** Whether a mail answers another, by its headers or its subject. */
function answersMail(block: HeaderBlock, subject: string): boolean {
  const names = ["in-reply-to", "references"];
  return names.some((name) => (firstValue(block, name) ?? "").trim() !== "") || isReplySubject(subject);
}

/** What a mail may repeat of its thread. */
function earlierTexts(earlier: Earlier[], from: string): EarlierText[] {
  return earlier.flatMap((message) => {
    const text = message.text ?? (message.html === null ? "" : readHtml(message.html).text);
    const fresh = newText({ text, html: null });
    const own = message.from.toLowerCase() === from.toLowerCase();
    return fresh === null ? [] : [{ text, fresh, own, isAnswered: message.isAnswered }];
  });
}

/** The header of a mail, as it is sent and as it is read. */
export type Head = { block: HeaderBlock; from: From; summary: MailSummary };

/**
 * Pure, and limited only by the thread it runs in, because the input is untrusted.
 * @param earlier messages of its thread in the same mailbox
 */
export function readBodies(head: Head, bodies: Bodies, earlier: Earlier[]): Extracted {
  const { block, summary } = head;
  const html = bodies.html === null ? null : readHtml(bodies.html, summary.subject);
  const { text } = bodies;
  const from = summary.from?.address ?? "";
  const { subject } = summary;
  const safe = visibleText({ text, html });
  const links = html?.links ?? [];
  const security = {
    ...judgeFrom(head.from),
    ...judgeText(head, bodies, html),
    suspicious_links: suspiciousLinks(links).slice(0, SUSPICIOUS_MAX),
  };
  const answers = answersMail(block, subject);
  const fresh = newPart(
    { text, html },
    { subject, sender: summary.from?.name ?? "", answers, earlier: earlierTexts(earlier, from) },
  );
  return {
    extracted_text: fresh.text,
    safe_text: safe,
    extraction: extract({
      from,
      subject,
      text: text && readArmour(text).words,
      html,
      ...(answers && { answer: fresh.isQuote ? "" : fresh.text && readArmour(fresh.text).words }),
    }),
    security,
    evidence: spamEvidence({
      block,
      summary,
      security,
      text: html ? html.bodyText : (text ?? ""),
      links: html ? links.map(({ url }) => url) : linksIn(text ?? ""),
      filenames: bodies.filenames,
    }),
    words: searchText({
      from,
      fromName: summary.from?.name ?? null,
      to: [...summary.to, ...summary.cc],
      subject,
      body: html ? html.text : safe,
    }),
  };
}
