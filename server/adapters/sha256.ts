// Hashes outside the main thread, without a copy of the bytes on this side.

/** The same memory, as the Web Crypto API wants it. */
export function viewOf({ buffer, byteOffset, byteLength }: Buffer): Uint8Array<ArrayBuffer> {
  // Only memory that is shared between threads has another type, and no content is in such memory.
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

export async function sha256Of(bytes: Buffer): Promise<Buffer> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", viewOf(bytes)));
}
