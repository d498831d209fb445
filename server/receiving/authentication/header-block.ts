// Prepares the header block for the checks: limits its size and the number of signatures.

const BLOCK_BYTES = 65_536;
const BLOCK_LINES = 1_000;
/** No header needs more in a row, and mailauth's time for trimming them is quadratic. */
const BLANKS_IN_A_ROW = 1_000;
/** RFC 6376 §6.1 allows verifiers to limit them. */
const SIGNATURES = 10;
const UPPER_X = 0x58;

const BLANKS = /[ \t\r\n]+/g;
const SIGNED = /^(?:dkim-signature|arc-message-signature)/im;
const DKIM_SIGNATURE = /^dkim-signature/gim;
/** Also with white space or a fold before the colon, which the obsolete syntax allows (RFC 5322 §4.5.8). */
const FROM = /^from[ \t\r\n]*:/gim;

export type BoundedMail = {
  /** The mail; without its body if no signature covers one. */
  raw: Buffer;
  /** The header block, a character for each octet. */
  block: string;
  /** At least as many as any mail program finds. */
  fromFields: number;
};

/** Including the empty line; as in server/receiving/headers.ts. */
function blockEnd(raw: Buffer): number {
  if (raw.subarray(0, 2).toString("latin1") === "\r\n") return 2;
  const end = raw.subarray(0, BLOCK_BYTES).indexOf("\r\n\r\n");
  return end < 0 ? raw.length : end + 4;
}

function lineCount(raw: Buffer, end: number): number {
  let count = 0;
  for (let at = raw.indexOf("\n"); at >= 0 && at < end; at = raw.indexOf("\n", at + 1)) count += 1;
  return count;
}

/**
 * The upper ones count, because the last servers added them; the others become `XKIM-Signature`, which has no meaning.
 */
function hideFurtherSignatures(raw: Buffer, block: string): Buffer {
  const further = [...block.matchAll(DKIM_SIGNATURE)].slice(SIGNATURES);
  if (further.length === 0) return raw;
  const copy = Buffer.from(raw);
  for (const { index } of further) copy[index] = UPPER_X;
  return copy;
}

function hasLongGap(block: string): boolean {
  for (const [blanks] of block.matchAll(BLANKS)) if (blanks.length > BLANKS_IN_A_ROW) return true;
  return false;
}

/** Undefined if the header block is larger than the limit, or empty. */
export function boundMail(raw: Buffer): BoundedMail | undefined {
  const end = blockEnd(raw);
  if (end > BLOCK_BYTES || lineCount(raw, end) > BLOCK_LINES) return;
  const block = raw.toString("latin1", 0, end);
  if (hasLongGap(block)) return;
  return {
    raw: SIGNED.test(block) ? hideFurtherSignatures(raw, block) : raw.subarray(0, end),
    block,
    fromFields: block.match(FROM)?.length ?? 0,
  };
}
