// Decides what a picture is by its first bytes; what a mail or a server says about it does not count. No SVG, which is a document.

const TYPES: [type: string, start: string, offset?: number][] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF8"],
  ["image/webp", "WEBP", 8],
];
const START_BYTES = 16;

/** A data URL; undefined if the bytes are no picture. */
export function pictureUrl(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, START_BYTES);
  const type = TYPES.find(([, begins, offset = 0]) => start.startsWith(begins, offset))?.[0];
  return type && `data:${type};base64,${bytes.toString("base64")}`;
}
