// Undoes transfer encodings: base64, quoted-printable, uuencode and yEnc. What is not encoded as it says stays as it is.
import { isUtf8 } from "node:buffer";
import { decodeText } from "./charset.ts";

export type Undone = {
  octets: Buffer;
  /** Whether the octets are not encoded as the part says. */
  isIgnored: boolean;
  /** Whether they end in a line break that belongs to the encoding. */
  isBinary: boolean;
  /** The name that stands in a uuencoded block. */
  name?: string;
};
/** `data`: its octets, `name` of the file; `isWhole`: whether it ends and has its size. */
export type Block = { name: string; octets: Buffer; isWhole: boolean };

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;
const DASH = 0x2d;
const UNDERSCORE = 0x5f;
/** A stray character among so many of base64 is dropped (RFC 2045 §6.8); with more, it is no base64. */
const STRAY_SHARE = 1 / 20;
/** No word is as long. */
const LONG = /[A-Za-z0-9+/]{32}/;
/** In the alphabet of URLs. Longer than keys and ids in it. */
const URL_LINE = /[\w-]{60}/;
/** Base64 of fewer characters may be a word. */
const WORD_CHARS = 10;
/** Base64 of more characters is no key that stands among words. */
const BLOCK_CHARS = 200;
/** Words and base64 by turns. */
const RUNS_MAX = 1_000;
/** Of a text: more than is shown of one. */
const MIXED_BYTES = 8 * 1024 * 1024;
const BLOCKS_MAX = 100;
const NAME_BYTES = 255;
const BEGIN = "begin";
/** Longer than any that `uuencode -m` writes. */
const BASE64_LINE_CHARS = 200;

/** 1: base64, 2: padding, 3: white space, 0: something else. */
const KINDS = new Uint8Array(256);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") KINDS[char.charCodeAt(0)] = 1;
KINDS[EQUALS] = 2;
for (const octet of [LF, CR, SPACE, 0x09, 0x0c]) KINDS[octet] = 3;

type Sight = {
  /** Octets of base64, and others that are neither that nor white space. */
  good: number;
  bad: number;
  /** Of the others, those of the alphabet of URLs. */
  url: number;
  /** Spaces between characters of one line. */
  gaps: number;
  pads: number;
  /** Behind the first padding. */
  padEnd: number;
};

function sight(octets: Buffer, from = 0, end = octets.length): Sight {
  const seen: Sight = { good: 0, bad: 0, url: 0, gaps: 0, pads: 0, padEnd: -1 };
  let [spaceAt, isStarted] = [-1, false];
  for (let at = from; at < end; at += 1) {
    const octet = octets[at] as number;
    const kind = KINDS[octet];
    if (octet === LF) {
      [spaceAt, isStarted] = [-1, false];
      continue;
    }
    if (kind === 3) {
      if (isStarted && octet !== CR) spaceAt = at;
      continue;
    }
    if (spaceAt >= 0) {
      seen.gaps += 1;
      spaceAt = -1;
    }
    isStarted = true;
    if (kind === 0) {
      seen.bad += 1;
      if (octet === DASH || octet === UNDERSCORE) seen.url += 1;
    } else if (kind === 1) seen.good += 1;
    else {
      seen.pads += 1;
      if (octets[at + 1] !== EQUALS && seen.padEnd < 0) seen.padEnd = at + 1;
    }
  }
  return seen;
}

/** Base64 in which every padding ends a group, so that texts encoded one after the other are all there. */
function lenient(octets: Buffer): Buffer {
  const pieces = octets
    .toString("latin1")
    .replace(/[^A-Za-z0-9+/=]+/g, "")
    .split(/=+/);
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, "base64")));
}

/** Whether there are control characters that no text has. */
export function hasControls(octets: Buffer): boolean {
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    if (octet < SPACE && octet !== LF && octet !== CR && octet !== 0x09 && octet !== 0x0c && octet !== 0x1b)
      return true;
  }
  return false;
}

/** Whether the octets could be text. */
function isProse(octets: Buffer): boolean {
  return octets.length > 0 && !hasControls(octets) && !decodeText(octets, "utf-8").isGuessed;
}

/** Lines of base64, or lines of words beside them. */
type Run = Sight & { isCode: boolean; octets: Buffer; isFirst: boolean; isLast: boolean };

