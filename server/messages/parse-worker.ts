// The thread that reads bodies, one mail at a time: whatever a mail does to it, the service goes on without it.
import { parentPort } from "node:worker_threads";
import PostalMime, { type Attachment } from "postal-mime";
import type { AttachmentInfo } from "#db/message-parts.ts";
import { newId } from "../ids.ts";
import { addressList, readHeaders, storable } from "./headers.ts";

const TEXT_CHARS = 2 * 1024 * 1024;
const HTML_CHARS = 4 * 1024 * 1024;
const FILENAME_CHARS = 255;
const CONTENT_TYPE_CHARS = 255;
const ATTACHMENTS = 1_000;
const HEADER_NAME_CHARS = 998;
const DEFAULT_TYPE = "application/octet-stream";

/** What is kept of a body. `text` and `html` are null when the mail holds none. */
export type ParsedBody = {
  headers: [string, string][];
  to: string[];
  cc: string[];
  replyTo: string[];
  text: string | null;
  html: string | null;
  /** In the order of the mail. */
  attachments: AttachmentInfo[];
};

/** The parts behind the bodies that postal-mime joins, in order. Not in its types: test/messages-inbound holds us to it. */
type TextParts = { textMap: Map<unknown, Partial<Record<"plain" | "html", { value: unknown }[]>>> };

/** postal-mime fills gaps in one body by converting parts of the other; only what the mail holds is wanted here. */
function joinParts({ textMap }: TextParts, kind: "plain" | "html", max: number): string | null {
  const parts = [...textMap.values()].flatMap((entry) => entry[kind] ?? []).map(({ value }) => value);
  const texts = parts.filter((value) => typeof value === "string");
  return texts.length === 0 ? null : storable(texts.join("\n"), max);
}

function describe(attachment: Attachment): AttachmentInfo {
  const { filename, mimeType, disposition, related, content } = attachment;
  return {
    id: newId(),
    filename: filename === null ? null : storable(filename.replace(/\p{Cc}+/gu, " "), FILENAME_CHARS),
    content_type: storable(mimeType, CONTENT_TYPE_CHARS) || DEFAULT_TYPE,
    size: typeof content === "string" ? Buffer.byteLength(content) : content.byteLength,
    inline: disposition === "inline" || related === true,
  };
}

/** Nested messages are attachments, never read into the body of the one around them. */
async function parseBody(raw: Buffer): Promise<ParsedBody> {
  const parser = new PostalMime({ forceRfc822Attachments: true });
  const { attachments } = await parser.parse(raw);
  const parts = parser as unknown as TextParts;
  const block = readHeaders(raw);
  return {
    headers: block.lines.map(([name, value]) => [storable(name, HEADER_NAME_CHARS), storable(value, value.length)]),
    to: addressList(block, "to"),
    cc: addressList(block, "cc"),
    replyTo: addressList(block, "reply-to"),
    text: joinParts(parts, "plain", TEXT_CHARS),
    html: joinParts(parts, "html", HTML_CHARS),
    attachments: attachments.slice(0, ATTACHMENTS).map(describe),
  };
}

/** What the thread answers to each mail it is given. */
export type ParseAnswer = { body: ParsedBody } | { error: string };

parentPort?.on("message", async (raw: Uint8Array) => {
  let answer: ParseAnswer;
  try {
    answer = { body: await parseBody(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)) };
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(answer);
});
