// Replaces `Blob` in the parser thread. postal-mime joins the lines of a part with it, and Node's Blob takes quadratic
// time for many pieces (20 s for 2 MiB of short lines), in native code that `terminate` cannot interrupt.

type Piece = Uint8Array | string;

function join(pieces: Piece[]): ArrayBuffer {
  const texts = new Map<string, Uint8Array>();
  const bytesOf = (piece: Piece) => {
    if (typeof piece !== "string") return piece;
    const bytes = texts.get(piece) ?? Buffer.from(piece);
    texts.set(piece, bytes);
    return bytes;
  };
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + bytesOf(piece).byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    const bytes = bytesOf(piece);
    joined.set(bytes, at);
    at += bytes.byteLength;
  }
  return joined.buffer;
}

/** The part of Blob that postal-mime uses. */
function JoinedPieces(pieces: (Piece | ArrayBuffer)[] = []) {
  const views = pieces.map((piece) => (piece instanceof ArrayBuffer ? new Uint8Array(piece) : piece));
  return { arrayBuffer: () => Promise.resolve(join(views)) };
}

export function replaceBlob(): void {
  Object.assign(globalThis, { Blob: JoinedPieces });
}