/**
 * A line with a damaged character is one of base64, and so is a long one with a blank inside. Empty lines belong to what stands before them.
 * @param isSplit whether empty lines end base64, because one word may stand behind them
 * @returns empty if there are too many
 */
function runsOf(octets: Buffer, isSplit: boolean): Run[] {
  const places: { isCode: boolean; start: number; end: number }[] = [];
  let isEnded = false;
  for (let at = 0; at < octets.length; ) {
    const { stop, next } = lineEnd(octets, at);
    const { good, bad, gaps } = sight(octets, at, stop);
    const last = places.at(-1);
    const isEmpty = good + bad === 0;
    const isDamaged = bad + gaps <= good * STRAY_SHARE;
    const isLine = isDamaged && (gaps === 0 || LONG.test(octets.toString("latin1", at, stop)));
    const isCode = isEmpty ? last?.isCode === true : isLine;
    const isNew = last?.isCode !== isCode || (isSplit && isEnded && !isEmpty);
    if (last && !isNew) last.end = next;
    else if (places.push({ isCode, start: at, end: next }) > RUNS_MAX) return [];
    isEnded = isEmpty;
    at = next;
  }
  return places.map(({ isCode, start, end }) => {
    const own = octets.subarray(start, end);
    return { ...sight(own), isCode, octets: own, isFirst: start === 0, isLast: end === octets.length };
  });
}

/** Whether lines look like base64 alone, and not like a word or a key among words. */
function isBlock({ isCode, octets, good, padEnd }: Run): boolean {
  return isCode && (padEnd > 0 || good > BLOCK_CHARS) && LONG.test(octets.toString("latin1"));
}

/** The text of lines of base64; undefined if they may be words. */
function textOfRun(run: Run): Buffer | undefined {
  const { isCode, octets, good, gaps, pads, padEnd, isFirst, isLast } = run;
  if (!isCode) return;
  const decoded = lenient(octets);
  const isLong = LONG.test(octets.toString("latin1"));
  const isWhole = (good + pads) % 4 === 0;
  const isSure =
    (isFirst && isWhole && padEnd > 0) ||
    (isProse(decoded) && (isLong || (isWhole && good >= WORD_CHARS))) ||
    ((isBlock(run) || (isFirst && isLong && gaps === 0)) && !hasControls(decoded));
  if (!isSure) return;
  return isLast ? decoded : Buffer.concat([decoded, Buffer.from("\n")]);
}

/**
 * A text in base64 with plain words before or behind it, as gateways and mailing lists add them. Undefined: not both are there.
 * @param isClear whether the words have characters that are none of base64
 */
function textBesideWords(octets: Buffer, isClear: boolean): Buffer | undefined {
  if (octets.length > MIXED_BYTES) return;
  const runs = runsOf(octets, !isClear).map((run) => ({ run, text: textOfRun(run) }));
  const words = runs.filter(({ text }) => text === undefined);
  if (words.length === 0 || words.length === runs.length) return;
  if (!isClear && words.some(({ run }) => LONG.test(run.octets.toString("latin1")))) return;
  return Buffer.concat(runs.map(({ run, text }) => text ?? run.octets));
}

/** A file in base64, without such words. */
function fileBesideWords(octets: Buffer): Buffer | undefined {
  const runs = runsOf(octets, false);
  const [first] = runs;
  if (runs.length > 1 && first?.isCode && first.padEnd > 0) return lenient(first.octets);
  const blocks = runs.filter(isBlock);
  const areWords = runs.every((run) => run.isCode || run.gaps > 1);
  return blocks[0] && blocks.length === 1 && areWords ? lenient(blocks[0].octets) : undefined;
}

/** Whether lines are as programs write base64. A stray line among them is none of it. */
function areEven(chars: string): boolean {
  const lines = chars.split("\n").map((line) => line.trim());
  const [first = "", ...others] = lines.filter((line) => line !== "");
  const last = others.pop() ?? first;
  return others.every(({ length }) => length === first.length) && last.length <= first.length && /[^-_]/.test(last);
}

/** In the alphabet of URLs (RFC 4648 §5); undefined if the octets are no base64 in it. */
function fromUrlAlphabet(octets: Buffer, { good, bad, gaps, url }: Sight, isText: boolean): Buffer | undefined {
  if (url < bad || gaps > 0 || good + url < WORD_CHARS) return;
  const chars = octets.toString("latin1");
  if (/[+/]/.test(chars)) return;
  const decoded = Buffer.from(chars, "base64url");
  if (isText) return isProse(decoded) || (URL_LINE.test(chars) && !hasControls(decoded)) ? decoded : undefined;
  return URL_LINE.test(chars) && areEven(chars) ? decoded : undefined;
}

