// Decodes octets of mail into text: by the declared charset if it fits, otherwise by the charset that does.
import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";

export type Decoded = { text: string; isGuessed: boolean };

/** Used when nothing else fits: every octet is a character of it. */
export const LAST_CHARSET = "windows-1252";
const LABEL_CHARS = 80;
/** How much of a text is searched for signs of its charset. */
const SIGNS_BYTES = 4_096;

/** Names that neither the platform nor iconv-lite knows. */
const ALIASES = new Map(
  Object.entries({
    cp65001: "utf-8",
    utf8mb4: "utf-8",
    "utf-8-mac": "utf-8",
    "unicode-1-1-utf-8": "utf-8",
    unicode: "utf-16",
    "ucs-2": "utf-16",
    "iso-10646-ucs-2": "utf-16",
    "unicode-1-1-utf-7": "utf-7",
    "x-unicode-2-0-utf-7": "utf-7",
    hz: "hz-gb-2312",
    "x-gbk": "gbk",
    cp936: "gbk",
    ms936: "gbk",
    "windows-936": "gbk",
    gb_2312: "gbk",
    "cn-gb": "gbk",
    "euc-cn": "gbk",
    "cn-big5": "big5",
    cp950: "big5",
    ms950: "big5",
    cp949: "euc-kr",
    ms949: "euc-kr",
    "x-windows-949": "euc-kr",
    uhc: "euc-kr",
    cp932: "shift_jis",
    ms932: "shift_jis",
    "x-ms-cp932": "shift_jis",
    cp50220: "iso-2022-jp",
    cp50221: "iso-2022-jp",
    cp50222: "iso-2022-jp",
    "iso-2022-jp-1": "iso-2022-jp",
    "iso-2022-jp-2": "iso-2022-jp",
    "iso-2022-jp-3": "iso-2022-jp",
    "iso-2022-jp-ms": "iso-2022-jp",
    cp51932: "euc-jp",
    "x-euc-jp": "euc-jp",
    "iso-8859-8-e": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "iso-8859-6-e": "iso-8859-6",
    mac: "macintosh",
    "x-mac-cyrillic": "x-mac-cyrillic",
    "x-mac-ce": "maccenteuro",
    "x-mac-centraleurroman": "maccenteuro",
    "x-mac-greek": "macgreek",
    "x-mac-turkish": "macturkish",
    "x-mac-icelandic": "maciceland",
    "x-mac-croatian": "maccroatian",
    "x-mac-romanian": "macromania",
    ansi: "windows-1252",
  }),
);
/** Labels that say nothing. */
const NO_LABEL =
  /^(?:|default|unknown|unknown-8bit|8bit|7bit|binary|none|null|x-unknown|x-user-defined|undefined|_?autodetect.*|charset)$/;
const ASCII_LABEL = /^(?:us-?ascii|ascii|ansi_x3\.4-19\d\d|iso646-us|iso-ir-6|646)$/;
const WESTERN = new Set(["windows-1252", "iso-8859-15", "macintosh"]);
/** In them, octets below 0x80 may be something else than ASCII. */
const SHIFTED = /^(?:utf-16|utf-32|utf-7|iso-2022|hz)/;

/** The declared name of a charset, as this file uses it. "" if it says nothing. */
function readLabel(declared: string): string {
  const label = declared
    .slice(0, LABEL_CHARS)
    .trim()
    .replace(/^['"]+|['"]+$/g, "")
    .toLowerCase();
  if (NO_LABEL.test(label)) return "";
  if (ASCII_LABEL.test(label)) return "us-ascii";
  const name = ALIASES.get(label) ?? label.replace(/^(?:cp|win|windows)[-_]?(125\d)$/, "windows-$1");
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return name;
  }
}

/** ISO-2022-KR and ISO-2022-CN: between SO and SI stand two octets for a character, without their highest bits. */
function unshift(octets: Buffer, isHz: boolean): Buffer {
  const found = Buffer.allocUnsafe(octets.length);
  let [to, isShifted] = [0, false];
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    const next = octets[at + 1];
    if (isHz && octet === 0x7e && !isShifted && (next === 0x7e || next === 0x0a || next === 0x7b)) {
      if (next === 0x7e) found[to++] = octet;
      isShifted = next === 0x7b;
      at += 1;
    } else if (isHz && octet === 0x7e && isShifted && next === 0x7d) {
      isShifted = false;
      at += 1;
    } else if (!isHz && (octet === 0x0e || octet === 0x0f)) isShifted = octet === 0x0e;
    // The designator ESC $ ) C, of four octets.
    else if (!isHz && octet === 0x1b && next === 0x24) at += 3;
    else {
      // A line end ends the shift.
      if (octet === 0x0a) isShifted = false;
      found[to++] = isShifted && octet > 0x20 ? octet | 0x80 : octet;
    }
  }
  return found.subarray(0, to);
}

/** Without a byte order mark, the zero octets of the letters below U+0100 say which octet comes first. */
function wide(octets: Buffer): string {
  const [first, second] = octets;
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  let balance = 0;
  for (let at = 0; at + 1 < Math.min(octets.length, SIGNS_BYTES); at += 2) {
    if (octets[at] === 0) balance += 1;
    if (octets[at + 1] === 0) balance -= 1;
  }
  return balance > 0 ? "utf-16be" : "utf-16le";
}

/** iconv-lite also knows encodings that are no charsets, whatever signs stand in their names. */
function isCharset(name: string): boolean {
  const plain = name.replace(/:\d{4}$|[^a-z0-9]/gi, "");
  return !["base64", "hex"].includes(plain) && iconv.encodingExists(name);
}

