// Decodes what a text hides in base64, hexadecimal digits and letters moved by thirteen places.
import { READ_CHARS } from "./phrase-search.ts";

const ROT13 = /rot[- ]?13/i;
/** Runs of base64 and of hexadecimal digits, which a line may break. */
const BASE64 = /(?<![\w+/=-])[A-Za-z0-9+/_-]{24,4000}(?:\r?\n[A-Za-z0-9+/_-]{4,200}){0,60}={0,2}(?![\w+/=-])/g;
const HEX = /(?<![\w%\\])(?:(?:0x|\\x|%)?[0-9a-f]{2}[ :,;\n]{0,2}){16,4000}(?!\w)/gi;
const NO_HEX = /0x|[^0-9a-f]/gi;
/** Of characters that such runs are made of, they have so many in a row. */
const ENCODED = {
  base64: { chars: setOf(/[\w+/-]/), length: 24 },
  hex: { chars: setOf(/[0-9a-fx\\% :,;\n]/i), length: 32 },
};
const ENCODED_RUNS = 60;
const DECODED_CHARS = 64 * 1024;

/** The characters of ASCII of which a pattern is true, by their codes. */
function setOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
}

/** Whether so many characters of a set stand in a row. It looks at few of the others: at the last place where a row could end. */
function hasRow(text: string, { chars, length }: { chars: Uint8Array; length: number }): boolean {
  let start = 0;
  for (let at = length - 1; at < text.length; ) {
    if (chars[text.charCodeAt(at)] !== 1) {
      start = at + 1;
      at += length;
    } else if (at === start) return true;
    else at -= 1;
  }
  return false;
}

/** The text that runs of base64 and hexadecimal digits stand for; "" if they stand for something else. */
export function decoded(text: string): string {
  const read = text.slice(0, READ_CHARS);
  let out = "";
  let left = ENCODED_RUNS;
  const take = (bytes: Buffer) => {
    const made = bytes.toString("utf8");
    // Keys and signatures decode to anything.
    if (/^[\p{L}\p{M}\p{N}\p{P}\p{S}\s]*$/u.test(made) && !made.includes("\ufffd") && /\p{L}{2}/u.test(made))
      out += `\n\n${made}`;
  };
  const base64 = hasRow(read, ENCODED.base64) ? read.matchAll(BASE64) : [];
  for (const [run] of base64) {
    if (left-- <= 0 || out.length > DECODED_CHARS) break;
    take(Buffer.from(run.replace(/\s/g, ""), "base64"));
  }
  const hex = hasRow(read, ENCODED.hex) ? read.matchAll(HEX) : [];
  for (const [run] of hex) {
    if (left-- <= 0 || out.length > DECODED_CHARS) break;
    take(Buffer.from(run.replace(NO_HEX, ""), "hex"));
  }
  if (ROT13.test(read)) out += `\n\n${read.replace(/[a-z]/gi, moved)}`;
  return out.slice(0, DECODED_CHARS);
}

/** A letter moved by thirteen places. */
function moved(letter: string): string {
  const first = letter < "a" ? "A" : "a";
  const place = letter.charCodeAt(0) - first.charCodeAt(0);
  return String.fromCharCode(first.charCodeAt(0) + ((place + 13) % 26));
}
