// Reads mails to return paths, in a thread of the pool. If a mail crashes or blocks it, the service continues.
import { type Report, readReport } from "./report.ts";

type Question = { raw: Uint8Array<ArrayBuffer>; recipient: string; envelopeFrom: string | null };

export function answer({ raw, recipient, envelopeFrom }: Question): Report {
  return readReport(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), recipient, envelopeFrom);
}