/** @param isText whether plain words beside it, as gateways and mailing lists add them, belong to the words */
function base64(octets: Buffer, isText: boolean): Undone {
  const seen = sight(octets);
  const { good, bad, gaps, padEnd } = seen;
  const same = { octets, isIgnored: good + bad > 0, isBinary: false };
  if (bad === 0 && gaps === 0) {
    // All of it is in one group, the usual case.
    const isOne = padEnd < 0 || octets.subarray(padEnd).every((octet) => KINDS[octet] !== 1);
    const decoded = isOne ? Buffer.from(octets.toString("latin1"), "base64") : lenient(octets);
    // One word, or some words on lines of their own, may be letters only.
    const isWords =
      isText &&
      good < 200 &&
      good % 4 !== 0 &&
      padEnd < 0 &&
      !LONG.test(octets.toString("latin1")) &&
      !isProse(decoded);
    if (isWords) return same;
    const found = isText && !isUtf8(decoded) ? textBesideWords(octets, false) : undefined;
    return { octets: found ?? decoded, isIgnored: found !== undefined, isBinary: true };
  }
  const isDamaged = bad <= (good + bad) * STRAY_SHARE && (gaps === 0 || bad + gaps < good * STRAY_SHARE);
  const whole = isDamaged && isText ? lenient(octets) : undefined;
  if (whole && isProse(whole)) return { octets: whole, isIgnored: bad > 0, isBinary: true };
  const beside = () => (isText ? textBesideWords(octets, true) : fileBesideWords(octets));
  const found = fromUrlAlphabet(octets, seen, isText) ?? beside();
  if (found) return { octets: found, isIgnored: true, isBinary: true };
  if (!isDamaged || (isText && gaps > 0)) return same;
  return { octets: whole ?? lenient(octets), isIgnored: bad > 0, isBinary: true };
}

/** Base64 under another label: whole lines of it, which give a text. */
function secretBase64(octets: Buffer): Buffer | undefined {
  if (!/^\s{0,9}[A-Za-z0-9+/]{32,76}={0,2}[ \t]*\r?(?:\n|$)/.test(octets.toString("latin1", 0, 100))) return;
  const { good, bad, gaps, padEnd } = sight(octets);
  if (bad + gaps > 0 || (padEnd < 0 && (good <= 76 || good % 4 !== 0))) return;
  const decoded = lenient(octets);
  return isProse(decoded) ? decoded : undefined;
}

function hex(octet: number | undefined): number {
  if (octet === undefined) return -1;
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30;
  const upper = octet & 0xdf;
  return upper >= 0x41 && upper <= 0x46 ? upper - 0x37 : -1;
}

function quotedPrintable(octets: Buffer): Undone {
  let from = octets.indexOf(EQUALS);
  if (from < 0) return { octets, isIgnored: false, isBinary: false };
  let isIgnored = false;
  const found = Buffer.allocUnsafe(octets.length);
  let to = octets.copy(found, 0, 0, from);
  while (from < octets.length) {
    const [high, low] = [hex(octets[from + 1]), hex(octets[from + 2])];
    let next = from + 1;
    if (high >= 0 && low >= 0) {
      found[to++] = high * 16 + low;
      next = from + 3;
    } else {
      // A soft line break, with spaces that a relay may have added.
      let end = next;
      while (octets[end] === SPACE || octets[end] === 0x09) end += 1;
      if (octets[end] === CR && octets[end + 1] === LF) next = end + 2;
      else if (octets[end] === LF) next = end + 1;
      else if (end >= octets.length) next = end;
      else {
        found[to++] = EQUALS;
        isIgnored = true;
      }
    }
    const equals = octets.indexOf(EQUALS, next);
    from = equals < 0 ? octets.length : equals;
    to += octets.copy(found, to, next, from);
  }
  return { octets: found.subarray(0, to), isIgnored, isBinary: false };
}

function lineEnd(octets: Buffer, at: number): { stop: number; next: number } {
  const lf = octets.indexOf(LF, at);
  const next = lf < 0 ? octets.length : lf + 1;
  let stop = lf < 0 ? octets.length : lf;
  while (stop > at && octets[stop - 1] === CR) stop -= 1;
  return { stop, next };
}

