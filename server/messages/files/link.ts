// Signed links to attachments: GET /v1/messages/{id}/attachments/{attachment_id}/link makes one, and GET /v1/attachments/{link}
// reads it. The signature is the only key that reading needs.
import type { Caller, Ctx, Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { bareId, decodeId, encodeId } from "../../base/ids.ts";
import { isMac, mac } from "../../base/macs.ts";
import { attachmentFile, findAttachment } from "./attachments.ts";

const VALID_MS = 15 * 60_000;
const RADIX = 36;
/** The ids of organization, message and attachment without their kinds, when it ends (milliseconds in base 36), and the code of all. */
const LINK = /^(([0-9a-z]{26})\.([0-9a-z]{26})\.([0-9a-z]{26})\.([0-9a-z]{8}))\.([0-9a-z]{16})$/;

/**
 * @returns the URL, which needs no key, and when it ends
 * @throws ServiceError like `attachmentFile`
 */
export async function linkAttachment(
  ctx: Ctx<Caller>,
  wireId: string,
  attachmentWireId: string,
): Promise<{ url: string; expires_at: Date }> {
  await findAttachment(ctx, wireId, attachmentWireId);
  const expires_at = new Date(ctx.now().getTime() + VALID_MS);
  const ids = [encodeId("org", ctx.actor.organizationId), wireId, attachmentWireId].map(bareId);
  const text = [...ids, expires_at.getTime().toString(RADIX)].join(".");
  const link = `${text}.${mac(ctx.secrets, "attachment-link", text)}`;
  return { url: `${ctx.settings.PUBLIC_URL}/v1/attachments/${link}`, expires_at };
}

/**
 * The file of a link, as `attachmentFile` returns it.
 * @throws ServiceError `attachment_not_found` for a link that is altered, has ended, or whose message is gone; `unavailable`,
 * `content_unreadable`
 */
export async function linkedFile(ctx: Services, link: string) {
  const [, text = "", organization, message, attachment, ends = "", code = ""] = LINK.exec(link) ?? [];
  const organizationId = decodeId("org", `org_${organization}`);
  if (!organizationId || !isMac(ctx.secrets, "attachment-link", { text, code })) throw noLink();
  if (Number.parseInt(ends, RADIX) <= ctx.now().getTime()) throw noLink();
  try {
    const actor = { organizationId, inboxIds: null, madeBy: null };
    return await attachmentFile({ ...ctx, actor }, `msg_${message}`, `att_${attachment}`);
  } catch (error) {
    const isGone = error instanceof ServiceError && error.status === noLink().status;
    throw isGone ? noLink() : error;
  }
}

function noLink(): ServiceError {
  return new ServiceError("attachment_not_found", "This link has ended, or its message was deleted.", {
    fix: "Ask the caller that made it for a new one: GET /v1/messages/{id}/attachments/{attachment_id}/link.",
  });
}
