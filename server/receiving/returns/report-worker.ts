// Reads mails to return paths, in a thread of the pool. If a mail crashes or blocks it, the service continues.
import { type Report, readReport } from "./report.ts";

export function answer({ raw, recipient }: { raw: Uint8Array<ArrayBuffer>; recipient: string }): Report {
  return readReport(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), recipient);
}
