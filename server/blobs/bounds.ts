// Rejects a mail before parsing if its MIME structure would cost far more than its size.

const PARTS_MAX = 2_000;
const BOUNDARIES_MAX = 1_000;
/** The parser compares every line that starts with `--` with every open boundary. */
const COMPARISONS_MAX = 2_000_000;
/** Longest boundary (RFC 2046 §5.1.1), and the dashes around it. */
const LINE_BYTES = 80;

const BOUNDARY = /boundary[*\d]*\s*=\s*"?([^"\s;]{1,70})/gi;
/** Read in chunks, so that no mail becomes one large string. */
const PIECE_BYTES = 1024 * 1024;

function declaredBoundaries(raw: Buffer): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at < raw.length && found.size <= BOUNDARIES_MAX; at += PIECE_BYTES) {
    const piece = raw.toString("latin1", at, Math.min(raw.length, at + PIECE_BYTES + LINE_BYTES));
    for (const [, boundary = ""] of piece.matchAll(BOUNDARY)) found.add(boundary);
  }
  return found;
}

/**
 * Linear in the size of the mail, and far cheaper than parsing.
 * @throws Error if it declares too many boundaries, or has too many parts or lines that may start one
 */
export function requireFewParts(raw: Buffer): void {
  const boundaries = declaredBoundaries(raw);
  if (boundaries.size > BOUNDARIES_MAX) throw new Error(`more than ${BOUNDARIES_MAX} MIME boundaries`);
  let parts = 0;
  let lines = 0;
  for (let at = raw.indexOf("\n--"); at >= 0; at = raw.indexOf("\n--", at + 3)) {
    lines += 1;
    const line = raw.toString("latin1", at + 3, Math.min(raw.length, at + LINE_BYTES)).split(/[\r\n]/, 1)[0] ?? "";
    if (boundaries.has(line.trimEnd())) parts += 1;
    if (parts > PARTS_MAX) throw new Error(`more than ${PARTS_MAX} MIME parts`);
    if (lines * boundaries.size > COMPARISONS_MAX) throw new Error("too many lines that may start a MIME part");
  }
}
