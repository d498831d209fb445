// Decodes text by the charset that its sender declared, and by what the octets are where that cannot be right.
import iconv from "iconv-lite";

/** Names that neither the platform nor `iconv-lite` knows, as senders write them. */
const ALIASES: Record<string, string> = {
  cp932: "shift_jis",
  ms936: "gbk",
  cp936: "gbk",
  ms949: "euc-kr",
  cp949: "euc-kr",
  uhc: "euc-kr",
  ms950: "big5",
  cp950: "big5",
  cp65001: "utf-8",
  "unicode-1-1-utf-7": "utf-7",
  "iso-2022-jp-ms": "iso-2022-jp",
  "iso-2022-jp-1": "iso-2022-jp",
  "iso-2022-jp-2": "iso-2022-jp",
  cp50220: "iso-2022-jp",
  cp50221: "iso-2022-jp",
  hz: "hz-gb-2312",
  "x-mac-ce": "maccenteuro",
  "x-mac-centraleurroman": "maccenteuro",
};
/** Encodings of `iconv-lite` that are no charset. */
const NO_CHARSETS = new Set(["hex", "base64", "binary", "ucs2", "internal"]);
/** What such a label says is true of any octets below 128 only: above them it says nothing. */
const ASCII = new Set(["us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us", "646", "7bit", "8bit", "unknown-8bit"]);
/** What begins Japanese in ISO-2022-JP. */
const JAPANESE = ["\u001b$B", "\u001b$@"];
const DOUBLE_BYTE = /^(?:gb|hz|big5|shift|euc|iso-2022)/;
const FALLBACK = "windows-1252";
const LABEL_CHARS = 64;
/** How much of a text is looked at for zeros. */
const ZEROS_BYTES = 1_024;
/** Of the octets at even or odd places: text in Latin letters has nearly all, text in other scripts its spaces and digits. */
const ZEROS_SHARE = 0.2;

/** `guessed`: the octets were not read as declared, or nothing was declared and they are no UTF-8. */
export type Decoded = { text: string; guessed: boolean };

type Decode = (bytes: Uint8Array) => string;

/** @returns undefined if the octets are not of this charset */
function strictly(decode: Decode, bytes: Uint8Array): string | undefined {
  const text = decode(bytes);
  return text.includes("\ufffd") ? undefined : text;
}

