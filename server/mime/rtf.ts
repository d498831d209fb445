// Reads the words of the compressed RTF that Outlook puts into `winmail.dat` (MS-OXRTFCP).
import { decodeText } from "./charset.ts";

const INFLATED_BYTES = 8 * 1024 * 1024;
const WINDOW_BYTES = 4_096;
const DEPTH_MAX = 1_000;
const COMPRESSED = 0x75465a4c;
const STORED = 0x414c454d;
/** The window starts with it. */
const KNOWN =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/** The RTF; empty if it is broken. */
export function inflateRtf(octets: Buffer): Buffer {
  if (octets.length < 16) return Buffer.alloc(0);
  const kind = octets.readUInt32LE(8);
  if (kind === STORED) return octets.subarray(16);
  if (kind !== COMPRESSED) return Buffer.alloc(0);
  const window = Buffer.alloc(WINDOW_BYTES, 0x20);
  let place = window.write(KNOWN, 0, "latin1");
  const found = Buffer.allocUnsafe(Math.min(octets.readUInt32LE(4), INFLATED_BYTES));
  let to = 0;
  const put = (octet: number) => {
    found[to++] = octet;
    window[place] = octet;
    place = (place + 1) % WINDOW_BYTES;
  };
  for (let at = 16; at < octets.length && to < found.length; ) {
    const flags = octets[at++] as number;
    for (let bit = 0; bit < 8 && at < octets.length && to < found.length; bit += 1) {
      if (((flags >> bit) & 1) === 0) put(octets[at++] as number);
      else {
        const pair = at + 1 < octets.length ? octets.readUInt16BE(at) : 0;
        at += 2;
        const from = pair >> 4;
        if (from === place) return found.subarray(0, to);
        for (let n = 0; n < (pair & 15) + 2 && to < found.length; n += 1)
          put(window[(from + n) % WINDOW_BYTES] as number);
      }
    }
  }
  return found.subarray(0, to);
}

/** Groups that hold no words. */
const SILENT = new Set([
  "fonttbl",
  "colortbl",
  "stylesheet",
  "info",
  "pict",
  "object",
  "listtable",
  "listoverridetable",
  "generator",
  "xmlnstbl",
  "header",
  "footer",
  "fldinst",
  "themedata",
  "datastore",
]);
const BREAKS: Record<string, string> = {
  par: "\n",
  line: "\n",
  sect: "\n",
  page: "\n",
  row: "\n",
  cell: "\t",
  tab: "\t",
  emdash: "—",
  endash: "–",
  bullet: "•",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
};
const CONTROL = /\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([0-9a-fA-F]{2})|([^a-zA-Z']))/y;

/** `isCopy`: what RTF made from HTML says once more for programs that do not read HTML; only its line breaks count. */
type Group = { isSilent: boolean; isCopy: boolean; skip: number };

/** @param charset of octets, unless the RTF names one */
export function plainOfRtf(rtf: Buffer, charset: string): string {
  const source = rtf.toString("latin1");
  const found: string[] = [];
  const groups: Group[] = [{ isSilent: false, isCopy: false, skip: 1 }];
  let octets: number[] = [];
  let [page, left] = [charset, 0];
  const close = () => {
    if (octets.length > 0) found.push(decodeText(Buffer.from(octets), page).text);
    octets = [];
  };
  const say = (text: string) => {
    close();
    if (!groups.at(-1)?.isSilent) found.push(text);
  };
  for (let at = 0; at < source.length; ) {
    const char = source.charAt(at);
    const group = groups.at(-1) as Group;
    if (char === "{") {
      if (groups.length > DEPTH_MAX) break;
      groups.push({ ...group });
      at += 1;
    } else if (char === "}") {
      close();
      if (groups.length > 1) groups.pop();
      at += 1;
    } else if (char !== "\\") {
      const end = source.slice(at, at + 256).search(/[\\{}\r\n]/);
      const text = source.slice(at, end < 0 ? at + 256 : at + Math.max(end, 1));
      at += text.length;
      const own = text.replace(/[\r\n]/g, "").slice(left);
      left = Math.max(0, left - text.length);
      if (!group.isSilent && !group.isCopy) for (let n = 0; n < own.length; n += 1) octets.push(own.charCodeAt(n));
    } else {
      CONTROL.lastIndex = at;
      const match = CONTROL.exec(source);
      if (!match) {
        at += 1;
        continue;
      }
      const [whole, word, argument, code, sign] = match;
      at += whole.length;
      if (code !== undefined) {
        if (left > 0) left -= 1;
        else if (!group.isSilent && !group.isCopy) octets.push(Number.parseInt(code, 16));
      } else if (sign === "*") group.isSilent = true;
      else if (sign === "~") say("\u00a0");
      else if (sign === "\\" || sign === "{" || sign === "}")
        octets.push(...(group.isSilent ? [] : [sign.charCodeAt(0)]));
      else if (word === "u" && argument !== undefined) {
        say(String.fromCharCode(Number(argument) & 0xffff));
        left = group.skip;
      } else if (word === "uc") group.skip = Math.min(Number(argument ?? 1), 8);
      else if (word === "ansicpg" && argument !== undefined) page = argument === "65001" ? "utf-8" : `cp${argument}`;
      else if (word !== undefined && SILENT.has(word)) group.isSilent = true;
      else if (word === "htmlrtf") {
        close();
        group.isCopy = argument !== "0";
      } else if (word !== undefined && BREAKS[word] !== undefined) say(BREAKS[word]);
    }
  }
  close();
  return found.join("").toWellFormed();
}
