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
/** A stray character among so many of base64 is dropped (RFC 2045 §6.8); with more, it is no base64. */
const STRAY_SHARE = 1 / 20;
/** No word is as long. */
const LONG = /[A-Za-z0-9+/]{32}/;
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
  /** Spaces between characters of one line. */
  gaps: number;
  /** Where the first line starts that has others or gaps. */
  proseAt: number;
  /** Behind the first padding. */
  padEnd: number;
};

function sight(octets: Buffer): Sight {
  const seen: Sight = { good: 0, bad: 0, gaps: 0, proseAt: -1, padEnd: -1 };
  let [lineStart, spaceAt, isStarted] = [0, -1, false];
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    const kind = KINDS[octet];
    if (octet === LF) {
      [lineStart, spaceAt, isStarted] = [at + 1, -1, false];
      continue;
    }
    if (kind === 3) {
      if (isStarted && octet !== CR) spaceAt = at;
      continue;
    }
    if (spaceAt >= 0) {
      seen.gaps += 1;
      spaceAt = -1;
      if (seen.proseAt < 0) seen.proseAt = lineStart;
    }
    isStarted = true;
    if (kind === 0) {
      seen.bad += 1;
      if (seen.proseAt < 0) seen.proseAt = lineStart;
    } else if (kind === 1) seen.good += 1;
    else if (octets[at + 1] !== EQUALS && seen.padEnd < 0) seen.padEnd = at + 1;
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

/** Whether the octets could be text: no control characters but those of text. */
function isProse(octets: Buffer): boolean {
  for (let at = 0; at < octets.length; at += 1) {
    const octet = octets[at] as number;
    if (octet < SPACE && octet !== LF && octet !== CR && octet !== 0x09 && octet !== 0x0c && octet !== 0x1b)
      return false;
  }
  return octets.length > 0 && !decodeText(octets, "utf-8").isGuessed;
}

/** @param isText whether a plain footer behind it, as mailing lists add one, belongs to the words */
function base64(octets: Buffer, isText: boolean): Undone {
  const { good, bad, gaps, proseAt, padEnd } = sight(octets);
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
    return isWords ? same : { octets: decoded, isIgnored: false, isBinary: true };
  }
  const isEnded = padEnd > 0 && padEnd <= proseAt;
  const rest = sight(octets.subarray(proseAt));
  // What a line was damaged to, and not what stands behind the base64.
  const isStray = !isEnded && rest.bad + rest.gaps <= Math.max(1, rest.good * STRAY_SHARE);
  const prefix = octets.subarray(0, proseAt);
  const isFull = proseAt > 0 && LONG.test(prefix.toString("latin1", Math.max(0, proseAt - 200)));
  if (proseAt > 0 && !isStray && (isEnded || (isText && (isFull || isProse(lenient(prefix)))))) {
    const footer = isText ? [Buffer.from("\n"), octets.subarray(proseAt)] : [];
    return { octets: Buffer.concat([lenient(prefix), ...footer]), isIgnored: true, isBinary: true };
  }
  if (bad <= (good + bad) * STRAY_SHARE && (gaps === 0 || bad + gaps < good * STRAY_SHARE)) {
    const whole = lenient(octets);
    if (!isText || isProse(whole) || gaps === 0) return { octets: whole, isIgnored: bad > 0, isBinary: true };
  }
  return same;
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
function uuLine(octets: Buffer, at: number, stop: number): Buffer | undefined {
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
  return found.subarray(0, size);
}

type Found = Block & { start: number; end: number };

function uuBlock(octets: Buffer, start: number): Found | undefined {
  const first = lineEnd(octets, start);
  const head = octets.toString("latin1", start, Math.min(first.stop, start + NAME_BYTES + 20));
  if (!/^begin [0-7]{3,4} \S/.test(head)) return;
  const pieces: Buffer[] = [];
  let [at, isWhole] = [first.next, false];
  while (at < octets.length) {
    const { stop, next } = lineEnd(octets, at);
    const line = uuLine(octets, at, stop);
    if (stop - at === 3 && octets.toString("latin1", at, stop) === "end") {
      [at, isWhole] = [next, true];
      break;
    }
    // An empty line may stand for the last one, of no octets.
    if (!line && !(stop === at && /^\r?\n?end\s*(\r?\n|$)/.test(octets.toString("latin1", at, at + 10)))) break;
    if (line) pieces.push(line);
    at = next;
  }
  // Without its last line, only full lines say that it is no text.
  if (!isWhole && pieces[0]?.length !== 45) return;
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
  const close = octets.indexOf("\n=yend ", first.next - 1);
  if (size === "" || nameAt < 0 || close < 0) return;
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
  // Comments, parameters and damaged octets may follow.
  const [, name = ""] = /^["'\s]*([\w/-]*)/.exec(encoding.toLowerCase()) ?? [];
  switch (name) {
    case "base64":
    case "base-64":
    case "x-base64":
      return base64(octets, isText);
    case "quoted-printable":
    case "quotedprintable":
    case "quoted/printable":
      return quotedPrintable(octets);
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
