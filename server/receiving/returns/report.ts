// Reads a mail that came to a return path: a delivery status notification (RFC 3464), an abuse report (RFC 5965), or
// text. No input or output.

import { readHtml } from "../../extraction/html/html.ts";
import { decodeText } from "../../mime/charset.ts";
import { firstValue, readHeaders } from "../../mime/headers.ts";
import { type MailFile, type MailText, readMail } from "../../mime/read.ts";
import { decodeWords } from "../../mime/words.ts";
import { type Codes, readCodes } from "../../recipients/outcomes/codes.ts";
import { failureCodes, serverWords, splitCopy } from "./bounce-words.ts";
import { GIVEN_UP, HELD, NOT_YET, STILL_TRYING, WARNING } from "./delay-phrases.ts";

const RECIPIENTS_MAX = 1_000;
const FIELDS_BYTES = 512 * 1024;
const FIELD_CHARS = 2_000;
const TEXT_CHARS = 20_000;
const HTML_CHARS = 200_000;
const STATUS_TYPES = ["message/delivery-status", "message/global-delivery-status"];
const FEEDBACK_TYPE = "message/feedback-report";
/** A receipt that a person read or deleted a mail (RFC 8098). */
const RECEIPT_TYPE = "message/disposition-notification";
/** What servers return of a mail. */
const COPY_TYPES = [
  "message/rfc822",
  "message/global",
  "text/rfc822-headers",
  "message/global-headers",
  "message/rfc822-headers",
];
const COPY_BYTES = 16 * 1024;
/** Of the reported mail, in reports of Hotmail, which have no other part. */
const HOTMAIL_COMPLAINT = /^x-hmxmroriginalrecipient[ \t]*:/im;
/** The fields of a report in a part of another type, or among the words. */
const FEEDBACK_FIELD = /^feedback-type[ \t]*:/im;
/** Categories of `X-PowerMTA-BounceCategory` that do not blame the address. */
const NOT_PERMANENT = [
  "bad-configuration",
  "bad-connection",
  "content-related",
  "invalid-sender",
  "message-expired",
  "no-answer-from-host",
  "policy-related",
  "protocol-errors",
  "quota-issues",
  "relaying-issues",
  "routing-errors",
  "spam-related",
  "virus-related",
];
/** Fields of a report in X-ARF: in YAML, and in JSON. */
const XARF_TYPE = /^["']?report-?type["']?[ \t]*:[ \t]*["']?([\w-]{1,40})/im;
const XARF_FIELD = /^["']?(?:schema-?url|reported-from|source-type)["']?[ \t]*:/gim;
const XARF_JSON_TYPE = /"(?:report_?)?type"\s*:\s*"([\w-]{1,40})"/i;
const XARF_JSON = /"(?:xarf_version|reporterinfo)"\s*:/i;
/** Other reports in this form are about attacks on servers. */
const XARF_MAIL = /^(?:spam|ube|uce|unsolicited|phish\w*|fraud|scam|abuse|malware|mail\w*|email\w*)$/i;
const RECIPIENT_FIELD = /^(?:final|original)-recipient[ \t]*:/im;
/** A system names no address, or one of its own. */
const MAIL_SYSTEM = /(?:^|[<\s])(?:mailer-daemon|mail-daemon|post_?master|mdaemon|mmdf)(?:[@>\s]|$)|<>/i;
/** Headers of absence notes, which may quote the mail as a gateway does. */
const ANSWERING_PROGRAM = /^x-(?:mail-)?(?:auto-?(?:repl|respond)|vacation|out-?of-?office)/i;
/** The reply of a server: at the start of a line, or after its name. */
const REPLY_LINE = /^(?:[^\n]{0,200}[:'"(>][ \t]*)?[45][0-5]\d[ -](?:([45]\.[0-7]\.\d{1,3})|[ \t-]*\p{L})/mu;
/** Terms of SMTP, which are the same in all languages: people also begin lines with numbers. */
const SMTP_TERM = /\b(?:RCPT TO|MAIL FROM|E?SMTP|EHLO)\b|\[\d{1,3}(?:\.\d{1,3}){3}\]/i;
/** The header of the returned mail, as text: three lines or more, one of which names the recipient. */
const QUOTED_HEADER = /(?:^[ \t|>]*[\w-]{2,20}[ \t]*:.*\n){3,}/gm;

/** One recipient of a delivery status notification. */
export type Notified = Codes & {
  addresses: string[];
  action: string;
  reason: string;
  /** Whether the address will never work. Undefined: no field says so. */
  permanent: boolean | undefined;
};

/**
 * `delivery`: what a notification says about the recipient. `complaint`: an abuse report of this kind. `text`: a bounce for people, with the words of the server;
 * `isLater`: the server goes on trying. `mail`: no report, such as an absence note.
 */
export type Report =
  | ({ kind: "delivery" } & Notified)
  | { kind: "complaint"; feedback: string }
  | ({ kind: "text"; words: string; isLater: boolean } & Codes)
  | { kind: "mail" };

/** @param recipient the address that the mail was sent to, in lower case; "" if it is not known */
export function readReport(raw: Buffer, recipient: string, envelopeFrom: string | null): Report {
  const { texts, files } = readMail(raw);
  const feedback = feedbackOf(texts, files);
  if (feedback !== undefined) return { kind: "complaint", feedback };
  const xarf = xarfOf(texts, files);
  if (xarf !== undefined) return XARF_MAIL.test(xarf) ? { kind: "complaint", feedback: "abuse" } : { kind: "mail" };
  if (files.some(({ contentType }) => contentType === RECEIPT_TYPE)) return { kind: "mail" };
  const text = textOfWords(texts);
  const { lines, hasCopy } = splitCopy(text);
  const about = aboutOf(statusesOf(texts, files), recipient);
  if (about) return { kind: "delivery", ...withWords(about, lines) };
  const returned = { words: lines.join("\n"), hasCopy: hasCopy || files.some(isCopy) };
  return isBounce(raw, { recipient, envelopeFrom }, returned) ? bounceText(raw, lines, recipient) : { kind: "mail" };
}

const isCopy = ({ contentType, octets }: MailFile) =>
  COPY_TYPES.includes(contentType) ||
  (contentType.startsWith("text/") && /^received[ \t]*:/im.test(octets.subarray(0, COPY_BYTES).toString("latin1")));

/** The kind of an abuse report; undefined if it is none. */
function feedbackOf(texts: MailText[], files: MailFile[]): string | undefined {
  const part = files.find(({ contentType }) => contentType === FEEDBACK_TYPE);
  const text = part ? textOf(part) : texts.find(({ value }) => FEEDBACK_FIELD.test(value.slice(0, TEXT_CHARS)))?.value;
  if (text !== undefined) {
    const group = fieldGroups(text.slice(0, FIELDS_BYTES)).find((fields) => fields.has("feedback-type"));
    return group?.get("feedback-type")?.toLowerCase() ?? "";
  }
  const copies = files.filter(({ contentType }) => contentType === "message/rfc822");
  return copies.some((file) => HOTMAIL_COMPLAINT.test(file.octets.subarray(0, COPY_BYTES).toString("latin1")))
    ? "abuse"
    : undefined;
}

/** The type of a report in X-ARF, of which no part has a media type of its own; undefined if there is none. */
function xarfOf(texts: MailText[], files: MailFile[]): string | undefined {
  const named = files.filter(({ contentType }) => /^(?:text\/|application\/(?:json|[\w.-]*yaml))/.test(contentType));
  for (const text of [...texts.map(({ value }) => value), ...named.map(textOf)]) {
    const start = text.slice(0, TEXT_CHARS);
    if (XARF_JSON.test(start)) return XARF_JSON_TYPE.exec(start)?.[1] ?? "";
    const type = XARF_TYPE.exec(start)?.[1];
    if (type !== undefined && (start.match(XARF_FIELD) ?? []).length > 1) return type;
  }
  return undefined;
}

/** The recipients of the machine part; where a server does not label it, of a part or of words that have its fields. */
function statusesOf(texts: MailText[], files: MailFile[]): Notified[] {
  const status = files.find(({ contentType }) => STATUS_TYPES.includes(contentType));
  if (status) return notifiedOf(textOf(status));
  const file = files.find((one) => one.contentType.startsWith("text/") && RECIPIENT_FIELD.test(textOf(one)));
  if (file) return notifiedOf(textOf(file));
  const text = texts.find(({ value }) => RECIPIENT_FIELD.test(value.slice(0, TEXT_CHARS)))?.value ?? "";
  return notifiedOf(splitCopy(text.slice(0, TEXT_CHARS)).lines.join("\n")).filter(
    ({ addresses }) => addresses.length > 0,
  );
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
  const groups: Map<string, string>[] = [];
  const blocks = text
    .replace(/\r\n?/g, "\n")
    .trim()
    .split(/\n[ \t]*\n+/, RECIPIENTS_MAX + 1);
  for (const group of blocks) {
    let fields = new Map<string, string>();
    groups.push(fields);
    for (const line of group.replace(/\n[ \t]+/g, " ").split("\n")) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon).trim().toLowerCase();
      // Of the next recipient, where no empty line stands before it.
      const isNext =
        fields.has("action") && fields.has("final-recipient") && /^(?:final|original)-recipient$/.test(name);
      if (isNext && groups.length < RECIPIENTS_MAX) {
        fields = new Map();
        groups.push(fields);
      }
      if (colon > 0 && !fields.has(name)) fields.set(name, line.slice(colon + 1, colon + FIELD_CHARS).trim());
    }
  }
  return groups;
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
      const diagnostic = afterType(fields.get("diagnostic-code"));
      const reason = saysWhy(diagnostic) ? diagnostic : otherWords(fields);
      // Sendmail explains it in brackets: "expanded (to multi-recipient alias)".
      const action = /^[a-z]*/.exec((fields.get("action") ?? "").toLowerCase())?.[0] ?? "";
      const status = readCodes(fields.get("status") ?? "").enhanced_code;
      const codes = action === "delivered" ? readCodes(reason) : failureCodes(reason);
      const addresses = [fields.get("original-recipient"), fields.get("final-recipient")].map((field) => {
        return afterType(field).replace(/^<|>$/g, "").toLowerCase();
      });
      return {
        addresses: addresses.filter(Boolean),
        action,
        smtp_code: codes.smtp_code,
        enhanced_code: moreExact(codes.enhanced_code, status),
        reason,
        permanent: permanentBy(fields.get("x-powermta-bouncecategory")?.toLowerCase() ?? ""),
      };
    });
}

