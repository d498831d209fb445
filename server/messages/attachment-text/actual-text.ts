// Lets pdf.js tell the words that a program wrote of what it drew: `/Span << /ActualText (words) >> BDC … EMC` (ISO 32000 §14.9.4).
// pdf.js reads past these words. It says the tag of marked content, so a tag that names them takes the place of theirs.

/** Places of one answer that are looked at. */
const PLACES_MAX = 100_000;
/** Of one text, and of what else its dictionary has. */
const TEXT_MAX_BYTES = 4_096;
const AROUND_MAX_BYTES = 256;
const MARK = "/ActualText";
const TAG = "AT:";
const STRING = /^\s*(?:<([0-9a-f\s]*)>|\(((?:[^()\\]|\\[\s\S])*)\))/i;

/** Of the thread, which reads one file at a time. */
const found: { texts: string[]; left: number } = { texts: [], left: PLACES_MAX };

/** Begins the list of an answer. */
export function beginActualTexts(): void {
  Object.assign(found, { texts: [], left: PLACES_MAX });
}

/** @param tag of marked content. Undefined if no words stand for it */
export function actualTextOf(tag: string): string | undefined {
  return tag.startsWith(TAG) ? found.texts[Number(tag.slice(TAG.length))] : undefined;
}

/** @returns `bytes`, which are changed in their place: the length stays */
export function markActualText(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const latin1 = (from: number, to: number) => file.toString("latin1", Math.max(0, from), to);
  for (let at = file.indexOf(MARK); at >= 0; at = file.indexOf(MARK, at + MARK.length)) {
    found.left -= 1;
    if (found.left < 0) throw new Error("the file has too many marked texts");
    const before = /\/[^\s/<>()[\]{}%]+\s*<<[^<>]*$/.exec(latin1(at - AROUND_MAX_BYTES, at))?.[0];
    if (before === undefined) continue;
    const start = at + MARK.length;
    const string = STRING.exec(latin1(start, start + TEXT_MAX_BYTES));
    if (!string) continue;
    const end = start + string[0].length;
    const after = /^[^<>]*>>\s*BDC(?![^\s])/.exec(latin1(end, end + AROUND_MAX_BYTES))?.[0];
    if (after === undefined) continue;
    const [, hex, literal = ""] = string;
    const text = decoded(hex === undefined ? unescaped(literal) : Buffer.from(hex.replace(/\s/g, ""), "hex"));
    // Words that are not drawn, such as a hyphen that may be left out, are no better than what is drawn.
    if (!/[^\s\p{C}]/u.test(text)) continue;
    const length = before.length + MARK.length + string[0].length + after.length;
    file.write(`/${TAG}${found.texts.length}<<>>BDC`.padEnd(length), at - before.length, "latin1");
    found.texts.push(text);
  }
  return bytes;
}

const ESCAPED: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function unescaped(literal: string): Buffer {
  const text = literal.replace(/\\(?:([0-7]{1,3})|\r\n|([\s\S]))/g, (_, octal?: string, letter?: string) => {
    if (octal) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    return letter === undefined || letter === "\n" || letter === "\r" ? "" : (ESCAPED[letter] ?? letter);
  });
  return Buffer.from(text, "latin1");
}

/** Text strings are in UTF-16 or UTF-8 with a mark, or in an encoding much like windows-1252. */
function decoded(octets: Buffer): string {
  const mark = octets.toString("latin1", 0, 3);
  if (mark.startsWith("\xfe\xff")) return new TextDecoder("utf-16be").decode(octets);
  if (mark.startsWith("\xff\xfe")) return new TextDecoder("utf-16le").decode(octets);
  return new TextDecoder(mark === "\xef\xbb\xbf" ? "utf-8" : "windows-1252").decode(octets);
}
