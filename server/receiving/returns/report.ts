// Reads a mail that came to a return path: a delivery status notification (RFC 3464), an abuse report (RFC 5965), or
// text. No input or output.
import { readHtml } from "../../extraction/html/html.ts";
import { decodeText } from "../../mime/charset.ts";
import { readHeaders } from "../../mime/headers.ts";
import { type MailFile, type MailText, readMail } from "../../mime/read.ts";
import { type Codes, readCodes } from "../../recipients/outcomes/codes.ts";

const RECIPIENTS_MAX = 1_000;
const FIELDS_BYTES = 512 * 1024;
const FIELD_CHARS = 2_000;
const TEXT_CHARS = 20_000;
const HTML_CHARS = 200_000;
const STATUS_TYPES = ["message/delivery-status", "message/global-delivery-status"];
const FEEDBACK_TYPE = "message/feedback-report";
const MAIL_SYSTEMS = /(?:^|<|\s)(?:mailer-daemon|postmaster)@/i;

/** One recipient of a delivery status notification. */
type Notified = Codes & { addresses: string[]; action: string; reason: string };

/**
 * `delivery`: per recipient. `complaint`: an abuse report of this kind. `text`: a bounce for people, with the words of the server.
 * `automatic`: another automatic mail, such as an absence note.
 */
export type Report =
  | { kind: "delivery"; recipients: Notified[] }
  | { kind: "complaint"; feedback: string }
  | ({ kind: "text"; words: string } & Codes)
  | { kind: "automatic" };

export function readReport(raw: Buffer): Report {
  const { texts, files } = readMail(raw);
  const feedback = files.find(({ contentType }) => contentType === FEEDBACK_TYPE);
  if (feedback) {
    const [fields] = fieldGroups(textOf(feedback));
    return { kind: "complaint", feedback: fields?.get("feedback-type")?.toLowerCase() ?? "" };
  }
  const status = files.find(({ contentType }) => STATUS_TYPES.includes(contentType));
  const recipients = status ? notifiedOf(textOf(status)) : [];
  if (recipients.length > 0) return { kind: "delivery", recipients };
  return isBounce(raw) ? bounceText(textOfWords(texts)) : { kind: "automatic" };
}

function textOf({ octets, charset }: MailFile): string {
  return decodeText(octets.subarray(0, FIELDS_BYTES), charset).text;
}

/** The plain text; of a bounce in HTML only, its words. */
function textOfWords(texts: MailText[]): string {
  const plain = texts.filter(({ kind }) => kind === "plain").map(({ value }) => value);
  const words = plain.length > 0 ? plain : texts.map(({ value }) => readHtml(value.slice(0, HTML_CHARS)).text);
  return words.join("\n").slice(0, TEXT_CHARS);
}

/** Groups of `Name: value` lines, separated by empty lines; the first value of a name counts. */
function fieldGroups(text: string): Map<string, string>[] {
  const groups = text
    .replace(/\r\n?/g, "\n")
    .trim()
    .split(/\n[ \t]*\n+/, RECIPIENTS_MAX + 1);
  return groups.map((group) => {
    const fields = new Map<string, string>();
    for (const line of group.replace(/\n[ \t]+/g, " ").split("\n")) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).trim().toLowerCase();
      if (colon > 0 && !fields.has(name)) fields.set(name, line.slice(colon + 1, colon + FIELD_CHARS).trim());
    }
    return fields;
  });
}

/** `rfc822; ann@shop.example` → `ann@shop.example`. */
function afterType(field: string | undefined): string {
  return (field ?? "").slice((field ?? "").indexOf(";") + 1).trim();
}

/** Fields that name addresses, servers and times, or that are read for themselves. */
const NOT_WORDS = /^(?:action|status|(?:original|final)-recipient|.*(?:-mta|-date|-until|-id|-address))$/;

/** The words of the server in a field of another name than `Diagnostic-Code`. */
function otherWords(fields: Map<string, string>): string {
  const words = [...fields].filter(([name]) => !NOT_WORDS.test(name)).map(([, value]) => afterType(value));
  return words.find((value) => readCodes(value).smtp_code !== null || readCodes(value).enhanced_code !== null) ?? "";
}

function notifiedOf(text: string): Notified[] {
  return fieldGroups(text)
    .filter((fields) => fields.has("action") || fields.has("status"))
    .map((fields) => {
      const diagnostic = afterType(fields.get("diagnostic-code")) || otherWords(fields);
      const status = readCodes(fields.get("status") ?? "").enhanced_code;
      const codes = readCodes(diagnostic);
      const addresses = [fields.get("original-recipient"), fields.get("final-recipient")].map((field) => {
        return afterType(field).replace(/^<|>$/g, "").toLowerCase();
      });
      return {
        addresses: addresses.filter(Boolean),
        action: (fields.get("action") ?? "").toLowerCase(),
        smtp_code: codes.smtp_code,
        enhanced_code: isVague(status) ? (codes.enhanced_code ?? status) : status,
        reason: diagnostic || [fields.get("action"), status].filter(Boolean).join(" "),
      };
    });
}

/** `5.0.0` says less than the code in the words of the server. */
function isVague(status: string | null): boolean {
  return status === null || /^[245]\.0\.0$/.test(status);
}

/** A bounce without a machine part comes from a mail system. Other mail is an automatic answer of a person's program. */
function isBounce(raw: Buffer): boolean {
  const { lines } = readHeaders(raw);
  const first = (name: string) => lines.find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
  if (/^auto-replied/i.test(first("auto-submitted"))) return MAIL_SYSTEMS.test(first("from"));
  const returned = first("x-failed-recipients") !== "" || /multipart\/report/i.test(first("content-type"));
  return returned || MAIL_SYSTEMS.test(first("from"));
}

/** A line that separates, and one with nothing but an address. */
const RULE_LINE = /^[|\s]*[-=*_]{3,}/;
const ADDRESS_LINE = /^\s*<?[^\s<>@]+@[^\s<>@]+>?:?\s*$/;
const REASON_LINES = 8;

/** The words of the server: the lines around the first code, or below the address; else the first line. */
function serverWords(text: string): string {
  const lines = text.split(/\r\n?|\n/);
  const isWords = (line: string | undefined) =>
    line !== undefined && line.trim() !== "" && !RULE_LINE.test(line) && !ADDRESS_LINE.test(line);
  const hasCode = (line: string) => {
    const { smtp_code, enhanced_code } = readCodes(line);
    return isWords(line) && (smtp_code !== null || enhanced_code !== null);
  };
  const below = lines.findIndex((line, at) => ADDRESS_LINE.test(line) && isWords(lines[at + 1])) + 1;
  const coded = lines.findIndex(hasCode);
  const at = coded >= 0 ? coded : below > 0 ? below : lines.findIndex(isWords);
  if (at < 0) return "";
  let [from, to] = [at, at];
  while (at - from < REASON_LINES && isWords(lines[from - 1])) from -= 1;
  while (to - at < REASON_LINES && isWords(lines[to + 1])) to += 1;
  const isFound = coded >= 0 || below > 0;
  const words = isFound ? lines.slice(from, to + 1) : lines.slice(at, at + 1);
  return words.map((line) => line.trim()).join(" ");
}

function bounceText(text: string): Report {
  const words = serverWords(text);
  const [near, all] = [readCodes(words), readCodes(text)];
  const hasNear = near.smtp_code !== null || near.enhanced_code !== null;
  return { kind: "text", words, ...(hasNear ? near : all) };
}
