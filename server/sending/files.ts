// Reads the files that a message is to have: in base64, uploaded before, at a URL, or attached to another message.
import { detectMimeType } from "nodemailer/lib/mime-funcs";
import type { Caller, Ctx } from "../base/context.ts";
import type { ErrorCode } from "../base/errors/table.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { createLimiter, type Limiter, type Share } from "../base/limiter.ts";
import { safeMediaType } from "../base/media-type.ts";
import { findAttachment, sentType } from "../messages/files/attachments.ts";
import { MAX_SEND_BYTES, type SendInput } from "../messages/schema.ts";
import { findUploads, readUpload } from "../uploads/find.ts";
import { type Fetched, fetchFiles } from "./fetch-files.ts";
import type { OutboundFile } from "./outgoing.ts";

declare module "../base/context.ts" {
  interface Services {
    /** Octets of attachments in memory that did not come with the request. */
    attaching: Limiter;
  }
}

/** The errors that only a message with files has. */
export const FILE_REFUSALS: ErrorCode[] = [
  "upload_not_found",
  "message_not_found",
  "attachment_not_found",
  "url_not_attached",
  "content_unreadable",
];

const TOTAL_BYTES = 268_435_456;
/** The share of one organization, whatever number of keys it has. */
const ORGANIZATION_BYTES = TOTAL_BYTES / 4;
/** Each may be in another mail, which is read for it. */
const OF_MESSAGES_MAX = 10;
/** Header lines of received mail may hold what a header must not have. */
const CONTROLS = /\p{Cc}+/gu;
const NO_NAME = "attachment";

type Attachment = SendInput["attachments"][number];

export function createAttaching(): Limiter {
  return createLimiter({ total: TOTAL_BYTES, each: ORGANIZATION_BYTES });
}

/**
 * Opens a share of the memory for attachments, empty until `run` reads files into it, and gives it back when `run` ends.
 * The only way to a share, so that no error keeps memory.
 */
export async function withAttaching<Result>(
  { attaching, actor }: Ctx<Caller>,
  run: (share: Share) => Promise<Result>,
): Promise<Result> {
  const share = attaching.open(actor.organizationId);
  try {
    return await run(share);
  } finally {
    share.release();
  }
}

/**
 * @param share that of `withAttaching`
 * @throws ServiceError `invalid_request`, `upload_not_found`, `message_not_found`, `attachment_not_found`,
 * `insufficient_scope`, `url_not_attached`, `payload_too_large`, `rate_limited`, `unavailable`, `content_unreadable`
 */
export async function readFiles(ctx: Ctx<Caller>, attachments: Attachment[], share: Share): Promise<OutboundFile[]> {
  const known = [...(await uploaded(ctx, attachments)), ...(await ofMessages(ctx, attachments))];
  const given = attachments.map(({ content_base64 }) => content_base64 && Buffer.from(content_base64, "base64"));
  const stored = known.reduce((sum, { size }) => sum + size, 0);
  const left = given.reduce((rest, bytes) => rest - (bytes ? bytes.length : 0), MAX_SEND_BYTES - stored);
  if (left < 0) throw tooLarge();
  hold(share, stored);
  const fetched = await fetchFiles(ctx, attachments, { left, hold: (bytes) => hold(share, bytes) });
  const read = new Map<number, Fetched>(fetched);
  // One after the other: a file of received mail is read from the whole mail.
  for (const { index, load, ...file } of known) read.set(index, { ...file, bytes: await load() });
  return attachments.map((asked, i) => fileOf(asked, read.get(i) ?? { bytes: given[i] || Buffer.alloc(0) }));
}

/** A file whose size is known before it is read. */
type Known = { index: number; filename: string | null; content_type: string; size: number; load(): Promise<Buffer> };

/** What the caller says has priority over what is known. */
function fileOf({ filename, content_type, content_id }: Attachment, file: Fetched): OutboundFile {
  const name = filename ?? (file.filename?.replace(CONTROLS, " ").trim() || null);
  return {
    filename: name,
    content_type: content_type ?? safeMediaType(file.content_type ?? detectMimeType(name ?? NO_NAME)),
    bytes: file.bytes,
    ...(content_id !== undefined && { content_id }),
  };
}

async function uploaded(ctx: Ctx<Caller>, attachments: Attachment[]): Promise<Known[]> {
  const asked = attachments.flatMap(({ upload_id: wireId }, index) =>
    wireId === undefined ? [] : [{ wireId, index }],
  );
  const rows = await findUploads(
    ctx,
    asked.map(({ wireId }) => wireId),
  );
  return rows.flatMap((row, i) => {
    const { wireId = "", index = 0 } = asked[i] ?? {};
    const { filename, content_type, size } = row;
    return { index, filename, content_type, size, load: () => readUpload(ctx, row, wireId) };
  });
}

async function ofMessages(ctx: Ctx<Caller>, attachments: Attachment[]): Promise<Known[]> {
  const asked = attachments.flatMap(({ message_id, attachment_id }, index) =>
    message_id === undefined || attachment_id === undefined ? [] : [{ message_id, attachment_id, index }],
  );
  if (asked.length === 0) return [];
  if (asked.length > OF_MESSAGES_MAX) {
    throw invalidField("attachments", `at most ${OF_MESSAGES_MAX} files of other messages`);
  }
  if (ctx.actor.kind === "agent" && !ctx.actor.scopes.includes("mailbox:read")) {
    throw new ServiceError("insufficient_scope", "To attach files of messages, a key needs the scope mailbox:read.");
  }
  const known: Known[] = [];
  for (const { message_id, attachment_id, index } of asked) {
    const { info, load } = await findAttachment(ctx, message_id, attachment_id);
    known.push({ index, filename: info.filename, content_type: sentType(info), size: info.size, load });
  }
  return known;
}

function tooLarge(): ServiceError {
  return new ServiceError("payload_too_large", `The attachments have more than ${MAX_SEND_BYTES} bytes together.`);
}

/** Counts octets before they are loaded. @throws ServiceError `unavailable` */
export function hold(share: Share, bytes: number): void {
  const full = share.take(bytes);
  if (!full) return;
  const message = {
    total: "The service has no memory for more attachments at the moment.",
    each: `The messages that this organization sends at the moment have attachments of ${ORGANIZATION_BYTES} bytes.`,
  }[full];
  throw new ServiceError("unavailable", message, { headers: { "Retry-After": "2" } });
}
