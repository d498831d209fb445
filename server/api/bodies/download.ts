// Sends binary answers: streamed in REST, in base64 in tRPC.
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { create as contentDisposition } from "content-disposition";
import { ServiceError } from "../../base/errors.ts";
import type { Download, RequestContext } from "../../procedures/procedures.ts";
import { disconnectSlow } from "./body-budget.ts";

/** Browsers must not show the bytes as a page of this origin. */
const UNTRUSTED = { "Content-Security-Policy": "sandbox; default-src 'none'" };
const NAME_CHARS = 200;

/** A source that was started is released by leaving its loop. */
async function releaseStream(body: Download["body"]): Promise<void> {
  for await (const _ of body) break;
}

/** The download as JSON. */
export async function downloadInJson({ contentType, filename, size, body }: Download) {
  if (size === null) {
    await releaseStream(body);
    throw new ServiceError("invalid_request", "This is a stream. Read it over REST, or subscribe to events.onMessage.");
  }
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  const content_base64 = Buffer.concat(chunks).toString("base64");
  return { content_type: contentType, filename, size, content_base64 };
}

/**
 * The JSON that replaces the download in the library's answer, which is not sent.
 * @throws ServiceError `unavailable` if clients have not read too much yet
 */
export function downloadElsewhere(
  { actor, client, holdAnswerFor }: Pick<RequestContext, "actor" | "client" | "holdAnswerFor">,
  { contentType, filename, size, held = 0 }: Download,
) {
  holdAnswerFor("organizationId" in actor ? actor.organizationId : client.network)(held);
  return { content_type: contentType, filename, size: size ?? 0, content_base64: "" };
}

/** A safe name for saving a file: no folders, no control characters, no leading dot. */
function safeName(filename: string): string {
  const last = filename.split(/[/\\]/).at(-1) ?? "";
  const plain = last.replace(/[\p{C}<>:"|?*]+/gu, "_").replace(/^[.\s]+/, "");
  return plain.slice(-NAME_CHARS).trim() || "attachment";
}

function headersOf({ contentType, filename, size }: Download): Record<string, string | number> {
  if (size === null) return { "X-Accel-Buffering": "no" };
  const disposition = contentDisposition(safeName(filename ?? ""));
  return {
    ...UNTRUSTED,
    "Content-Disposition": disposition,
    "Content-Length": size,
    "Content-Type": contentType,
  };
}

/**
 * Streams the download at the caller's pace, and closes its source if the caller disconnects.
 * @param isHead only the headers are sent
 */
export async function streamDownload(
  res: ServerResponse,
  download: Download,
  headers: Record<string, string>,
  isHead: boolean,
): Promise<void> {
  res.writeHead(200, {
    ...headers,
    "Content-Type": download.contentType,
    ...headersOf(download),
    "Cache-Control": "no-store",
  });
  if (download.held) disconnectSlow(res, download.held);
  if (isHead) {
    await releaseStream(download.body);
    res.end();
  } else await pipeline(Readable.from(download.body, { objectMode: false }), res);
}
