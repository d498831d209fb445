// Reads mails to return paths, in a thread of the pool. If a mail crashes or blocks it, the service continues.
import { replaceBlob } from "../../blobs/blob.ts";
import { type Report, readReport } from "./report.ts";

export function answer({ raw }: { raw: Uint8Array<ArrayBuffer> }): Promise<Report> {
  return readReport(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
}

replaceBlob();