/** A line of uuencode; undefined if it is none. Spaces at its end may be missing. */
function uuLine(octets: Buffer, at: number, stop: number): { octets: Buffer; given: number } | undefined {
  const size = ((octets[at] ?? 0) - SPACE) & 63;
  const chars = Math.ceil(size / 3) * 4;
  // Some programs leave out what fills the last group, others add a check sum.
  const given = stop - at - 1;
  if (stop === at || given > chars + 2) return;
  const found = Buffer.alloc(Math.ceil(size / 3) * 3);
  for (let n = 0; n < chars; n += 4) {
    let bits = 0;
    for (let k = 0; k < 4; k += 1) {
      const octet = n + k < given ? (octets[at + 1 + n + k] as number) : SPACE;
      if (octet < SPACE || octet > 0x60) return;
      bits = (bits << 6) | ((octet - SPACE) & 63);
    }
    found.writeUIntBE(bits, (n / 4) * 3, 3);
  }
  return { octets: found.subarray(0, size), given: Math.floor((given * 3) / 4) };
}

type Found = Block & { start: number; end: number };

function uuBlock(octets: Buffer, start: number): Found | undefined {
  const first = lineEnd(octets, start);
  const head = octets.toString("latin1", start, Math.min(first.stop, start + NAME_BYTES + 20));
  if (!/^begin [0-7]{3,4} \S/.test(head)) return;
  const pieces: Buffer[] = [];
  let [at, isWhole, given] = [first.next, false, 0];
  while (at < octets.length) {
    const { stop, next } = lineEnd(octets, at);
    const line = uuLine(octets, at, stop);
    if (stop - at === 3 && octets.toString("latin1", at, stop) === "end") {
      [at, isWhole] = [next, true];
      break;
    }
    // An empty line may stand for the last one, of no octets.
    if (!line && !(stop === at && /^\r?\n?end\s*(\r?\n|$)/.test(octets.toString("latin1", at, at + 10)))) break;
    if (line) {
      pieces.push(line.octets);
      given = line.given;
    }
    at = next;
  }
  // Without its last line, only full lines say that it is no text.
  if (!isWhole && pieces[0]?.length !== 45) return;
  if (!isWhole) pieces.push((pieces.pop() as Buffer).subarray(0, given));
  const name = octets.subarray(start + head.indexOf(" ", 6) + 1, Math.min(first.stop, start + NAME_BYTES + 20));
  return { name: decodeText(name, "").text.trim(), octets: Buffer.concat(pieces), isWhole, start, end: at };
}

/** As `uuencode -m` writes it (POSIX.1-2008). Without its last line it is text: base64 looks like words. */
function base64Block(octets: Buffer, start: number): Found | undefined {
  const first = lineEnd(octets, start);
  const head = octets.toString("latin1", start, Math.min(first.stop, start + NAME_BYTES + 20));
  const [prefix] = /^begin-base64 [0-7]{3,4} (?=\S)/.exec(head) ?? [];
  if (prefix === undefined) return;
  for (let at = first.next; at < octets.length; ) {
    const { stop, next } = lineEnd(octets, at);
    const line = octets.toString("latin1", at, Math.min(stop, at + BASE64_LINE_CHARS));
    if (line === "====") {
      const name = decodeText(octets.subarray(start + prefix.length, start + head.length), "").text.trim();
      const lines = octets.toString("latin1", first.next, at);
      return { name, octets: Buffer.from(lines, "base64"), isWhole: true, start, end: next };
    }
    if (!/^[A-Za-z0-9+/]+=*$/.test(line)) return;
    at = next;
  }
  return;
}

type Decoded = { octets: Buffer; isPart: boolean };

/** The lines of a yEnc block. */
function yencLines(octets: Buffer): Decoded {
  const found = Buffer.allocUnsafe(octets.length);
  let [to, isPart] = [0, false];
  for (let at = 0; at < octets.length; ) {
    const { stop, next } = lineEnd(octets, at);
    if (octets.toString("latin1", at, Math.min(stop, at + 7)) === "=ypart ") isPart = true;
    else {
      for (let n = at; n < stop; n += 1) {
        const isEscape = octets[n] === EQUALS && n + 1 < stop;
        if (isEscape) n += 1;
        found[to++] = ((octets[n] as number) - 42 - (isEscape ? 64 : 0)) & 0xff;
      }
    }
    at = next;
  }
  return { octets: found.subarray(0, to), isPart };
}

