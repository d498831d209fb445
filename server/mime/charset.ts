// Decodes octets of mail into text: by the declared charset if it fits, otherwise by the charset that does.
import { isAscii, isUtf8 } from "node:buffer";
import iconv from "iconv-lite";
import { charsetOfScript } from "./other-scripts.ts";

export type Decoded = { text: string; isGuessed: boolean };

/** Used when nothing else fits: every octet is a character of it. */
export const LAST_CHARSET = "windows-1252";
const LAST_DECODER = new TextDecoder(LAST_CHARSET);
const LABEL_CHARS = 80;
/** How much of a text is searched for signs of its charset. */
const SIGNS_BYTES = 4_096;

/** Names that the platform does not know, without what is no letter or digit, and without `x-` before them. */
const ALIASES = new Map(
  Object.entries({
    cp65001: "utf-8",
    utf8: "utf-8",
    utf8n: "utf-8",
    utf8mb4: "utf-8",
    utf8mac: "utf-8",
    utf8sig: "utf-8",
    utf8bom: "utf-8",
    unicode11utf8: "utf-8",
    utf16: "utf-16",
    utf16be: "utf-16be",
    utf16le: "utf-16le",
    unicode: "utf-16",
    ucs2: "utf-16",
    iso10646ucs2: "utf-16",
    ucs2be: "utf-16be",
    ucs2le: "utf-16le",
    utf32: "utf-32",
    utf32be: "utf-32be",
    utf32le: "utf-32le",
    ucs4: "utf-32",
    ucs4be: "utf-32be",
    ucs4le: "utf-32le",
    iso10646ucs4: "utf-32",
    unicode11utf7: "utf-7",
    unicode20utf7: "utf-7",
    hz: "hz-gb-2312",
    hzgb: "hz-gb-2312",
    hzgb2312: "hz-gb-2312",
    gbk: "gbk",
    cp936: "gbk",
    ms936: "gbk",
    windows936: "gbk",
    gb2312: "gbk",
    cngb: "gbk",
    euccn: "gbk",
    gb18030: "gb18030",
    cp54936: "gb18030",
    cnbig5: "big5",
    big5eten: "big5",
    big5hkscs: "big5",
    cp950: "big5",
    cp951: "big5",
    ms950: "big5",
    windows950: "big5",
    cp949: "euc-kr",
    ms949: "euc-kr",
    windows949: "euc-kr",
    ksc5601: "euc-kr",
    ksx1001: "euc-kr",
    uhc: "euc-kr",
    euckr: "euc-kr",
    cp51949: "euc-kr",
    cp932: "shift_jis",
    ms932: "shift_jis",
    mscp932: "shift_jis",
    windows932: "shift_jis",
    shiftjis2004: "shift_jis",
    shiftjisx0213: "shift_jis",
    eucjp: "euc-jp",
    cp51932: "euc-jp",
    cp20932: "euc-jp",
    eucjpms: "euc-jp",
    eucjpwin: "euc-jp",
    eucjis2004: "euc-jp",
    eucjisx0213: "euc-jp",
    cp50220: "iso-2022-jp",
    cp50221: "iso-2022-jp",
    cp50222: "iso-2022-jp",
    jis: "iso-2022-jp",
    iso88598e: "iso-8859-8",
    iso88596i: "iso-8859-6",
    iso88596e: "iso-8859-6",
    mac: "macintosh",
    macroman: "macintosh",
    maccyrillic: "x-mac-cyrillic",
    macukrainian: "x-mac-cyrillic",
    macukraine: "x-mac-cyrillic",
    macce: "maccenteuro",
    maclatin2: "maccenteuro",
    maccentraleurope: "maccenteuro",
    maccentraleurroman: "maccenteuro",
    macicelandic: "maciceland",
    macromanian: "macromania",
    koi8: "koi8-r",
    ansi: "windows-1252",
    ptcp154: "pt154",
    cp154: "pt154",
    kz1048: "rk1048",
    strk1048: "rk1048",
    tcvn: "tcvn",
  }),
);
/** Labels that say nothing. */
const NO_LABEL =
  /^(?:|default|unknown|unknown-8bit|8bit|7bit|binary|none|null|x-unknown|x-user-defined|undefined|_?autodetect.*|charset)$/;
