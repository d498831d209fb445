// The file of a backup: one zstd stream of frames, each a letter, a length of 4 bytes (big endian) and as many bytes.
//
// `H` header · for each table `T` what it is, `D` rows as COPY writes them, `E` its count and hash · `Z` the end. All but
// `D` are JSON.
import type { Readable } from "node:stream";

export const FORMAT = "mailberth-backup/1";
export const FRAME_MAX_BYTES = 4 * 1024 * 1024;
const HEAD_BYTES = 5;

/** `migration`: the newest one of the database. `key_check`: a code that only the same ENCRYPTION_KEY makes. */
export type Header = { format: string; version: string; migration: number; key_check: string; created_at: string };
export type TableStart = { table: string; columns: string[] };
/** `rows` and the SHA-256 of all `D` of the table, in hex. */
export type TableEnd = { rows: number; sha256: string };
export type FrameKind = "H" | "T" | "D" | "E" | "Z";
export type Frame = { kind: FrameKind; bytes: Buffer };

export function frame(kind: FrameKind, content: Buffer | object): Buffer[] {
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
  const head = Buffer.alloc(HEAD_BYTES, kind);
  head.writeUInt32BE(bytes.length, 1);
  return [head, bytes];
}

function isKind(letter: string): letter is FrameKind {
  return ["H", "T", "D", "E", "Z"].includes(letter);
}

/**
 * Reads frames; memory holds one.
 * @throws Error if the stream is no backup, or ends within a frame
 */
export async function* framesOf(stream: Readable): AsyncGenerator<Frame> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= HEAD_BYTES) {
      const kind = held.toString("latin1", 0, 1);
      const length = held.readUInt32BE(1);
      if (!isKind(kind) || length > FRAME_MAX_BYTES) throw new Error("The file is not a backup of Mailberth.");
      if (held.length < HEAD_BYTES + length) break;
      yield { kind, bytes: held.subarray(HEAD_BYTES, HEAD_BYTES + length) };
      held = held.subarray(HEAD_BYTES + length);
    }
  }
  if (held.length > 0) throw new Error("The backup is cut short.");
}
