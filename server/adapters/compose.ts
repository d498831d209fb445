// An OutboundMail as the bytes of an RFC 5322 message, and the check that keeps foreign text out of its headers.
import { hash } from "node:crypto";
import MailComposer, { type MailComposerOptions } from "nodemailer/lib/mail-composer";
import { isMessageId, readAddress } from "../base/addresses.ts";
import type { OutboundMail } from "../ports/outbound.ts";

const LINE_BREAKS = /[\r\n\0]/;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
/** What a part may not hold when it goes out without an encoding (RFC 5322 §2.1.1, RFC 2045 §2.7): its bytes would change. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const NOT_SEVEN_BIT = /[^\x01-\x7f]|[^\r\n]{999}|\r(?!\n)|(?<!\r)\n/;
const BOUNDARY_CHARS = 24;
const OPAQUE_TYPE = "application/octet-stream";

/** Body text with the one line ending that mail has; a CR or LF on its own is what smuggling is made of. */
function withCrlf(text: string | null): string | undefined {
  return text?.replace(/\r\n?|\n/g, "\r\n");
}

/** Everybody the message goes to, each once, in the order of to, cc, bcc. */
export function envelopeRecipients(mail: OutboundMail): string[] {
  return [...new Set([...mail.to, ...mail.cc, ...mail.bcc])];
}

/** Why this mail must not be composed: text that could end a header line or name other recipients; undefined when it is fine. */
export function headerFault(mail: OutboundMail): string | undefined {
  const addresses = [mail.from.address, ...envelopeRecipients(mail), ...mail.replyTo];
  const bad = addresses.find((address) => !readAddress(address));
  if (bad !== undefined) return `${JSON.stringify(bad)} is not a mail address`;
  if (!isMessageId(mail.messageId)) return "the Message-ID holds characters that a header may not";
  const lines: [string, string][] = [
    ["the display name", mail.from.name],
    ["the subject", mail.subject],
    ...mail.attachments.flatMap(({ filename, contentType }): [string, string][] => [
      ["the file name of an attachment", filename],
      ["the content type of an attachment", contentType],
    ]),
  ];
  const broken = lines.find(([, text]) => LINE_BREAKS.test(text));
  return broken && `${broken[0]} holds a line break or NUL`;
}

/**
 * In-Reply-To and References as header values. Ids come from mail that others wrote: those that are no ids are left out,
 * because an answer without them is still an answer.
 */
export function threadHeaders(mail: OutboundMail): { inReplyTo?: string; references?: string } {
  const ids = mail.references.filter(isMessageId);
  return {
    ...(mail.inReplyTo && isMessageId(mail.inReplyTo) && { inReplyTo: `<${mail.inReplyTo}>` }),
    ...(ids.length > 0 && { references: ids.map((id) => `<${id}>`).join(" ") }),
  };
}

/** What says that no person wrote a mail. */
export function automaticHeaders(mail: OutboundMail): Record<string, string> {
  return mail.automatic ? { "Auto-Submitted": "auto-generated" } : {};
}

/**
 * The type an attachment goes out with. A multipart type would make the composer expect children, a message may not be
 * encoded (RFC 2046 §5.2.1): where the label cannot be kept without changing the bytes, the bytes win.
 */
function attachmentType(attachment: OutboundMail["attachments"][number]): string {
  const essence = (attachment.contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (!MEDIA_TYPE.test(essence) || essence.startsWith("multipart/")) return OPAQUE_TYPE;
  const fits = !essence.startsWith("message/") || !NOT_SEVEN_BIT.test(attachment.content.toString("latin1"));
  return fits ? attachment.contentType : OPAQUE_TYPE;
}

/**
 * The message for nodemailer's composer: lines end in CRLF, Bcc is nowhere in it, every header that identifies it comes from
 * `mail`, and the same mail gives the same bytes, so that whoever has it already can tell. Call `headerFault` first.
 */
export function composition(mail: OutboundMail): MailComposerOptions {
  const plain = (address: string) => ({ name: "", address });
  return {
    from: mail.from,
    to: mail.to.map(plain),
    cc: mail.cc.map(plain),
    replyTo: mail.replyTo.map(plain),
    subject: mail.subject,
    messageId: `<${mail.messageId}>`,
    ...threadHeaders(mail),
    headers: automaticHeaders(mail),
    date: mail.date,
    text: withCrlf(mail.text),
    html: withCrlf(mail.html),
    attachments: mail.attachments.map((attachment) => ({
      filename: attachment.filename,
      content: attachment.content,
      contentType: attachmentType(attachment),
      contentDisposition: "attachment",
    })),
    // Nobody who writes a body knows the id it will get, so none can hold the boundary.
    baseBoundary: hash("sha256", mail.id).slice(0, BOUNDARY_CHARS),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The whole message as bytes. */
export function composeMail(mail: OutboundMail): Promise<Buffer> {
  return new MailComposer(composition(mail)).compile().build();
}
