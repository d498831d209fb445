// Opens S/MIME of one part (RFC 8551 §3.5): the signed or compressed content of CMS, which needs no key. Nothing is verified here.
import { constants, inflateSync } from "node:zlib";

const DEPTH_MAX = 16;
const PIECES_MAX = 100_000;

const SEQUENCE = 0x30;
const OBJECT_ID = 0x06;
const OCTETS = 0x04;
const OCTETS_IN_PIECES = 0x24;
const EXPLICIT = 0xa0;
const IMPLICIT = 0x80;
const SIGNED = "2a864886f70d010702";
const COMPRESSED = "2a864886f70d0109100109";

/** `start` and `end` of its content; `next`: behind it. */
type Node = { tag: number; start: number; end: number; next: number };
/** Counts what was read, because lengths that are not given are found by reading what is inside. */
type Reader = { octets: Buffer; left: number; isCut: boolean };

/** What is cut ends where the octets end. Undefined: it is broken or too deep. */
function nodeAt(reader: Reader, at: number, end: number, depth = 0): Node | undefined {
  const { octets } = reader;
  reader.left -= 1;
  if (depth > DEPTH_MAX || reader.left < 0 || at + 2 > end) return;
  const [tag = 0, first = 0] = [octets[at], octets[at + 1]];
  if (first < 0x80) return bounded(reader, tag, at + 2, first, end);
  if (first !== 0x80) {
    const size = first & 0x7f;
    if (size > 4 || at + 2 + size > end) return;
    return bounded(reader, tag, at + 2 + size, octets.readUIntBE(at + 2, size), end);
  }
  // An indefinite length ends with two zero octets.
  let inner = at + 2;
  while (inner + 2 <= end && !(octets[inner] === 0 && octets[inner + 1] === 0)) {
    const child = nodeAt(reader, inner, end, depth + 1);
    if (!child) return;
    inner = child.next;
  }
  if (inner + 2 > octets.length) reader.isCut = true;
  return { tag, start: at + 2, end: inner, next: Math.min(inner + 2, end) };
}

function bounded(reader: Reader, tag: number, start: number, size: number, end: number): Node | undefined {
  // What is inside of another is not longer than that.
  if (start + size > end && end < reader.octets.length) return;
  if (start + size > end) reader.isCut = true;
  const stop = Math.min(start + size, end);
  return { tag, start, end: stop, next: stop };
}

function childrenOf(reader: Reader, { start, end }: Node): Node[] {
  const found: Node[] = [];
  for (let at = start; at < end; ) {
    const node = nodeAt(reader, at, end);
    if (!node || reader.left < 0) break;
    found.push(node);
    at = node.next;
  }
  return found;
}

/** The octets of a string, which may be in pieces. */
function octetsOf(reader: Reader, node: Node): Buffer | undefined {
  const { octets } = reader;
  if (node.tag === OCTETS || node.tag === IMPLICIT) return octets.subarray(node.start, node.end);
  if (node.tag !== OCTETS_IN_PIECES && node.tag !== EXPLICIT) return;
  const pieces = childrenOf(reader, node).flatMap((child) => octetsOf(reader, child) ?? []);
  return pieces.length === 0 ? undefined : Buffer.concat(pieces);
}

/** The content of ContentInfo or EncapsulatedContentInfo: its type, and what stands in [0]. */
function contentOf(reader: Reader, node: Node | undefined): { type: string; content: Node | undefined } | undefined {
  if (node?.tag !== SEQUENCE) return;
  const [id, content] = childrenOf(reader, node);
  if (id?.tag !== OBJECT_ID) return;
  return { type: reader.octets.toString("hex", id.start, id.end), content };
}

/**
 * The mail inside, as far as it is there. Undefined: it needs a key, or it is no CMS, or has no content, as a mere signature.
 * @param inflatedMax octets of compressed content
 */
export function openSigned(octets: Buffer, inflatedMax: number): { content: Buffer | undefined; isWhole: boolean } {
  const reader: Reader = { octets, left: PIECES_MAX, isCut: false };
  const content = readContent(reader, inflatedMax);
  return { content, isWhole: content !== undefined && !reader.isCut };
}

function readContent(reader: Reader, inflatedMax: number): Buffer | undefined {
  const outer = contentOf(reader, nodeAt(reader, 0, reader.octets.length));
  if (!outer?.content || ![SIGNED, COMPRESSED].includes(outer.type)) return;
  const [data] = childrenOf(reader, outer.content);
  // Version and algorithms stand before the content.
  const inside = data && childrenOf(reader, data).map((node) => contentOf(reader, node));
  const [string] =
    inside?.flatMap((each) => (each?.content?.tag === EXPLICIT ? childrenOf(reader, each.content) : [])) ?? [];
  const content = string && octetsOf(reader, string);
  if (!content || outer.type === SIGNED) return content;
  const finishFlush = reader.isCut ? constants.Z_SYNC_FLUSH : constants.Z_FINISH;
  try {
    return inflateSync(content, { maxOutputLength: Math.max(1, inflatedMax), finishFlush });
  } catch {
    return;
  }
}