/** PowerMTA says what a refusal is about, by rules of its operator. */
function permanentBy(category: string): boolean | undefined {
  if (/^(?:bad-mailbox|bad-domain|inactive-mailbox)$/.test(category)) return true;
  return NOT_PERMANENT.includes(category) ? false : undefined;
}

/** Not only the number of an exit code. */
function saysWhy(diagnostic: string): boolean {
  return /\p{L}/u.test(diagnostic);
}

/** `5.0.0` says less than another code. The server that refused says more than the one that reports it. */
function moreExact(words: string | null, status: string | null): string | null {
  const isVague = (code: string | null) => code === null || /^[245]\.0\.0$/.test(code);
  return isVague(words) && !isVague(status) ? status : (words ?? status);
}

/** A server that delivers an alias names another address, so its failure counts too. */
function aboutOf(recipients: Notified[], recipient: string): Notified | undefined {
  const named = recipients.find(({ addresses }) => addresses.includes(recipient));
  return named ?? recipients.find(({ action }) => action === "failed") ?? recipients[0];
}

/** With the words of the text, if the fields have none. */
function withWords(one: Notified, lines: string[]): Notified {
  if (one.reason !== "") return one;
  const given = one.addresses.find((address) => lines.some((line) => line.toLowerCase().includes(address))) ?? "";
  const { words, isNamed } = serverWords(lines, given);
  const codes = failureCodes(words);
  const hasCode = codes.smtp_code !== null || codes.enhanced_code !== null;
  if (!isNamed || (!hasCode && given === "")) {
    return { ...one, reason: [one.action, one.enhanced_code].filter(Boolean).join(" ") };
  }
  const enhanced_code = moreExact(codes.enhanced_code, one.enhanced_code);
  return { ...one, smtp_code: codes.smtp_code, enhanced_code, reason: words };
}

