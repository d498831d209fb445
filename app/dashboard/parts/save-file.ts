// Saves a file through the browser, always as application/octet-stream, so that untrusted content is never opened in
// this origin.
const OPAQUE = "application/octet-stream";
/** The browser has copied it by then. */
const FORGET_MS = 60_000;

function save(parts: BlobPart[], filename: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type: OPAQUE }));
  const link = document.createElement("a");
  link.href = url;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), FORGET_MS);
}

export function saveFile(base64: string, filename: string): void {
  save([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], filename);
}

export function saveText(parts: string[], filename: string): void {
  save(parts, filename);
}