const ASCII_LABEL = /^(?:us-?ascii|ascii|ansi_x3\.4-19\d\d|iso646-us|iso-ir-6|646)$/;
const WESTERN = new Set(["windows-1252", "iso-8859-15", "macintosh"]);
/** In them, octets below 0x80 may be something else than ASCII. */
const SHIFTED = /^(?:utf-16|utf-32|utf-7|iso-2022|hz)/;

/** The name by which the platform or iconv-lite knows it. */
function knownName(label: string): string {
  const plain = label.replace(/[^a-z0-9]/g, "");
  const bare = label.startsWith("x") ? plain.slice(1) : plain;
  // iconv-lite knows the code pages of DOS by that name.
  const page = /^(?:cp|ibm|windows|win|ms|dos)0*(\d{3,4})$/.exec(bare)?.[1];
  const number = page ? [`windows-${page}`, `ibm${page}`] : [];
  const latin = /^(?:iso)?8859(\d{1,2})$/.exec(bare)?.[1];
  const alias = ALIASES.get(plain) ?? ALIASES.get(bare) ?? ALIASES.get(`cp${page}`);
  for (const name of [alias ?? label, label.replaceAll("_", "-"), ...number, latin ? `iso-8859-${latin}` : bare]) {
    try {
      return new TextDecoder(name).encoding;
    } catch {
      // Another form of the name, or a charset that the platform does not have.
    }
  }
  const family = /^(?:cs)?iso2022(jp|kr|cn)/.exec(bare)?.[1];
  if (family) return `iso-2022-${family}`;
  return alias ?? (page ? `cp${page}` : bare);
}

