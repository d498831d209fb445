// Composes an OutboundMail to an RFC 5322 message, and rejects text that could inject headers.
import { isAscii, isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import MailComposer, { type MailComposerOptions } from "nodemailer/lib/mail-composer";
import { encodeWord } from "nodemailer/lib/mime-funcs";
import type MimeNode from "nodemailer/lib/mime-node";
import { isMessageId, needsSmtpUtf8, readAddress } from "../base/addresses.ts";
import { headerNameFault } from "../base/mail-headers.ts";
import { essenceOf, MEDIA_TYPE, OPAQUE_TYPE } from "../base/media-type.ts";
import type { OutboundMail } from "../base/ports/outbound.ts";

const LINE_BREAKS = /[\r\n\0]/;
const METHOD = /;[ \t]*method=/i;
const BOUNDARY_CHARS = 24;
const LINE_OCTETS = 998;
const LF = 0x0a;
const CR = 0x0d;
/** Headers of ids, which some readers do not unfold. */
const ID_HEADERS = /^(?:Message-ID|In-Reply-To|References):/i;
const ADDRESS_HEADERS = /^(?:From|To|Cc|Reply-To)$/;
/**
 * Text that every reader takes as it is, on lines of at most 998 octets (RFC 5322 §2.1.1): short words with short gaps,
 * because a header is folded in gaps only, and no line may consist of white space.
 */
const PLAIN_WORDS = /^(?:[^\s]{1,900}(?: {1,60}[^\s]{1,900})*)?$/u;
/** An encoded word with its charset is at most 75 characters long (RFC 2047 §2). */
const ENCODED_WORD_CHARS = 52;

type Named = OutboundMail["from"];

/** Normalizes line endings to CRLF. A bare CR or LF would allow SMTP smuggling. */
function withCrlf(text: string | null): string | undefined {
  return text?.replace(/\r\n?|\n/g, "\r\n");
}

/** All recipients without duplicates, in the order to, cc, bcc. */
export function envelopeRecipients(mail: OutboundMail): string[] {
  return [...new Set([...mail.to, ...mail.cc, ...mail.bcc])];
}

/** Why this mail must not be composed: text that could end a header line or add recipients; undefined if it is safe. */
export function headerFault(mail: OutboundMail): string | undefined {
  const addresses = [mail.from.address, ...envelopeRecipients(mail), ...mail.replyTo];
  const bad = addresses.find((address) => !readAddress(address));
  if (bad !== undefined) return `${JSON.stringify(bad)} is not a mail address`;
  if (!isMessageId(mail.messageId)) return "the Message-ID has characters that a header must not contain";
  const lines: [string, string][] = [
    ["the display name", mail.from.name],
    ...(mail.names ?? []).map(([, name]): [string, string] => ["the name of a recipient", name]),
    ["the subject", mail.subject],
    ...mail.attachments.flatMap(({ filename, contentType, contentId }): [string, string][] => [
      ["the file name of an attachment", filename],
      ["the content type of an attachment", contentType],
      ["the content id of an attachment", contentId ?? ""],
    ]),
  ];
  const { headers = [] } = mail;
  const odd = headers.find(([name]) => headerNameFault(name) !== undefined);
  if (odd) return `the header ${JSON.stringify(odd[0])} must not be set`;
  lines.push(...headers.map(([name, value]): [string, string] => [`the header ${name}`, value]));
  const broken = lines.find(([, text]) => LINE_BREAKS.test(text));
  return broken && `${broken[0]} contains a line break or NUL`;
}

/**
 * In-Reply-To and References as header values. Ids come from received mail, so invalid ones are left out: a reply
 * without them is still useful.
 */
export function threadHeaders(mail: OutboundMail): { inReplyTo?: string; references?: string } {
  const ids = mail.references.filter(isMessageId);
  return {
    ...(mail.inReplyTo && isMessageId(mail.inReplyTo) && { inReplyTo: `<${mail.inReplyTo}>` }),
    ...(ids.length > 0 && { references: ids.map((id) => `<${id}>`).join(" ") }),
  };
}

/** Also without the mark of an encoded word. */
const isPlain = (text: string) => PLAIN_WORDS.test(text) && !text.includes("=?");

/** Text in encoded words, if readers would change it otherwise, or decode it as an encoded word that it only looks like. */
function withEncodedWords(text: string): string {
  if (isPlain(text)) return text;
  return encodeWord(text, "Q", ENCODED_WORD_CHARS);
}

/** A name that nodemailer would write in ASCII without quotes or in a quoted string, where readers change it: they keep one of
 * several spaces, and decode encoded words in both. */
function isOddName(name: string): boolean {
  return name.includes("=?") || /^ | $| {2}/.test(name);
}

/**
 * A header without a fold directly after its name, and ids on one line: some readers take a value that begins with a fold for
 * empty. Lines stay within 998 octets (RFC 5322 §2.1.1).
 */
function withFewFolds(header: string): string {
  const isIds = ID_HEADERS.test(header);
  // A piece keeps the white space it begins with.
  const [first = "", ...rest] = header.split(/\r\n(?=[ \t])/);
  const lines = [first];
  for (const piece of rest) {
    const joined = lines.at(-1) + piece;
    const joins = isIds || (lines.length === 1 && lines[0]?.endsWith(":"));
    if (joins && Buffer.byteLength(joined) <= LINE_OCTETS) lines[lines.length - 1] = joined;
    else lines.push(piece);
  }
  return lines.join("\r\n");
}

/** Makes a message write its headers so that every reader reads them as they are; nodemailer has no options for it. */
export function adjustHeaders<Message extends MimeNode>(message: Message): Message {
  const encode = message.encodeHeaderValue.bind(message);
  message.encodeHeaderValue = (key, given) => {
    if (!ADDRESS_HEADERS.test(key)) return encode(key, given);
    const encoded = ([given].flat() as (string | Named)[]).map((each) => {
      // An encoded word ends before white space (RFC 2047 §5).
      if (typeof each === "string") return encode(key, each).replace("?=:", "?= :");
      if (!isOddName(each.name)) return encode(key, each);
      const address = encode(key, { name: "", address: each.address });
      const inBrackets = address.startsWith("<") ? address : `<${address}>`;
      return `${encodeWord(each.name, "Q", ENCODED_WORD_CHARS)} ${inBrackets}`;
    });
    return encoded.join(", ");
  };
  const build = message.buildHeaders.bind(message);
  message.buildHeaders = () =>
    build()
      .split(/\r\n(?![ \t])/)
      .map(withFewFolds)
      .join("\r\n");
  return message;
}

/** Headers that mark automatic mail, and those of one-click unsubscription (RFC 8058). */
export function extraHeaders(mail: OutboundMail): Record<string, string> {
  return {
    ...(mail.automatic && { "Auto-Submitted": "auto-generated" }),
    ...(mail.unsubscribeUrl && {
      "List-Unsubscribe": `<${mail.unsubscribeUrl}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }),
  };
}

/**
 * The value of a header that the author added, in ASCII. Only what is not ASCII is encoded, so that programs find the
 * address of a list beside its name.
 */
function headerText(value: string): string {
  if (!isPlain(value)) return encodeWord(value, "Q", ENCODED_WORD_CHARS);
  const words = value.split(" ");
  const isForeign = (word: string) => /\P{ASCII}/u.test(word);
  const first = words.findIndex(isForeign);
  if (first < 0) return value;
  const last = words.findLastIndex(isForeign);
  const foreign = encodeWord(words.slice(first, last + 1).join(" "), "Q", ENCODED_WORD_CHARS);
  return [...words.slice(0, first), foreign, ...words.slice(last + 1)].join(" ");
}

/** The headers that the author added, in ASCII. */
export function ownHeaders({ headers = [] }: OutboundMail): Record<string, string> {
  return Object.fromEntries(headers.map(([name, value]) => [name, headerText(value)]));
}

/** Nodemailer would encode quotation marks, which programs read. */
function foldedHeaders(mail: OutboundMail) {
  const lines = Object.entries(ownHeaders(mail));
  return Object.fromEntries(lines.map(([name, value]) => [name, { prepared: true, foldLines: true, value }]));
}

/** The headers by which relays name the message in their events. They are not encoded: relays do not decode them. */
function marksOf({ marks = {} }: OutboundMail) {
  return Object.fromEntries(Object.entries(marks).map(([name, value]) => [name, { prepared: true, value }]));
}

/**
 * Whether relays leave content as it is without an encoding (RFC 5322 §2.1.1, RFC 2045 §2.7). Looks once at each octet: content may
 * have megabytes.
 */
function isSevenBit(content: Buffer): boolean {
  if (!isAscii(content) || content.includes(0)) return false;
  let start = 0;
  for (let at = 0; at < content.length; at += 1) {
    if (content[at] === LF) return false;
    if (content[at] !== CR) continue;
    if (content[at + 1] !== LF || at - start > LINE_OCTETS) return false;
    at += 1;
    start = at + 1;
  }
  return content.length - start <= LINE_OCTETS;
}

/**
 * The content type of an attachment. The composer would expect children of a multipart type, and a message must not be
 * encoded (RFC 2046 §5.2.1). If keeping the type would change the bytes, the type is replaced.
 */
function attachmentType(attachment: OutboundMail["attachments"][number]): string {
  const essence = essenceOf(attachment.contentType);
  if (!MEDIA_TYPE.test(attachment.contentType) || essence.startsWith("multipart/")) return OPAQUE_TYPE;
  if (essence.startsWith("message/")) return isSevenBit(attachment.content) ? attachment.contentType : OPAQUE_TYPE;
  return isUnlabelled(attachment) ? `${attachment.contentType}; charset=utf-8` : attachment.contentType;
}

/** Text in UTF-8 that would be read as ASCII, because its type names no charset (RFC 2046 §4.1.2). */
function isUnlabelled({ contentType, content }: OutboundMail["attachments"][number]): boolean {
  if (!essenceOf(contentType).startsWith("text/") || /;\s*charset\s*=/i.test(contentType)) return false;
  return !isAscii(content) && isUtf8(content);
}

/** An invitation or an answer to one (RFC 6047 §2.4). */
function isScheduling({ contentType }: OutboundMail["attachments"][number]): boolean {
  return MEDIA_TYPE.test(contentType) && essenceOf(contentType) === "text/calendar" && METHOD.test(contentType);
}

/**
 * An address in a header that its recipient's servers may not support: its words, in a group without addresses (RFC 6857
 * §3.1.1).
 */
function shownAddress(address: string, name: string, isInAscii: boolean) {
  return isInAscii && needsSmtpUtf8(address) ? `"Internationalized address ${address} removed":;` : { name, address };
}

/**
 * Builds the message for nodemailer's composer. Lines end in CRLF, Bcc is not in the headers, and all identifying
 * headers come from `mail`. The same mail gives the same bytes, so that recipients can detect a copy. Call
 * `headerFault` first, and `adjustHeaders` with the compiled message.
 * @param isInAscii for recipients whose servers need not support SMTPUTF8
 */
export function composition(mail: OutboundMail, isInAscii = false): MailComposerOptions {
  const names = new Map(mail.names);
  const shown = (address: string) => shownAddress(address, names.get(address) ?? "", isInAscii);
  // Mail programs show an invitation that is an alternative of the body, and only one: others are files.
  const invitation = mail.attachments.find(isScheduling);
  return {
    from: mail.from,
    to: mail.to.map(shown),
    cc: mail.cc.map(shown),
    replyTo: mail.replyTo.map(shown),
    subject: withEncodedWords(mail.subject),
    messageId: `<${mail.messageId}>`,
    ...threadHeaders(mail),
    headers: { ...foldedHeaders(mail), ...marksOf(mail), ...extraHeaders(mail) },
    date: mail.date,
    text: withCrlf(mail.text),
    html: withCrlf(mail.html),
    ...(invitation && {
      alternatives: [
        {
          filename: invitation.filename,
          content: invitation.content,
          contentType: attachmentType(invitation),
          contentTransferEncoding: "base64",
          headers: { "Content-Disposition": "inline" },
        },
      ],
    }),
    attachments: mail.attachments
      .filter((attachment) => attachment !== invitation)
      .map((attachment) => ({
        filename: attachment.filename,
        content: attachment.content,
        contentType: attachmentType(attachment),
        ...(attachment.contentId === undefined
          ? { contentDisposition: "attachment" }
          : { contentDisposition: "inline", cid: attachment.contentId }),
      })),
    // The boundary depends on the message's id, which authors of bodies cannot know, so no body can contain it.
    baseBoundary: hash("sha256", mail.id).slice(0, BOUNDARY_CHARS),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The whole message as bytes. */
export function composeMail(mail: OutboundMail, isInAscii = false): Promise<Buffer> {
  return adjustHeaders(new MailComposer(composition(mail, isInAscii)).compile()).build();
}