/** `envelopeFrom`: null if a provider took the mail, which does not tell it. */
type Envelope = { recipient: string; envelopeFrom: string | null };
type Copied = { words: string; hasCopy: boolean };

/**
 * Mail to a return path without a machine part is a bounce if a mail system wrote it; or if it has the null sender (RFC 5321 §6.1) and someone
 * else than the recipient wrote it, with the reply of a server or the returned mail. Other mail is of a person or of a person's program.
 */
function isBounce(raw: Buffer, { recipient, envelopeFrom }: Envelope, { words, hasCopy }: Copied): boolean {
  const { lines } = readHeaders(raw);
  const first = (name: string) => lines.find(([key]) => key.toLowerCase() === name)?.[1] ?? "";
  const from = first("from");
  if (MAIL_SYSTEM.test(from)) return true;
  const namesRecipient = recipient === "" || words.toLowerCase().includes(recipient);
  if (/^auto-replied/i.test(first("auto-submitted")) || lines.some(([name]) => ANSWERING_PROGRAM.test(name))) {
    // Gateways mark their bounces as answers too: both codes of a server and the recipient say more than the mark.
    const { smtp_code, enhanced_code } = failureCodes(words);
    const isRefusal = smtp_code !== null && enhanced_code?.startsWith("5.") === true;
    return isRefusal && recipient !== "" && namesRecipient && !from.toLowerCase().includes(recipient);
  }
  if (first("x-failed-recipients") !== "" || /multipart\/report/i.test(first("content-type"))) return true;
  if (envelopeFrom !== null && envelopeFrom !== "") return false;
  if (recipient !== "" && from.toLowerCase().includes(recipient)) return false;
  const reply = REPLY_LINE.exec(words);
  const isReply = reply !== null && (reply[1] !== undefined || SMTP_TERM.test(words));
  return hasCopy || (isReply && namesRecipient) || hasQuotedHeader(words, recipient);
}

