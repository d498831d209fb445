// Reads the text of Rich Text Format (RTF 1.9.1): words of one group after the other, without what a person does not see.
// What is made from HTML (MS-OXRTFEX) has its tags in groups that are left out, so that the words remain.
import { decodeText } from "./charset.ts";

const TEXT_CHARS_MAX = 16 * 1024 * 1024;
const DEPTH_MAX = 10_000;
const FONTS_MAX = 10_000;
const SKIP_MAX = 16;

/** Groups whose words are no text of the document. */
const SKIPPED = new Set(
  "fonttbl colortbl stylesheet info pict object objdata themedata datastore listtable listoverridetable revtbl rsidtbl generator fldinst shprslt filetbl xmlnstbl bkmkstart bkmkend atnid atnauthor atndate atntime annotation sp sn sv nonshppict latentstyles footnotesep ftnsep ftnsepc aftnsep aftnsepc".split(
    " ",
  ),
);
/** The text of shapes is what a person sees, although the group says that older programs may leave it out. */
const READ = new Set(["shpinst", "shptxt"]);
const CHARACTERS = new Map(
  Object.entries({
    par: "\n",
    line: "\n",
    sect: "\n",
    page: "\n",
    row: "\n",
    nestrow: " ",
    tab: "\t",
    cell: "\t",
    nestcell: " ",
    emdash: "—",
    endash: "–",
    bullet: "•",
    lquote: "‘",
    rquote: "’",
    ldblquote: "“",
    rdblquote: "”",
    emspace: " ",
    enspace: " ",
  }),
);
/** `\fcharset` of a font, as the code page of Windows. */
const CHARSETS: Record<number, string> = {
  0: "windows-1252",
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};
const CODE_PAGES: Record<number, string> = { 10000: "macintosh", 65001: "utf-8" };

/** `isPair`: within `{\upr{…}{\*\ud{…}}}`, whose first group has the words of the second without Unicode. */
type State = {
  isSkipped: boolean;
  isHidden: boolean;
  font: number;
  unicodeSkip: number;
  inFonts: boolean;
  isPair: boolean;
};

/** A control word with its number and the space that ends it, a sign, octets in hexadecimal, or text. */
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([\s\S])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/giy;

export type Rtf = {
  text: string;
  /** Whether it ends, and all of it could be read. */
  isWhole: boolean;
};

/** @param charset of octets, unless the RTF names one */
export function readRtf(bytes: Buffer, charset: string): Rtf {
  // One letter for each octet: what is above 127 is decoded later, by the code page of its font.
  const source = bytes.toString("latin1");
  const found: string[] = [];
  let length = 0;
  const charsets = new Map<number, string>();
  const stack: State[] = [];
  let state: State = { isSkipped: false, isHidden: false, font: 0, unicodeSkip: 1, inFonts: false, isPair: false };
  let page = charset;
  let isFirst = false;
  let isIgnorable = false;
  /** Characters that follow `\u` for programs without Unicode. */
  let toSkip = 0;
  let octets = "";

  const put = (text: string) => {
    length += text.length;
    found.push(text);
  };
  const read = (isWhole: boolean): Rtf => ({ text: found.join("").toWellFormed(), isWhole });
  const flush = () => {
    if (octets === "") return;
    put(decodeText(Buffer.from(octets, "latin1"), charsets.get(state.font) ?? page).text);
    octets = "";
  };
  const isShown = () => !state.isSkipped && !state.isHidden;
  const addOctets = (text: string) => {
    const kept = text.slice(toSkip);
    toSkip -= text.length - kept.length;
    if (isShown()) octets += kept;
  };
  const add = (text: string) => {
    if (!isShown()) return;
    flush();
    put(text);
  };
  const signOf = (sign: string) => {
    if (sign === "~") add(" ");
    else if (sign === "_") add("-");
    else if (sign === "\n" || sign === "\r") add("\n");
    else if (sign === "\\" || sign === "{" || sign === "}") addOctets(sign);
  };
  const control = (name: string, value: number | undefined) => {
    if (name === "u" && value !== undefined) {
      add(String.fromCharCode(value & 0xffff));
      toSkip = state.unicodeSkip;
    } else if (name === "uc") state.unicodeSkip = Math.min(SKIP_MAX, Math.max(0, value ?? 1));
    else if (name === "ansicpg" && value) page = CODE_PAGES[value] ?? `cp${value}`;
    else if (name === "mac") page = "macintosh";
    else if (name === "pc") page = "cp437";
    else if (name === "pca") page = "cp850";
    else if (name === "f") {
      flush();
      state.font = value ?? 0;
    } else if (name === "fcharset" && state.inFonts && charsets.size < FONTS_MAX) {
      const charset = CHARSETS[value ?? 0];
      if (charset) charsets.set(state.font, charset);
    } else if (name === "v" || name === "deleted" || name === "plain") {
      flush();
      state.isHidden = name !== "plain" && value !== 0;
    } else {
      const character = CHARACTERS.get(name);
      if (character !== undefined) add(character);
    }
  };

  const tokens = new RegExp(TOKEN);
  for (let match = tokens.exec(source); match && length < TEXT_CHARS_MAX; match = tokens.exec(source)) {
    const [, word, number, hex, sign, brace, text] = match;
    const wasFirst: boolean = isFirst;
    const wasIgnorable: boolean = isIgnorable;
    [isFirst, isIgnorable] = [false, false];
    if (brace === "{") {
      flush();
      if (stack.length >= DEPTH_MAX) return read(false);
      stack.push(state);
      state = { ...state, isSkipped: state.isSkipped || state.isPair, isPair: false };
      [isFirst, toSkip] = [true, 0];
    } else if (brace === "}") {
      flush();
      state = stack.pop() ?? state;
      toSkip = 0;
      // What follows the document is no part of it.
      if (stack.length === 0) return read(true);
    } else if (sign === "*") [isFirst, isIgnorable] = [wasFirst, wasFirst];
    else if (word !== undefined) {
      const name = word.toLowerCase();
      const value = number === undefined ? undefined : Number(number);
      const around = stack.at(-1);
      if (wasFirst && name === "upr") state.isPair = true;
      else if (wasFirst && name === "ud" && around?.isPair) state.isSkipped = around.isSkipped;
      else if (wasFirst && !READ.has(name) && (wasIgnorable || SKIPPED.has(name))) {
        Object.assign(state, { isSkipped: true, inFonts: name === "fonttbl" });
      }
      if (name === "bin") tokens.lastIndex += Math.max(0, value ?? 0);
      else control(name, value);
    } else if (hex !== undefined) addOctets(String.fromCharCode(Number.parseInt(hex, 16)));
    else if (sign !== undefined) signOf(sign);
    else if (text !== undefined) addOctets(text);
  }
  flush();
  return read(false);
}
