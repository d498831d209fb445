// Prepares words of strangers for the body of an email: short, without invisible characters, and so that mail programs
// make no links of them.

/** The placeholder for the link in the stored text of an email. */
export const LINK = "<link>";
const LINE_MAX_CHARS = 60;
/** Full stops that domains can have (RFC 3490 §3.1). */
const DOT = "[.\\u3002\\uff0e\\uff61]";
/** Between a name and at least two letters, as in a domain, and within an IP address. */
const LINKING_DOT = new RegExp(`(?<=\\S)${DOT}(?=[\\p{L}\\p{M}]{2})|(?<=\\d)${DOT}(?=\\d+${DOT}\\d)`, "gu");

function withoutLinks(text: string): string {
  return text
    .replaceAll(LINK, "(link)")
    .replaceAll("://", "[:]//")
    .replaceAll(/(?<=\S)@(?=\S)/g, "[at]")
    .replaceAll(LINKING_DOT, "[.]");
}

/** A name, an address or a subject: one line. */
export function foreignLine(text: string, maxChars = LINE_MAX_CHARS): string {
  const line = text
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[\p{Cc}\p{Z}]+/gu, " ")
    .trim();
  return withoutLinks(shortened(line, maxChars));
}

/** A text with its lines. */
export function foreignText(text: string, maxChars: number): string {
  const lines = text.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n").replaceAll(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, "");
  return withoutLinks(shortened(lines, maxChars));
}

function shortened(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text.toWellFormed();
}
