// Reads the text of an attached mail, or of plain text such as CSV and iCalendar.
import PostalMime from "postal-mime";
import { readHtml } from "../../extraction/html/html.ts";
import { requireFewParts } from "../mime/bounds.ts";

const NESTING_MAX = 20;
const UTF16_LE = [0xff, 0xfe];
const UTF16_BE = [0xfe, 0xff];

/** The usual header lines, the visible text, and the names of the attachments. */
export async function mailText(bytes: Uint8Array): Promise<string> {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  requireFewParts(raw);
  const mail = await new PostalMime({ forceRfc822Attachments: true, maxNestingDepth: NESTING_MAX }).parse(raw);
  const shown = (name: string) => mail.headers.find(({ key }) => key === name)?.value;
  const lines = ["from", "to", "cc", "date", "subject"].flatMap((name) => {
    const value = shown(name);
    return value ? [`${name.charAt(0).toUpperCase()}${name.slice(1)}: ${value}`] : [];
  });
  const body = mail.text ?? (mail.html ? readHtml(mail.html).text : "");
  const files = mail.attachments.map(({ filename, mimeType }) => `[attachment: ${filename ?? mimeType}]`);
  return [...lines, "", body, ...files].join("\n");
}

/** UTF-8, UTF-16 with a byte order mark, otherwise Windows-1252. */
export function plainText(bytes: Uint8Array): string {
  const starts = (mark: number[]) => mark.every((byte, i) => bytes[i] === byte);
  if (starts(UTF16_LE)) return new TextDecoder("utf-16le").decode(bytes);
  if (starts(UTF16_BE)) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Joins the folded lines of iCalendar (RFC 5545 §3.1). */
export function calendarText(bytes: Uint8Array): string {
  return plainText(bytes).replace(/\r?\n[ \t]/g, "");
}
