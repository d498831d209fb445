// Builds the bodies of a forward: the caller's text, the usual header lines, and the mail's own text and HTML.
import { escapeHtml } from "../base/escape-html.ts";
import type { Answered } from "./answered.ts";

const RULE = "---------- Forwarded message ---------";
const RECIPIENTS_SHOWN = 50;
const DATE_CHARS = 100;

type Words = { text?: string | undefined; html?: string | undefined };

function asHtml(text: string): string {
  return `<div style="white-space: pre-wrap">${escapeHtml(text)}</div>`;
}

/** The Date of the mail, otherwise when it was received. */
function dateOf({ message, headers }: Answered): string {
  const written = headers.find(([name]) => name.toLowerCase() === "date")?.[1] ?? "";
  const at = new Date(Date.parse(written.slice(0, DATE_CHARS)));
  return Number.isNaN(at.getTime()) ? message.created_at.toUTCString() : at.toUTCString();
}

function list(addresses: string[]): string {
  const more = addresses.length - RECIPIENTS_SHOWN;
  return addresses.slice(0, RECIPIENTS_SHOWN).join(", ") + (more > 0 ? `, and ${more} more` : "");
}

function describe(answered: Answered): string[] {
  const { message } = answered;
  const { from_name: name, from_address: address } = message;
  return [
    RULE,
    `From: ${name ? `${name} <${address}>` : address}`,
    `Date: ${dateOf(answered)}`,
    `Subject: ${message.subject}`,
    `To: ${list(message.to_addresses)}`,
    ...(message.cc_addresses.length > 0 ? [`Cc: ${list(message.cc_addresses)}`] : []),
  ];
}

function textOf({ message }: Answered, lines: string[], words: Words): string {
  // For HTML-only mail, its visible text.
  const original = message.text ?? message.safe_text ?? "";
  return [...(words.text ? [words.text, ""] : []), ...lines, ...(original ? ["", original] : [])].join("\n");
}

function htmlOf({ message }: Answered, lines: string[], words: Words): string {
  const said = words.html || (words.text ? asHtml(words.text) : "");
  const original = message.html ?? asHtml(message.text ?? "");
  const block = lines.map(escapeHtml).join("<br>\n");
  return `${said ? `${said}\n<br>\n` : ""}<div>${block}</div>\n<br>\n${original}\n`;
}

/**
 * Each part is complete, because mail programs show one of them: HTML if the mail or the caller has some, text if one
 * of them has some or there is no HTML.
 */
export function forwardedBodies(answered: Answered, words: Words): { text: string | null; html: string | null } {
  const { message } = answered;
  const lines = describe(answered);
  const html = words.html || message.html !== null ? htmlOf(answered, lines, words) : null;
  const text = words.text || message.text !== null || html === null ? textOf(answered, lines, words) : null;
  return { text, html };
}