const byPlatform = (charset: string): Decode | undefined => {
  try {
    const decoder = new TextDecoder(charset);
    return (bytes) => decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

const utf8: Decode = (bytes) => new TextDecoder("utf-8").decode(bytes);
const fallback: Decode = (bytes) => new TextDecoder(FALLBACK).decode(bytes);

const TILDE = 0x7e;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const LF = 0x0a;
const ESCAPE = 0x1b;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const HIGH = 0x80;

/** RFC 1843: pairs of seven bits between `~{` and `~}`. */
function hz(bytes: Uint8Array): string {
  const gb = new Uint8Array(bytes.length);
  let length = 0;
  let isGb = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const octet = bytes[at] ?? 0;
    const next = bytes[at + 1];
    if (octet === TILDE && next === (isGb ? BRACE_CLOSE : BRACE_OPEN)) {
      isGb = !isGb;
      at += 1;
    } else if (octet === TILDE && !isGb && (next === TILDE || next === LF)) {
      if (next === TILDE) gb[length++] = TILDE;
      at += 1;
    } else {
      if (octet === LF) isGb = false;
      gb[length++] = isGb ? octet | HIGH : octet;
    }
  }
  return new TextDecoder("gbk").decode(gb.subarray(0, length));
}

/** RFC 1557 and RFC 1922: pairs of seven bits between SO and SI, after an escape that names their set. */
const shifted =
  (charset: string): Decode =>
  (bytes) => {
    const pairs = new Uint8Array(bytes.length);
    let length = 0;
    let isShifted = false;
    for (let at = 0; at < bytes.length; at += 1) {
      const octet = bytes[at] ?? 0;
      if (octet === ESCAPE && bytes[at + 1] === 0x24) at += 3;
      else if (octet === SHIFT_OUT) isShifted = true;
      else if (octet === SHIFT_IN) isShifted = false;
      else {
        if (octet === LF) isShifted = false;
        pairs[length++] = isShifted && octet > 0x20 ? octet | HIGH : octet;
      }
    }
    return new TextDecoder(charset).decode(pairs.subarray(0, length));
  };

const OWN: Record<string, Decode> = {
  "hz-gb-2312": hz,
  "iso-2022-kr": shifted("euc-kr"),
  "iso-2022-cn": shifted("gbk"),
};

function nameOf(label: string): string {
  const name = label
    .slice(0, LABEL_CHARS)
    .replace(/["'\s]/g, "")
    .toLowerCase();
  return ALIASES[name] ?? (/^(?:x-)?utf_?-?8/.test(name) ? "utf-8" : name);
}

function decoderOf(name: string): Decode | undefined {
  const own = OWN[name];
  if (own) return own;
  // The platform reads `utf-16` as little-endian whatever the octets say.
  const platform = /^utf-?(?:16|32)$/.test(name) ? undefined : byPlatform(name);
  if (platform) return platform;
  const known = name.replace(/^x-/, "");
  if (NO_CHARSETS.has(known) || !iconv.encodingExists(known)) return undefined;
  return (bytes) => iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), known);
}

/** By a byte order mark, or by where the zeros are: no other charset has them. */
function utf16Or32(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? "utf-32le" : "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return "utf-32be";
  const zeros = [0, 0];
  const end = Math.min(bytes.length, ZEROS_BYTES);
  for (let at = 0; at < end; at += 1) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const enough = (end / 2) * ZEROS_SHARE;
  if (odd > enough && even === 0) return "utf-16le";
  return even > enough && odd === 0 ? "utf-16be" : undefined;
}

/**
 * Whether valid UTF-8 is UTF-8 although something else was declared: one sequence of two octets is also two letters of another
 * charset, and in a charset of pairs many are.
 */
function isSurelyUtf8(text: string, declared: string): boolean {
  let two = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x800) return true;
    if (code >= 0x80) two += 1;
  }
  return two > 1 && !DOUBLE_BYTE.test(declared);
}

function without(bytes: Uint8Array): Decoded {
  const wide = utf16Or32(bytes);
  const decodeWide = wide === undefined ? undefined : decoderOf(wide);
  if (decodeWide) return { text: decodeWide(bytes).replace(/^\ufeff/, ""), guessed: false };
  const text = utf8(bytes);
  // Octets that are all below 128, with the escapes of Japanese mail.
  if (JAPANESE.some((each) => text.includes(each)))
    return { text: new TextDecoder("iso-2022-jp").decode(bytes), guessed: false };
  return mostlyUtf8(text) ? { text, guessed: text.includes("\ufffd") } : { text: fallback(bytes), guessed: true };
}

/** A text that is cut in a character stays UTF-8; one with no other character above 127 does not. */
function mostlyUtf8(text: string): boolean {
  let bad = 0;
  let good = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) bad += 1;
    else if (code >= 0x80) good += 1;
  }
  return bad === 0 || bad < good;
}

/** @param label the declared charset; null if none was */
export function decodeCharset(bytes: Uint8Array, label: string | null): Decoded {
  const name = label === null ? "" : nameOf(label);
  const decode = name === "" || name === "utf-8" || ASCII.has(name) ? undefined : decoderOf(name);
  if (!decode) {
    const read = without(bytes);
    return { ...read, guessed: read.guessed || (name !== "" && name !== "utf-8" && !ASCII.has(name)) };
  }
  const asUtf8 = strictly(utf8, bytes);
  if (asUtf8 !== undefined && isSurelyUtf8(asUtf8, name)) return { text: asUtf8, guessed: true };
  const text = decode(bytes);
  return { text, guessed: text.includes("\ufffd") };
}
