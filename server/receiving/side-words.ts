// Collects what a mail says outside of its body, in limited parts: the words of its header and of its files that are text. An agent is shown
// them too, so that they are searched for instructions.
import { decodeText } from "../mime/charset.ts";
import type { HeaderBlock } from "../mime/headers.ts";
import type { MailFile } from "../mime/read.ts";
import { decodeWords } from "../mime/words.ts";

/** Of all fields that are searched, with sentences or without: no order stands behind others that are too many. */
const HEADER_CHARS = 64 * 1024;
/** Of one file, and of all. */
const FILE_BYTES = 32 * 1024;
const FILES_BYTES = 64 * 1024;
const TEXT_TYPE = /^(?:text\/|message\/(?:rfc822|global)$|application\/(?:ics|json|xml|x-?yaml)$)/;
const TEXT_NAME = /\.(?:ics|ifb|vcf|txt|md|csv|tsv|html?|json|xml|ya?ml|eml|log)$/i;
const CALENDAR = /^BEGIN:V(?:CALENDAR|CARD)/i;
/** Programs write them: some of their words stand in a row by chance. Others may write there, too. */
const OF_PROGRAMS =
  /^(?:received|date|message-id|references|in-reply-to|return-path|mime-version|content-type|(?:x-google-)?dkim-signature|arc-.*|authentication-results|x-ms-exchange-.*|x-microsoft-antispam.*)$/;
/** An order has more words than a name. Linear, because it is tried at the beginnings of words alone. */
const SENTENCE =
  /(?<![\p{L}\p{M}])(?:[\p{L}\p{M}]{2,}[\s,.:;!'"“”-]+){3}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{6}/u;
/**
 * Five words with blanks between them: names of hosts, signatures and addresses have none. It is tried at the end of a word, and letters that
 * are not ASCII are not distinguished, because these fields are long and every mail has them.
 */
const PROSE =
  /[^\0-@[-`{-\x7f]{2}[,.:;!'"-]{0,2}\s+(?:[^\0-@[-`{-\x7f]{2,}[,.:;!'"-]{0,2}\s+){3}[^\0-@[-`{-\x7f]{2}|[^\0-\x7f]{6}/;

/**
 * The fields of a header that have sentences, also in the names of recipients. Each is searched alone: relays, lists and filters add theirs, and
 * what they say is no order together.
 */
export function headerWords({ lines, charset }: Pick<HeaderBlock, "lines" | "charset">): string[] {
  const found: string[] = [];
  let left = HEADER_CHARS;
  // It is searched with the body.
  const subject = lines.findIndex(([name]) => name.toLowerCase() === "subject");
  for (const [nth, [written, value]] of lines.entries()) {
    const name = written.toLowerCase();
    if (left <= 0 || value.length < 12 || name === "from" || nth === subject) continue;
    const words = decodeWords(value.slice(0, left), charset);
    left -= words.length;
    if ((OF_PROGRAMS.test(name) ? PROSE : SENTENCE).test(words)) found.push(words);
  }
  return found;
}

/** The lines of a calendar or of a card without their folds (RFC 5545 §3.1) and escapes (§3.3.11). */
function unfolded(calendar: string): string {
  const lines = calendar.replace(/\r?\n[ \t]/g, "");
  return lines.replace(/\\([nN,;\\])/g, (_, char: string) => (char.toLowerCase() === "n" ? "\n" : char));
}

/** The beginnings of the files that are text, in their order. */
export function fileWords(files: Pick<MailFile, "contentType" | "filename" | "charset" | "octets">[]): string {
  const found: string[] = [];
  let left = FILES_BYTES;
  for (const { contentType, filename, charset, octets } of files) {
    if (left <= 0) break;
    if (!TEXT_TYPE.test(contentType) && !TEXT_NAME.test(filename ?? "")) continue;
    const part = octets.subarray(0, Math.min(FILE_BYTES, left));
    left -= part.length;
    const { text } = decodeText(part, charset);
    found.push(CALENDAR.test(text.trimStart()) ? unfolded(text) : text);
  }
  return found.join("\n\n");
}