/** The declared name of a charset, as this file uses it. "" if it says nothing. */
function readLabel(declared: string): string {
  const label = declared
    .slice(0, LABEL_CHARS)
    .trim()
    .replace(/^['"]+|['"]+$/g, "")
    .toLowerCase();
  if (NO_LABEL.test(label)) return "";
  return ASCII_LABEL.test(label) ? "us-ascii" : knownName(label);
}

const [LF, SHIFT_OUT, SHIFT_IN, ESCAPE, BLANK, HIGH] = [0x0a, 0x0e, 0x0f, 0x1b, 0x20, 0x80];

/** RFC 1843: pairs of octets without their highest bits stand between `~{` and `~}`. A line end ends them. */
function decodeHz(octets: Buffer): string {
  const [tilde, open, close] = [0x7e, 0x7b, 0x7d];
  const found = Buffer.allocUnsafe(octets.length);
  let [to, isPairs] = [0, false];
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    const next = octet === tilde ? octets[at + 1] : undefined;
    if (next === (isPairs ? close : open)) [isPairs, at] = [!isPairs, at + 1];
    else if (next === LF && !isPairs) at += 1;
    else {
      if (octet === LF) isPairs = false;
      if (next === tilde && !isPairs) at += 1;
      found[to++] = isPairs && octet > BLANK ? octet | HIGH : octet;
    }
  }
  return new TextDecoder("gbk").decode(found.subarray(0, to));
}

/** A set of ISO-2022, as a charset that has it above 0x80, after this octet. */
type CharacterSet = { charset: string; before?: number };
const ASCII_SET: CharacterSet = { charset: "" };
const KATAKANA: CharacterSet = { charset: "shift_jis" };
const [JAPANESE, CHINESE, KOREAN] = [{ charset: "euc-jp" }, { charset: "gbk" }, { charset: "euc-kr" }];
/** By the escape sequence (ECMA-35): those of JIS X 0208 in all its editions, JIS X 0212, GB 2312 and KS X 1001. */
const SETS: Record<string, CharacterSet> = {
  "(B": ASCII_SET,
  "(J": ASCII_SET,
  "(H": ASCII_SET,
  "(I": KATAKANA,
  $B: JAPANESE,
  "$@": JAPANESE,
  "$(B": JAPANESE,
  "$(@": JAPANESE,
  "$(O": JAPANESE,
  "$(Q": JAPANESE,
  "$(D": { charset: "euc-jp", before: 0x8f },
  $A: CHINESE,
  "$(A": CHINESE,
  "$(C": KOREAN,
};
/** Sets that stand between SO and SI, and those of which one letter follows `ESC N`. */
const SHIFTED_SETS: Record<string, CharacterSet> = { "$)A": CHINESE, "$)C": KOREAN, "$)E": CHINESE, ")I": KATAKANA };
const SINGLE_SETS: Record<string, string> = { ".A": "iso-8859-1", ".F": "iso-8859-7" };

/** Whether there is more in ISO-2022-JP than the platform reads. */
function isBeyondJis(octets: Buffer): boolean {
  if (octets.includes(SHIFT_OUT)) return true;
  for (let at = octets.indexOf(ESCAPE); at >= 0; at = octets.indexOf(ESCAPE, at + 1))
    if (!/^(?:\([BJI]|\$[@B])/.test(octets.toString("latin1", at + 1, at + 3))) return true;
  return false;
}

/** ISO-2022-JP, with the sets of its later editions, ISO-2022-KR and ISO-2022-CN (RFC 1468, 1554, 1557, 1922, 2237). */
function decodeIso2022(octets: Buffer, shiftedSet: CharacterSet): string {
  const pieces: string[] = [];
  let plain = ASCII_SET;
  let shifted = shiftedSet;
  let single = "iso-8859-1";
  let isShifted = false;
  let run: number[] = [];
  let runSet = plain;
  const decoders = new Map<string, TextDecoder>();
  const decoderOf = (charset: string) => {
    const decoder = decoders.get(charset) ?? new TextDecoder(charset);
    decoders.set(charset, decoder);
    return decoder;
  };
  const flush = () => {
    const bytes = Uint8Array.from(run);
    if (runSet.charset === "") pieces.push(Buffer.from(bytes).toString("latin1"));
    else pieces.push(decoderOf(runSet.charset).decode(bytes));
    run = [];
  };
  const put = (octet: number, set: CharacterSet) => {
    // Octets are handed on in runs: whole pairs of one set.
    if (set !== runSet) flush();
    runSet = set;
    if (set.before !== undefined && run.length % 3 === 0) run.push(set.before);
    run.push(set.charset === "" ? octet : octet | HIGH);
  };
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    const sequence =
      octet === ESCAPE ? /^(?:\$?[()]?[@-Z]|\.[A-Z])/.exec(octets.toString("latin1", at + 1, at + 4))?.[0] : undefined;
    if (sequence === "N") {
      flush();
      pieces.push(decoderOf(single).decode(Uint8Array.of((octets[at + 2] ?? BLANK) | HIGH)));
      at += 2;
    } else if (sequence !== undefined) {
      at += sequence.length;
      plain = SETS[sequence] ?? plain;
      shifted = SHIFTED_SETS[sequence] ?? shifted;
      single = SINGLE_SETS[sequence] ?? single;
    } else if (octet === SHIFT_OUT || octet === SHIFT_IN) isShifted = octet === SHIFT_OUT;
    else if (octet <= BLANK) {
      // A line end ends the shift.
      if (octet === LF) isShifted = false;
      put(octet, ASCII_SET);
    } else put(octet, isShifted ? shifted : plain);
  }
  flush();
  return pieces.join("");
}

/** How many characters of the start of a text are letters, digits, marks of writing or blanks, as a share. */
function readable(octets: Buffer, name: string): number {
  const text = new TextDecoder(name).decode(octets.subarray(0, SIGNS_BYTES));
  return (
    (text.match(/(?!\ufffd)[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\r\n\t]/gu)?.length ?? 0) / Math.max(1, [...text].length)
  );
}

/** Blanks, line ends and marks that each script has. With their octets swapped they are no characters, or rare ones. */
const COMMON = new Set([0x20, 0x0a, 0x0d, 0x2c, 0x2e, 0x3b]);

/** Which octet of UTF-16 comes first: by its mark, by common characters, or by which order gives a text. */
function wide(octets: Buffer): "utf-16be" | "utf-16le" {
  const [first, second] = octets;
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  let [common, zeros] = [0, 0];
  for (let at = 0; at + 1 < Math.min(octets.length, SIGNS_BYTES); at += 2) {
    const [one, other] = [octets[at] as number, octets[at + 1] as number];
    if (one === 0) [zeros, common] = [zeros + 1, common + (COMMON.has(other) ? 1 : 0)];
    if (other === 0) [zeros, common] = [zeros - 1, common - (COMMON.has(one) ? 1 : 0)];
  }
  const balance = common || readable(octets, "utf-16be") - readable(octets, "utf-16le") || zeros;
  return balance > 0 ? "utf-16be" : "utf-16le";
}

/** iconv-lite also knows encodings that are no charsets, whatever signs stand in their names. */
function isCharset(name: string): boolean {
  const plain = name.replace(/:\d{4}$|[^a-z0-9]/gi, "");
  return !["base64", "hex", "binary", "internal"].includes(plain) && iconv.encodingExists(name);
}

const WIDE_MARK = /^(?:\xff\xfe|\xfe\xff|\0\0\xfe\xff)/;
const READABLE_MIN = 0.95;
/** A shorter text is not judged: it has too few characters to count. */
const WIDE_MIN_BYTES = 8;
/** Of UTF-16 that is read as if it were UTF-8. Text in UTF-8 with a few zeros in it is above. */
const READABLE_MAX = 0.9;
/** Text of four octets for each character has one that is 0 always, and one that is 16 at most. */
function isUtf32(octets: Buffer, zeroAt: number, smallAt: number): boolean {
  if (octets.length < 8 || octets.length % 4 > 0) return false;
  for (let at = 0; at < Math.min(octets.length, SIGNS_BYTES); at += 4)
    if (octets[at + zeroAt] !== 0 || (octets[at + smallAt] as number) > 0x10) return false;
  return true;
}

/** Whether the zeros are at even or at odd places, with few exceptions, and not only behind a text, as programs in C leave them. */
function hasWideZeros(octets: Buffer): boolean {
  if (octets.length < WIDE_MIN_BYTES) return false;
  const start = octets.subarray(0, SIGNS_BYTES);
  const zeros: [number, number] = [0, 0];
  for (let at = start.indexOf(0); at >= 0; at = start.indexOf(0, at + 1)) zeros[at % 2 === 0 ? 0 : 1] += 1;
  let end = start.length;
  while (end > 0 && start[end - 1] === 0) end -= 1;
  return Math.min(...zeros) * 4 <= Math.max(...zeros) && readable(start.subarray(0, end), "utf-8") < READABLE_MAX;
}

/** The name of UTF-16 or UTF-32, if these octets are that: no other text has zeros. */
function wideName(octets: Buffer): string | undefined {
  if (!octets.subarray(0, SIGNS_BYTES).includes(0)) {
    return WIDE_MARK.test(octets.toString("latin1", 0, 4)) ? wide(octets) : undefined;
  }
  if (isUtf32(octets, 3, 2)) return "utf-32le";
  if (isUtf32(octets, 0, 1)) return "utf-32be";
  const name = wide(octets);
  if (WIDE_MARK.test(octets.toString("latin1", 0, 4))) return name;
  return hasWideZeros(octets) && readable(octets, name) >= READABLE_MIN ? name : undefined;
}

const LAST_CODE_POINT = 0x10ffff;
const REPLACEMENT = 0xfffd;

function decodeUtf32(octets: Buffer, isLittle: boolean): string {
  // A character beyond U+FFFF is two units here too.
  const found = Buffer.allocUnsafe(octets.length);
  let to = 0;
  for (let at = 0; at + 4 <= octets.length; at += 4) {
    const read = isLittle ? octets.readUInt32LE(at) : octets.readUInt32BE(at);
    const isCharacter = read <= LAST_CODE_POINT && (read < 0xd800 || read > 0xdfff);
    if (read !== 0xfeff || at > 0)
      to += found.write(String.fromCodePoint(isCharacter ? read : REPLACEMENT), to, "utf16le");
  }
  return found.toString("utf16le", 0, to);
}

/** Charsets of which iconv-lite has the extensions that are in use, and the platform has not. */
const EXTENDED = new Map([
  ["euc-kr", "cp949"],
  ["big5", "big5hkscs"],
]);

/** A return to ASCII directly before another set, as between two encoded words: the platform takes it for an error. */
function withoutEmptyRuns(octets: Buffer): Buffer {
  const text = octets.toString("latin1");
  const returns = text.replaceAll("\u001b(B\u001b", "\u001b").replaceAll("\u001b(J\u001b", "\u001b");
  return returns.length === text.length ? octets : Buffer.from(returns, "latin1");
}

/** Undefined: neither the platform nor iconv-lite knows the charset. */
function decodeAs(octets: Buffer, name: string): string | undefined {
  const extended = EXTENDED.get(name);
  if (extended) return iconv.decode(octets, extended);
  if (name.startsWith("utf-32")) return decodeUtf32(octets, name !== "utf-32be");
  if (name === "hz-gb-2312") return decodeHz(octets);
  if (name === "iso-2022-kr") return decodeIso2022(octets, KOREAN);
  if (name === "iso-2022-cn") return decodeIso2022(octets, CHINESE);
  // The platform is faster, and reads what nearly all such mail has.
  if (name === "iso-2022-jp" && isBeyondJis(octets)) return decodeIso2022(octets, KATAKANA);
  try {
    return new TextDecoder(name).decode(name === "iso-2022-jp" ? withoutEmptyRuns(octets) : octets);
  } catch {
    return isCharset(name) ? iconv.decode(octets, name) : undefined;
  }
}

/** Japanese programs take these for each other. The first fits few texts of the second by chance. */
const JAPANESE_CHARSETS = ["euc-jp", "shift_jis"];

/** Octets under the label ISO-2022-JP, in which none is above ASCII, by the other Japanese charset that fits them. */
function decodeJapanese(octets: Buffer): string | undefined {
  const texts = JAPANESE_CHARSETS.map((name) => new TextDecoder(name).decode(octets));
  return texts.find((text) => !text.includes("\ufffd"));
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
/** Octets of words of another script by which a Western label is wrong. */
const RUNS_AGAINST_LABEL_MIN = 16;

/** Octets of a character of UTF-8, as its first one says; 0 if none starts with it. */
function utf8Size(first: number): number {
  if (first < HIGH) return 1;
  return first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

/** Behind the octets that only stand inside or at the end of a character of UTF-8. */
function behindRest(octets: Buffer, from: number, stop: number): number {
  let at = from;
  while (at < Math.min(stop, octets.length) && ((octets[at] as number) & 0xc0) === HIGH) at += 1;
  return at;
}

/** A text is cut at its start and end, or before what a program adds to it, as `...` or the end of a file name. */
const HALVES_MAX = 2;
/** Behind the cut: the end of the text or of a line, dots, or the end of a file name. Amid words, half a character is one of another charset. */
const BEHIND_CUT = /^(?:\s*$|[\r\n]|\.\.|\xe2\x80\xa6|\.\w{1,8}$)/;
const BEHIND_CUT_BYTES = 20;

/**
 * Text in UTF-8 without the halves of characters at which a program cut it. Undefined: what is left is not sure to be UTF-8, so
 * that the halves may be characters of another charset.
 * @param bits how sure it must be, as `utf8Bits` has it; `bitsAtEnds`: if it was cut at no other place than its ends
 */
function withoutHalves(octets: Buffer, bits: number, bitsAtEnds = bits): string | undefined {
  const start = behindRest(octets, 0, 3);
  const pieces: Buffer[] = [];
  let [from, halfBits] = [start, 0];
  for (let at = start; at < octets.length; ) {
    const size = utf8Size(octets[at] as number);
    const end = behindRest(octets, at + 1, at + size);
    if (size === 0 || pieces.length > HALVES_MAX) return;
    if (end < at + size) {
      if (!BEHIND_CUT.test(octets.toString("latin1", end, end + BEHIND_CUT_BYTES))) return;
      pieces.push(octets.subarray(from, at));
      from = end;
      // Two octets of four are hardly ever something else.
      if (size === 4 && end > at + 1) halfBits = 6;
    }
    at = end;
  }
  const last = octets.subarray(from);
  if (start === 0 && pieces.length === 0) return;
  const isAtEnds = pieces.length === 0 || (pieces.length === 1 && last.every((octet) => octet <= BLANK));
  const rest = Buffer.concat([...pieces, last]);
  const isSure = utf8Bits(rest) + halfBits >= (isAtEnds ? bitsAtEnds : bits);
  return isSure && isUtf8(rest) ? rest.toString("utf8") : undefined;
}

/** Whether text with this label is UTF-8 nevertheless. */
function isSecretlyUtf8(octets: Buffer, name: string): boolean {
  if (isAscii(octets) || !isUtf8(octets)) return false;
  // The highest bit is never set in these.
  if (SHIFTED.test(name)) return true;
  return WESTERN.has(name) || utf8Bits(octets) >= SURE_BITS || (decodeAs(octets, name) ?? "\ufffd").includes("\ufffd");
}

/** The charset that the text itself shows or, in HTML, declares. */
function shownCharset(octets: Buffer): string | undefined {
  const start = octets.toString("latin1", 0, SIGNS_BYTES);
  if (start.startsWith("\xef\xbb\xbf")) return "utf-8";
  const wideText = wideName(octets);
  if (wideText) return wideText;
  if (start.includes("\x1b$@") || start.includes("\x1b$B")) return "iso-2022-jp";
  if (start.includes("\x1b$)C")) return "iso-2022-kr";
  const meta = (/^\s{0,100}<\?xml\s[^>]{0,100}encoding\s{0,5}=\s{0,5}["']([\w.:-]{2,40})/i.exec(start) ??
    /<meta[^>]{0,200}charset\s{0,5}=\s{0,5}["']?([\w.:-]{2,40})/i.exec(start))?.[1];
  const name = meta && readLabel(meta);
  // A text that can be searched for its declaration is not UTF-16.
  return name && !SHIFTED.test(name) ? name : undefined;
}

/**
 * @param isUnicode whether the label says UTF-8
 * @param hint a charset of the same mail, for text without a label; "" if there is none
 */
function guess(octets: Buffer, isUnicode: boolean, hint: string): string {
  const shown = shownCharset(octets);
  if (shown) return decodeAs(octets, shown) ?? octets.toString("latin1");
  if (isUtf8(octets)) return octets.toString("utf8");
  const isOpen = isUnicode || ["", "us-ascii", "utf-8"].includes(hint) || WESTERN.has(hint);
  const cut = withoutHalves(octets, isUnicode ? 1 : SURE_BITS, isOpen ? 1 : SURE_BITS);
  if (cut !== undefined) return cut;
  const mixed = mostlyUtf8(octets, 1);
  if (mixed !== undefined) return mixed;
  // Octets above ASCII are none of a charset that is shifted.
  const isHint = hint !== "" && hint !== "us-ascii" && hint !== "utf-8" && !SHIFTED.test(hint);
  const written = !isHint || WESTERN.has(hint) ? charsetOfScript(octets) : undefined;
  if (written !== undefined) return decodeAs(octets, written) ?? "";
  const hinted = isHint ? decodeAs(octets, hint) : undefined;
  if (hinted !== undefined && !hinted.includes("\ufffd")) return hinted;
  return LAST_DECODER.decode(octets);
}

/** How many characters in UTF-8 show that a Western label is wrong, although other octets are none. */
const WIDE_AGAINST_LABEL_MIN = 4;

/** Octets by which other text is told from UTF-8 with a few broken characters. */
const MOSTLY_BYTES = 65_536;
const MARK = Buffer.from("\ufffd");

/**
 * Text in UTF-8 with a few broken characters. A single octet that is no part of one is a letter of the last charset.
 * @param wideMin the least characters of more than one octet
 */
function mostlyUtf8(octets: Buffer, wideMin: number): string | undefined {
  if (octets.length > MOSTLY_BYTES && mostlyUtf8(octets.subarray(0, MOSTLY_BYTES), wideMin) === undefined) return;
  // Fewer than a quarter of the octets are lost, and each becomes at most three.
  const written = Buffer.allocUnsafe(octets.length + (octets.length >> 1) + MARK.length);
  let [at, to, wide, lost] = [0, 0, 0, 0];
  while (at < octets.length) {
    const first = octets[at] as number;
    const size = utf8Size(first);
    const end = size === 0 ? at + 1 : behindRest(octets, at + 1, at + size);
    if (size > 0 && end === at + size) {
      for (let each = at; each < end; each += 1) written[to++] = octets[each] as number;
      if (size > 1) wide += 1;
    } else {
      lost += 1;
      if (lost * 4 > octets.length) return;
      // The letters of the last charset from here on are those of Unicode.
      if (end === at + 1 && first >= 0xc0) {
        written[to++] = 0xc0 | (first >> 6);
        written[to++] = 0x80 | (first & 0x3f);
      } else to += MARK.copy(written, to);
    }
    at = end;
  }
  return wide < wideMin || lost * 2 >= wide ? undefined : written.toString("utf8", 0, to);
}

/** The platform takes `utf-16` for little-endian, whatever the octets say. */
const isOrderOpen = (declared: string) => !/[bl]e\W*$/i.test(declared);

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
    const hasZeros = octets.subarray(0, SIGNS_BYTES).includes(0);
    if (name === "utf-8" && isUtf8(octets) && !hasZeros)
      return { text: new TextDecoder().decode(octets), isGuessed: false };
    const isSure = name === "" && (isUtf8(octets) || wideName(octets) !== undefined);
    return { text: guess(octets, name === "utf-8", readLabel(hint)), isGuessed: !isSure };
  }
  if (/^utf-(?:16|32)/.test(name)) {
    const start = octets.subarray(0, SIGNS_BYTES);
    const zeros = start.filter((octet) => octet === 0).length;
    // Some programs declare it for text in UTF-8.
    const isWide = !isUtf8(octets) || zeros * 16 > start.length;
    if (!isWide) return { text: octets.toString("utf8"), isGuessed: true };
    // The mark counts, and the octets where the name leaves the order open.
    const isOpen = WIDE_MARK.test(octets.toString("latin1", 0, 4)) || isOrderOpen(declared);
    const shown = name.startsWith("utf-16") ? wide(octets) : (wideName(octets) ?? name);
    return { text: decodeAs(octets, isOpen ? shown : name) ?? "", isGuessed: false };
  }
  if (isSecretlyUtf8(octets, name)) return { text: new TextDecoder().decode(octets), isGuessed: true };
  const cut = WESTERN.has(name) ? withoutHalves(octets, SURE_BITS) : undefined;
  if (cut !== undefined) return { text: cut, isGuessed: true };
  const mixed = WESTERN.has(name) ? mostlyUtf8(octets, WIDE_AGAINST_LABEL_MIN) : undefined;
  if (mixed !== undefined) return { text: mixed, isGuessed: true };
  const written = WESTERN.has(name) ? charsetOfScript(octets, RUNS_AGAINST_LABEL_MIN) : undefined;
  if (written !== undefined) return { text: decodeAs(octets, written) ?? "", isGuessed: true };
  const text = decodeAs(octets, name);
  const fitting =
    name === "iso-2022-jp" && !isAscii(octets) && text?.includes("\ufffd") ? decodeJapanese(octets) : undefined;
  if (fitting !== undefined) return { text: fitting, isGuessed: true };
  if (text !== undefined) return { text, isGuessed: text.includes("\ufffd") };
  return { text: guess(octets, false, readLabel(hint)), isGuessed: !isAscii(octets) };
}
