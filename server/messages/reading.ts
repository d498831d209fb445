// What a mail says to who reads it, once its bodies are known: the new part, what a human would see, codes, links, warnings.
import type { Extraction } from "#db/message-parts.ts";
import { countFroms } from "../authentication/count-froms.ts";
import { extract } from "../extraction/extract.ts";
import { readHtml } from "../extraction/html.ts";
import { newText } from "../extraction/new-text.ts";
import { suspiciousLinks } from "../extraction/suspicious.ts";
import { hasHiddenCharacters, visibleText } from "../extraction/visible-text.ts";
import type { HeaderBlock, MailSummary } from "./headers.ts";
import { searchText } from "./search.ts";

const SUSPICIOUS_MAX = 20;

export type Reading = {
  extracted_text: string | null;
  safe_text: string;
  extraction: Extraction;
  security: { multiple_from: boolean; hidden_text: boolean; suspicious_links: string[] };
  /** For the search index. */
  words: string;
};

export type Bodies = { text: string | null; html: string | null };

/** Whether other readers may show another sender than ours: more than one From header or mailbox in it. */
export function hasManyFroms({ lines }: HeaderBlock): boolean {
  const { fields, mailboxes } = countFroms(lines);
  return fields > 1 || mailboxes > 1;
}

/** Pure, and bounded only by the thread it runs in: what it is given comes from a stranger. */
export function readBodies(block: HeaderBlock, summary: MailSummary, bodies: Bodies): Reading {
  const html = bodies.html === null ? null : readHtml(bodies.html);
  const { text } = bodies;
  const from = summary.from?.address ?? "";
  const { subject } = summary;
  const safe = visibleText({ text, html });
  return {
    extracted_text: newText({ text, html }),
    safe_text: safe,
    extraction: extract({ from, subject, text, html }),
    security: {
      multiple_from: hasManyFroms(block),
      hidden_text: Boolean(html?.hiddenText) || hasHiddenCharacters(text ?? ""),
      suspicious_links: suspiciousLinks(html?.links ?? []).slice(0, SUSPICIOUS_MAX),
    },
    words: searchText({
      from,
      fromName: summary.from?.name ?? null,
      to: [...summary.to, ...summary.cc],
      subject,
      body: safe,
    }),
  };
}