/** Without its last line it is text: nothing would say where it ends. */
function yencBlock(octets: Buffer, start: number): Found | undefined {
  const first = lineEnd(octets, start);
  const head = octets.subarray(start, Math.min(first.stop, start + NAME_BYTES + 100));
  const [, size = ""] = / size=(\d{1,12})/.exec(head.toString("latin1")) ?? [];
  const nameAt = head.indexOf(" name=");
  // First, so that the end is not looked for behind each line that is no head.
  if (size === "" || nameAt < 0) return;
  const close = octets.indexOf("\n=yend ", first.next - 1);
  if (close < 0) return;
  const lines = octets.subarray(Math.min(first.next, close + 1), close + 1);
  const isSized = (each: Decoded) => each.octets.length === Number(size);
  let decoded = yencLines(lines);
  if (!decoded.isPart && !isSized(decoded) && isUtf8(lines)) {
    // A program on the way took its octets for characters.
    const again = yencLines(Buffer.from(lines.toString("utf8"), "latin1"));
    if (isSized(again)) decoded = again;
  }
  const name = decodeText(head.subarray(nameAt + 6), "").text.trim();
  const isWhole = decoded.isPart || isSized(decoded);
  return { name, octets: decoded.octets, isWhole, start, end: lineEnd(octets, close + 1).next };
}

/** The next uuencoded or yEnc block that starts at a line at or behind `from`. */
function nextBlock(octets: Buffer, from: number): Found | undefined {
  // Without it, the end of each start of a block would be looked for in all that follows.
  const lastEnd = octets.lastIndexOf("\n=yend ");
  for (let at = octets.indexOf(BEGIN, from); at >= 0; at = octets.indexOf(BEGIN, at + 1)) {
    const isYenc = at - 2 >= from && octets[at - 2] === EQUALS && octets[at - 1] === 0x79;
    const start = isYenc ? at - 2 : at;
    if (start > 0 && octets[start - 1] !== LF) continue;
    const block = isYenc ? start < lastEnd && yencBlock(octets, start) : beginBlock(octets, start);
    if (block) return block;
  }
  return;
}

function beginBlock(octets: Buffer, start: number): Found | undefined {
  return octets[start + BEGIN.length] === SPACE ? uuBlock(octets, start) : base64Block(octets, start);
}

/** The files that stand in a plain text, and the text without them. */
export function takeBlocks(octets: Buffer): { text: Buffer; blocks: Block[] } {
  if (!octets.includes(BEGIN)) return { text: octets, blocks: [] };
  const blocks: Block[] = [];
  const rest: Buffer[] = [];
  let from = 0;
  while (blocks.length < BLOCKS_MAX) {
    const found = nextBlock(octets, from);
    if (!found) break;
    rest.push(octets.subarray(from, found.start));
    blocks.push(found);
    from = found.end;
  }
  return { text: Buffer.concat([...rest, octets.subarray(from)]), blocks };
}

/** Undoes an encoding that has one block. */
function oneBlock(octets: Buffer): Undone {
  const block = nextBlock(octets, 0);
  if (!block) return { octets, isIgnored: true, isBinary: false };
  return { octets: block.octets, isIgnored: !block.isWhole, isBinary: true, name: block.name };
}

/** @param encoding the field Content-Transfer-Encoding */
export function undo(octets: Buffer, encoding: string, isText: boolean): Undone {
  // Comments may stand before it (RFC 2045 §6.1), and comments, parameters and damaged octets behind it.
  const [, name = ""] = /^(?:["'\s]|\([^()]*\))*([\w/-]*)/.exec(encoding.toLowerCase()) ?? [];
  switch (name) {
    case "base64":
    case "base-64":
    case "x-base64":
      return base64(octets, isText);
    case "quoted-printable":
    case "quotedprintable":
    case "quoted/printable": {
      const secret = isText ? secretBase64(octets) : undefined;
      return secret ? { octets: secret, isIgnored: true, isBinary: true } : quotedPrintable(octets);
    }
    case "x-uuencode":
    case "uuencode":
    case "x-uue":
    case "uue":
    case "x-yenc":
    case "yenc":
      return oneBlock(octets);
    default:
      return {
        octets,
        isIgnored: !["", "7bit", "8bit", "binary", "7-bit", "8-bit", "7bits", "8bits"].includes(name),
        isBinary: false,
      };
  }
}