/** The header of the returned mail among the words. */
function hasQuotedHeader(words: string, recipient: string): boolean {
  const blocks = `${words}\n`.match(QUOTED_HEADER) ?? [];
  return blocks.some(
    (block) => /^[ \t|>]*(?:from|to)[ \t]*:/im.test(block) && block.toLowerCase().includes(recipient || "@"),
  );
}

function bounceText(raw: Buffer, lines: string[], recipient: string): Report {
  const { words } = serverWords(lines, recipient);
  const text = lines.join("\n");
  const [near, all] = [failureCodes(words), failureCodes(text)];
  const hasNear = near.smtp_code !== null || near.enhanced_code !== null;
  const codes = hasNear ? near : all;
  const isTemporary =
    codes.enhanced_code !== null
      ? codes.enhanced_code.startsWith("4.")
      : codes.smtp_code === null || codes.smtp_code < 500;
  const header = readHeaders(raw);
  const subject = decodeWords(firstValue(header, "subject") ?? "", header.charset);
  const hasCode = codes.enhanced_code !== null || codes.smtp_code !== null;
  if (!hasCode && HELD.test(`${subject}\n${text}`) && !GIVEN_UP.test(text)) return { kind: "mail" };
  const saysLater = WARNING.test(subject) || NOT_YET.test(text);
  // Without a code and a warning, such a sentence may stand in any notice.
  const isTrying = STILL_TRYING.test(text) && (hasCode || saysLater);
  const isWarning = isTrying || codes.enhanced_code?.startsWith("4.") || saysLater;
  const isLater = isTemporary && isWarning && (isTrying || !GIVEN_UP.test(text));
  return { kind: "text", words, ...codes, isLater };
}
