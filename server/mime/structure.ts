// Finds the parts of a mail in one pass over its lines. A structure that cannot be used is read as mail programs show it.
import { type Field, firstValue, type HeaderBlock, isBare, readBlock, readField } from "./headers.ts";
import { undo } from "./transfer.ts";

/** Of a mail, with those of its containers. */
export const PARTS_MAX = 2_000;
const DEPTH_MAX = 100;
/** A boundary has at most 70 characters (RFC 2046 §5.1.1); some programs write more. */
const BOUNDARY_BYTES = 256;
/** How often the boundary of a multipart is looked for in its lines, one inside the other. */
const REPAIRS_MAX = 3;
/** How many multiparts are looked at for an encoding of the whole, and how much of each. */
const ENCODED_MAX = 10;
const ENCODED_BYTES = 64 * 1024;
/** What may stand behind an equals sign in quoted-printable: an escape, the end of a line, and how much of it is looked at. */
const BEHIND_EQUALS = /^(?:[0-9A-F]{2}|[ \t]*(?:\r?\n|$))/i;
const BEHIND_BYTES = 80;
/** A field of a part. Words may look like other fields. */
const PART_FIELD = /^(?:content-|mime-version|x-)[\w-]{0,80}[ \t]*:/i;
const LF = 0x0a;
const CR = 0x0d;

/** A part without parts. */
export type Leaf = {
  type: Field;
  disposition: Field;
  encoding: string;
  /** Without angle brackets. */
  contentId: string;
  start: number;
  end: number;
  isRelated: boolean;
  /** Whether it has siblings or a parent. */
  isRoot: boolean;
  /** The alternative that it belongs to; undefined if there is none. */
  alternative: object | undefined;
  /** Whether the type is not the one that is written. */
  isRetyped: boolean;
  /** The Content-Type field of a multipart of which no part was found. */
  multipart: string | undefined;
};
export type Structure = { leaves: Leaf[]; parts: number; isRepaired: boolean; isCut: boolean; isEncrypted: boolean };

type Multipart = {
  kind: string;
  boundary: string;
  start: number;
  parts: number;
  isRelated: boolean;
  alternative: object | undefined;
  depth: number;
  /** The place of an outer multipart with the same boundary. */
  shadowed: number | undefined;
  block: HeaderBlock;
};
type State = {
  raw: Buffer;
  end: number;
  charset: string;
  stack: Multipart[];
  /** The place in the stack of each boundary. */
  open: Map<string, number>;
  found: Structure;
  parts: number;
  partsMax: number;
  repairs: number;
  /** Multiparts that were looked at for an encoding of the whole. */
  encoded: number;
};
type Place = { isRelated: boolean; alternative: object | undefined; defaultType: string; isRoot: boolean };

/** The kinds of media (IANA). Others before a slash are written wrongly, or known to few. */
const KIND = /^(?:application|audio|chemical|example|font|haptics|image|message|model|multipart|text|video)(?:\/|$)/;
export const isKnownKind = (type: string) => KIND.test(type);
const PLAIN = { type: { value: "text/plain", parameters: new Map<string, string>() }, isRetyped: false };

/** The type that is meant by one with an unknown kind: `plain/text`, `jpeg/image`, `txt/html`. Undefined: it says nothing. */
function meantType(kind: string, sub: string): string | undefined {
  if (isKnownKind(sub)) return `${sub}/${kind}`;
  const words = [sub, kind].find((each) => each === "plain" || each === "html");
  return words && `text/${words}`;
}