/** Undefined: neither the platform nor iconv-lite knows the charset. */
function decodeAs(octets: Buffer, name: string): string | undefined {
  if (name === "hz-gb-2312") return new TextDecoder("gbk").decode(unshift(octets, true));
  if (name === "iso-2022-kr") return new TextDecoder("euc-kr").decode(unshift(octets, false));
  if (name === "iso-2022-cn" || name === "iso-2022-cn-ext")
    return new TextDecoder("gbk").decode(unshift(octets, false));
  try {
    return new TextDecoder(name).decode(octets);
  } catch {
    return isCharset(name) ? iconv.decode(octets, name) : undefined;
  }
}

function countLosses(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\ufffd"); at >= 0; at = text.indexOf("\ufffd", at + 1)) count += 1;
  return count;
}

/**
 * How sure valid UTF-8 is UTF-8 and not another charset: about 3 bits for each character of two octets, and 6 for a
 * longer one, because the next octets would have to be in the right range by chance.
 */
function utf8Bits(octets: Buffer): number {
  let bits = 0;
  for (const octet of octets.subarray(0, SIGNS_BYTES)) if (octet >= 0xc0) bits += octet < 0xe0 ? 3 : 6;
  return bits;
}
const SURE_BITS = 12;

/** Whether text with this label is UTF-8 nevertheless. */
function isSecretlyUtf8(octets: Buffer, name: string): boolean {
  if (isAscii(octets) || SHIFTED.test(name) || !isUtf8(octets)) return false;
  return WESTERN.has(name) || utf8Bits(octets) >= SURE_BITS || (decodeAs(octets, name) ?? "\ufffd").includes("\ufffd");
}

/** The charset that the text itself shows or, in HTML, declares. */
function shownCharset(octets: Buffer): string | undefined {
  const start = octets.toString("latin1", 0, SIGNS_BYTES);
  if (start.startsWith("\xef\xbb\xbf")) return "utf-8";
  if (/^(?:\xff\xfe|\xfe\xff)/.test(start)) return wide(octets);
  if (start.includes("\x1b$@") || start.includes("\x1b$B")) return "iso-2022-jp";
  if (start.includes("\x1b$)C")) return "iso-2022-kr";
  if (/^(?:[^\0]\0){4}|^(?:\0[^\0]){4}/.test(start)) return wide(octets);
  const meta = /<meta[^>]{0,200}charset\s{0,5}=\s{0,5}["']?([\w.:-]{2,40})/i.exec(start)?.[1];
  const name = meta && readLabel(meta);
  // A text that can be searched for its declaration is not UTF-16.
  return name && !SHIFTED.test(name) ? name : undefined;
}

/** @param hint a charset of the same mail, for text without a label; "" if there is none */
function guess(octets: Buffer, hint: string): string {
  const shown = shownCharset(octets);
  if (shown) return decodeAs(octets, shown) ?? octets.toString("latin1");
  if (isUtf8(octets)) return octets.toString("utf8");
  const text = octets.toString("utf8");
  // A few broken characters in UTF-8, as where a text was cut: the rest is right.
  if (utf8Bits(octets) > 0 && countLosses(text) * 8 < countWide(text)) return text;
  // Octets above ASCII are none of a charset that is shifted.
  const isHint = hint !== "" && hint !== "us-ascii" && hint !== "utf-8" && !SHIFTED.test(hint);
  const hinted = isHint ? decodeAs(octets, hint) : undefined;
  if (hinted !== undefined && !hinted.includes("\ufffd")) return hinted;
  return new TextDecoder(LAST_CHARSET).decode(octets);
}

/** Characters above ASCII. */
function countWide(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) count += 1;
  return count;
}

/**
 * @param declared the charset as the mail declares it; "" if it does not
 * @param hint the charset of the rest of the mail
 */
export function decodeText(octets: Buffer, declared: string, hint = ""): Decoded {
  const name = readLabel(declared);
  if (name === "" || name === "us-ascii" || name === "utf-8") {
    if (isAscii(octets) && !octets.includes(0x1b) && !octets.includes(0)) {
      return { text: octets.toString("latin1"), isGuessed: false };
    }
    if (name === "utf-8" && isUtf8(octets)) return { text: new TextDecoder().decode(octets), isGuessed: false };
    return { text: guess(octets, readLabel(hint)), isGuessed: !(name === "" && isUtf8(octets)) };
  }
  if (name.startsWith("utf-16")) {
    const start = octets.subarray(0, SIGNS_BYTES);
    const zeros = start.filter((octet) => octet === 0).length;
    // Some programs declare it for text in UTF-8.
    const isWide = !isUtf8(octets) || zeros * 16 > start.length;
    if (!isWide) return { text: octets.toString("utf8"), isGuessed: true };
    const hasMark = octets.length > 1 && ((octets[0] ?? 0) ^ (octets[1] ?? 0)) === 1 && (octets[0] ?? 0) > 0xfd;
    const isOpen =
      hasMark || declared.trim().toLowerCase() === "utf-16" || ALIASES.get(declared.trim().toLowerCase()) === "utf-16";
    return { text: new TextDecoder(isOpen ? wide(octets) : name).decode(octets), isGuessed: false };
  }
  if (isSecretlyUtf8(octets, name)) return { text: new TextDecoder().decode(octets), isGuessed: true };
  const text = decodeAs(octets, name);
  if (text !== undefined) return { text, isGuessed: false };
  return { text: guess(octets, readLabel(hint)), isGuessed: !isAscii(octets) };
}
