// The text of attached mails and of mbox files: header lines, words, reports, and the mails within them.
import { readHtml } from "../../extraction/html/html.ts";
import { decodeText } from "../../mime/charset.ts";
import { firstValue, readHeaders } from "../../mime/headers.ts";
import { readMail } from "../../mime/read.ts";
import { decodeWords } from "../../mime/words.ts";

/** In which the first line of an mbox file stands. */
const MBOX_START_BYTES = 1_024;
/** Of mails within an attached mail. */
const MAIL_DEPTH_MAX = 5;
/** What a report says of a mail that was returned, and the header of that mail. */
const REPORT = /^(?:message\/[\w-]*(?:status|notification|feedback-report)|text\/rfc822-headers)$/;
/** The line before each mail of an mbox file (RFC 4155), behind an empty line. */
const MBOX_LINE =
  /^From \S{1,320} +(?:[A-Z][a-z]{2} +){1,2}\d{1,2} [\d:]{5,8} [^\r\n]{0,20}\d{4}[^\r\n]{0,20}\r?\n(?=[!-9;-~]{1,256}:)/gm;

export const isMbox = (bytes: Buffer) => bytes.toString("latin1", 0, MBOX_START_BYTES).search(MBOX_LINE) === 0;

/** Its mails, one after the other. */
export function mboxText(bytes: Buffer): string {
  const file = bytes.toString("latin1");
  const starts = [...file.matchAll(MBOX_LINE)].flatMap(({ index, 0: { length } }) => {
    const isFirst = index === 0 || /\n\r?\n$/.test(file.slice(Math.max(0, index - 3), index));
    return isFirst ? [{ index, from: index + length }] : [];
  });
  return starts
    .map(({ from }, n) => file.slice(from, starts[n + 1]?.index).replace(/^>(?=>*From )/gm, ""))
    .map((mail) => mailText(Buffer.from(mail, "latin1")))
    .join("\n\n");
}

/** The usual header lines, the visible text, reports and mails within it, and the names of other attachments. */
export function mailText(raw: Buffer, depth = 0): string {
  const block = readHeaders(raw);
  const { texts, files } = readMail(raw, block);
  const shown = (name: string) => decodeWords(firstValue(block, name) ?? "", block.charset);
  const lines = ["from", "to", "cc", "date", "subject"].flatMap((name) => {
    const value = shown(name);
    return value ? [`${name.charAt(0).toUpperCase()}${name.slice(1)}: ${value}`] : [];
  });
  const ofKind = (wanted: string) => texts.filter(({ kind }) => kind === wanted).map(({ value }) => value);
  const plain = ofKind("plain").join("\n");
  const body = plain.trim() === "" ? readHtml(ofKind("html").join("\n")).text : plain;
  const parts = files.map(({ filename, contentType, octets, charset }) => {
    const name = `[attachment: ${filename ?? contentType}]`;
    if (REPORT.test(contentType))
      return `${name}\n${decodeText(octets, charset, block.charset).text.replace(/\r\n/g, "\n").trim()}`;
    const isMail = contentType === "message/rfc822" && depth < MAIL_DEPTH_MAX;
    return isMail ? `${name}\n${mailText(octets, depth + 1)}` : name;
  });
  return [...lines, "", body, ...parts].join("\n");
}