/** Types that are written without their kind, the wrong way round, or with another sign than a slash. */
function readType(field: string | undefined, charset: string, fallback: string): { type: Field; isRepaired: boolean } {
  const type = readField(field, charset);
  if (field === undefined) return { type: { ...type, value: fallback }, isRepaired: false };
  const [, kind = "", sub = ""] = /^([\w!#$&^.+-]{1,100})[ \t]*\/[ \t]*([\w!#$&^.+*-]{1,150})/.exec(type.value) ?? [];
  // The semicolon is missing in `text/plain charset=utf-8`.
  const isOpen = /^[^;="]{0,200}=/.test(field);
  if (sub !== "") {
    const meant = isKnownKind(kind) ? undefined : meantType(kind, sub);
    return { type: { ...type, value: meant ?? `${kind}/${sub}` }, isRepaired: isOpen || meant !== undefined };
  }
  if (/^(?:text)?\W?html?$/.test(type.value)) return { type: { ...type, value: "text/html" }, isRepaired: true };
  const multipart = /^multipart\W?(\w*)$/.exec(type.value);
  if (multipart && type.parameters.has("boundary")) {
    return { type: { ...type, value: `multipart/${multipart[1] || "mixed"}` }, isRepaired: true };
  }
  // RFC 2045 §5.2.
  return { type: { ...type, value: "text/plain" }, isRepaired: true };
}

/** The multipart whose boundary the line is, and whether it closes it. */
function matchLine({ raw, open }: State, at: number, stop: number): { place: number; closes: boolean } | undefined {
  let end = stop;
  while (end > at && (raw[end - 1] === 0x20 || raw[end - 1] === 0x09 || raw[end - 1] === CR)) end -= 1;
  if (end - at > BOUNDARY_BYTES + 4) return;
  const line = raw.toString("latin1", at + 2, end);
  const place = open.get(line);
  if (place !== undefined) return { place, closes: false };
  const closed = line.endsWith("--") ? open.get(line.slice(0, -2)) : undefined;
  return closed === undefined ? undefined : { place: closed, closes: true };
}

/** Ends what is open above a place of the stack. */
function closeTo(state: State, place: number, end: number): void {
  while (state.stack.length > place) {
    const multipart = state.stack.pop() as Multipart;
    if (multipart.shadowed !== undefined) state.open.set(multipart.boundary, multipart.shadowed);
    else state.open.delete(multipart.boundary);
    if (multipart.parts === 0) repair(state, multipart, end);
  }
}

/** The boundary that lines of a body use: the first line `--x` that a header of a part follows. */
function usedBoundary(raw: Buffer, start: number, end: number): string | undefined {
  for (let at = start; at < end; ) {
    const isLine = at === start || raw[at - 1] === LF;
    if (isLine && raw[at] === 0x2d && raw[at + 1] === 0x2d) {
      const piece = raw.toString("latin1", at, Math.min(end, at + BOUNDARY_BYTES + 80));
      const [, boundary] = /^--([^\r\n]{1,256}?)[ \t]*\r?\n(?:content-[a-z-]{1,40}:|\r?\n)/i.exec(piece) ?? [];
      if (boundary !== undefined) return boundary;
    }
    const next = raw.indexOf("\n--", at);
    if (next < 0) return;
    at = next + 1;
  }
  return;
}

/** A multipart without a single part: by the boundary that it uses, otherwise as text. */
function repair(state: State, { start, kind, isRelated, alternative, block }: Multipart, end: number): void {
  state.found.isRepaired = true;
  const boundary = state.repairs < REPAIRS_MAX ? usedBoundary(state.raw, start, end) : undefined;
  if (boundary !== undefined) {
    const inner: State = { ...state, end, stack: [], open: new Map(), repairs: state.repairs + 1 };
    inner.stack.push({ kind, boundary, start, parts: 0, isRelated, alternative, depth: 0, shadowed: undefined, block });
    inner.open.set(boundary, 0);
    walk(inner, start);
    state.parts = inner.parts;
    return;
  }
  if (isBlank(state.raw, start, end)) return;
  const place = { isRelated, alternative, defaultType: "text/plain", isRoot: state.stack.length === 0 };
  addLeaf(state, place, { ...PLAIN, block, start, end, multipart: firstValue(block, "content-type") });
}

function isBlank(raw: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((raw[at] as number) > 0x20) return false;
  return true;
}

function addLeaf(
  { charset, found }: State,
  { isRelated, alternative, isRoot }: Place,
  leaf: Pick<Leaf, "type" | "isRetyped" | "start" | "end"> & Partial<Pick<Leaf, "multipart">> & { block: HeaderBlock },
): void {
  const { type, isRetyped, block, start, end, multipart } = leaf;
  found.leaves.push({
    type,
    disposition: readField(firstValue(block, "content-disposition"), charset),
    encoding: firstValue(block, "content-transfer-encoding") ?? "",
    contentId: (firstValue(block, "content-id") ?? "").trim().replace(/^<|>$/g, ""),
    start,
    end: Math.max(start, end),
    isRelated,
    alternative,
    isRoot,
    isRetyped,
    multipart,
  });
}

/** The next line at or behind `at` that is a boundary of an open multipart. */
function nextBoundary(
  state: State,
  from: number,
): { at: number; next: number; place: number; closes: boolean } | undefined {
  const { raw, end } = state;
  if (state.open.size === 0) return;
  for (let at = from; at < end; ) {
    const isLine = at === 0 || raw[at - 1] === LF;
    if (isLine && raw[at] === 0x2d && raw[at + 1] === 0x2d) {
      const lf = raw.indexOf(LF, at);
      const stop = lf < 0 || lf >= end ? end : lf;
      const match = matchLine(state, at, stop);
      if (match) return { at, next: Math.min(end, stop + 1), ...match };
    }
    const next = raw.indexOf("\n--", at);
    if (next < 0) return;
    at = next + 1;
  }
  return;
}

/** Before the line break that belongs to the boundary. */
function bodyEnd(raw: Buffer, start: number, at: number): number {
  let end = at;
  if (end > start && raw[end - 1] === LF) end -= 1;
  if (end > start && raw[end - 1] === CR) end -= 1;
  return end;
}

/** Whether every equals sign is an escape or ends a line. */
function isQuotedPrintable(raw: Buffer, start: number, end: number): boolean {
  for (let at = raw.indexOf("=", start); at >= 0 && at < end; at = raw.indexOf("=", at + 1)) {
    if (!BEHIND_EQUALS.test(raw.toString("latin1", at + 1, Math.min(end, at + 1 + BEHIND_BYTES)))) return false;
  }
  return true;
}

/**
 * Whether a multipart is encoded in whole as quoted-printable, against RFC 2045 §6.4. Many only say so: it is encoded if every equals sign
 * is an escape and its boundary can be read only behind the decoding.
 */
function isQuotedWhole(state: State, block: HeaderBlock, boundary: string): boolean {
  if (boundary === "" || !/^\s*quoted-printable\s*$/i.test(firstValue(block, "content-transfer-encoding") ?? ""))
    return false;
  if (state.encoded >= ENCODED_MAX) return false;
  state.encoded += 1;
  const start = block.bodyStart;
  const end = nextBoundary(state, start)?.at ?? state.end;
  const written = state.raw.subarray(start, Math.min(end, start + ENCODED_BYTES));
  const hasBoundary = (octets: Buffer) => `\n${octets.toString("latin1")}`.includes(`\n--${boundary}`);
  if (hasBoundary(written)) return false;
  return hasBoundary(undo(written, "quoted-printable", false).octets) && isQuotedPrintable(state.raw, start, end);
}

/** Opens the part whose body starts at `block.bodyStart`, and says where its lines go on. */
function openPart(
  state: State,
  block: HeaderBlock,
  place: Place,
  depth: number,
): { leaf?: Pick<Leaf, "type" | "isRetyped" | "start"> & Partial<Pick<Leaf, "multipart">>; at: number } {
  const { type, isRepaired } = readType(firstValue(block, "content-type"), state.charset, place.defaultType);
  if (isRepaired || block.isRepaired) state.found.isRepaired = true;
  const start = block.bodyStart;
  if (!type.value.startsWith("multipart/")) return { leaf: { type, isRetyped: isRepaired, start }, at: start };
  const kind = type.value.slice("multipart/".length);
  if (kind === "encrypted") state.found.isEncrypted = true;
  const boundary = Buffer.from((type.parameters.get("boundary") ?? "").trimEnd())
    .toString("latin1")
    .slice(0, BOUNDARY_BYTES);
  // Too deep: what is inside is one text.
  if (depth >= DEPTH_MAX) {
    state.found.isCut = true;
    return { leaf: { ...PLAIN, start }, at: start };
  }
  if (isQuotedWhole(state, block, boundary)) {
    state.found.isRepaired = true;
    return { leaf: { ...PLAIN, start, multipart: firstValue(block, "content-type") }, at: start };
  }
  const multipart = {
    kind,
    boundary,
    start,
    parts: 0,
    isRelated: place.isRelated || kind === "related",
    alternative: kind === "alternative" ? {} : place.alternative,
    depth,
    shadowed: state.open.get(boundary),
    block,
  };
  if (boundary !== "") state.open.set(boundary, state.stack.length);
  state.stack.push(multipart);
  return { at: start };
}

/** From the body of the multipart that is open to the end. */
function walk(state: State, from: number): void {
  const { raw, stack } = state;
  let at = from;
  for (;;) {
    const line = nextBoundary(state, at);
    if (!line) break;
    closeTo(state, line.place + 1, bodyEnd(raw, at, line.at));
    at = line.next;
    const parent = stack[line.place] as Multipart;
    if (line.closes) {
      if (parent.parts > 0) closeTo(state, line.place, line.at);
      continue;
    }
    parent.parts += 1;
    state.parts += 1;
    if (state.parts > state.partsMax) {
      state.found.isCut = true;
      break;
    }
    at = readPart(state, parent, at);
  }
  closeTo(state, 0, state.end);
}

/** A part from its header on. */
function readPart(state: State, parent: Multipart, start: number): number {
  const { raw, end } = state;
  const isBoundary = (at: number, stop: number) => isBare(raw, at, stop) || matchLine(state, at, stop) !== undefined;
  const ends = { isBoundary, field: PART_FIELD, isPart: true };
  let block = readBlock(raw, start, end, ends);
  if (block.lines.length === 0 && block.bodyStart > start) {
    // A header that begins after an empty line.
    const isLate = /^content-(?:type|transfer-encoding|disposition)[ \t]*:/i.test(
      raw.toString("latin1", block.bodyStart, block.bodyStart + 80),
    );
    if (isLate) block = { ...readBlock(raw, block.bodyStart, end, ends), isRepaired: true };
  }
  const place = {
    isRelated: parent.isRelated,
    alternative: parent.alternative,
    defaultType: parent.kind === "digest" ? "message/rfc822" : "text/plain",
    isRoot: false,
  };
  const { leaf, at } = openPart(state, block, place, parent.depth + 1);
  if (!leaf) return at;
  const line = nextBoundary(state, at);
  addLeaf(state, place, { ...leaf, block, end: line ? bodyEnd(raw, leaf.start, line.at) : end });
  return line ? line.at : end;
}

/**
 * @param block its header block
 * @param partsMax parts of multiparts that are read
 */
export function readStructure(raw: Buffer, block: HeaderBlock, partsMax = PARTS_MAX): Structure {
  const found: Structure = { leaves: [], parts: 0, isRepaired: false, isCut: false, isEncrypted: false };
  const state: State = {
    raw,
    end: raw.length,
    charset: block.charset,
    stack: [],
    open: new Map(),
    found,
    parts: 0,
    partsMax,
    repairs: 0,
    encoded: 0,
  };
  const place = { isRelated: false, alternative: undefined, defaultType: "text/plain", isRoot: true };
  const { leaf, at } = openPart(state, block, place, 0);
  if (leaf) addLeaf(state, place, { ...leaf, block, end: raw.length });
  else walk(state, at);
  // Words that stand outside of all parts, or in too many of them.
  if (found.leaves.length === 0 && !isBlank(raw, at, raw.length)) {
    addLeaf(state, place, { ...PLAIN, block, start: at, end: raw.length });
  }
  found.parts = state.parts;
  return found;
}
