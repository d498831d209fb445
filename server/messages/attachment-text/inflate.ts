// Replaces `DecompressionStream` in the thread that reads attachments, which pdf.js inflates the streams of a PDF with. Node's has no
// limit, and fills thousands of small buffers, whose memory the allocator keeps after the thread has ended.
import { brotliDecompressSync, inflateRawSync, inflateSync, type ZlibOptions } from "node:zlib";
import { beginActualTexts, markActualText } from "./actual-text.ts";

/** Of one stream, and of all that are inflated for one answer. */
const STREAM_MAX_BYTES = 16 * 1024 * 1024;
const ALL_MAX_BYTES = 48 * 1024 * 1024;
/** So large that the allocator returns the buffers when they are free. */
const CHUNK_BYTES = 256 * 1024;
/** Most streams are smaller than this, and a chunk costs its size. */
const SMALL_BYTES = 16 * 1024;

type Inflate = (bytes: Uint8Array, options: ZlibOptions) => Uint8Array;
const FORMATS: Record<string, Inflate> = {
  deflate: inflateSync,
  "deflate-raw": inflateRawSync,
  brotli: brotliDecompressSync,
};

/** Of the thread, which reads one file at a time. */
const budget = { left: ALL_MAX_BYTES, tooLarge: false };

/** Begins the count of an answer. */
export function beginInflating(): void {
  Object.assign(budget, { left: ALL_MAX_BYTES, tooLarge: false });
  beginActualTexts();
}

/** @throws Error if a stream was left out since then, because it was too large */
export function requireAllInflated(): void {
  if (budget.tooLarge) throw new Error("the file is too large when it is inflated");
}

/** Empty if the stream is too large: pdf.js would inflate it by itself if this failed. */
function inflate(format: string, bytes: Uint8Array): Uint8Array {
  const unpack = FORMATS[format];
  if (!unpack) throw new TypeError(`unknown format ${format}`);
  const chunkSize = bytes.length > SMALL_BYTES ? CHUNK_BYTES : SMALL_BYTES;
  try {
    const inflated = unpack(bytes, {
      maxOutputLength: Math.max(1, Math.min(STREAM_MAX_BYTES, budget.left)),
      chunkSize,
    });
    budget.left -= inflated.length;
    return markActualText(inflated);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")) throw error;
    Object.assign(budget, { left: 0, tooLarge: true });
    return new Uint8Array();
  }
}

/** The part of DecompressionStream that pdf.js uses: it writes all at once. Called with `new`. */
function InflatedAtOnce(format: string) {
  const { promise: written, resolve } = Promise.withResolvers<Uint8Array>();
  const readable = (async function* () {
    yield inflate(format, await written);
  })();
  const writer = {
    ready: Promise.resolve(),
    write: async (bytes: Uint8Array) => resolve(bytes),
    close: async () => {},
  };
  return { readable, writable: { getWriter: () => writer } };
}

export function replaceDecompressionStream(): void {
  Object.assign(globalThis, { DecompressionStream: InflatedAtOnce });
}
