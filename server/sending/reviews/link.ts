// The one-time link of an email: who may decide on exactly which content of a message.
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { bareId, decodeId, encodeId } from "../../base/ids.ts";
import { isMac, mac } from "../../base/macs.ts";

export const REVIEW_BASE = "/review/";
/** The id of the message without its kind, the hash of the content, the address of the email, and the code of all. */
const TOKEN = /^([0-9a-z]{26})\.([0-9a-f]{64})\.([\w-]{1,500})\.([0-9a-z]{16})$/;

/** `hash` in hex. */
type ReviewLink = { messageId: string; hash: string; address: string };

export function reviewUrl(
  { settings, secrets }: Pick<Services, "settings" | "secrets">,
  { messageId, hash, address }: ReviewLink,
): string {
  const id = bareId(encodeId("msg", messageId));
  const named = `${id}.${hash}.${Buffer.from(address).toString("base64url")}`;
  return `${settings.PUBLIC_URL}${REVIEW_BASE}${named}.${mac(secrets, "review", named)}`;
}

/** @throws ServiceError `link_not_found` if this service did not make the token */
export function readReviewLink({ secrets }: Pick<Services, "secrets">, token: string): ReviewLink {
  const [, id = "", hash = "", address = "", code = ""] = TOKEN.exec(token) ?? [];
  const messageId = decodeId("msg", `msg_${id}`);
  if (!messageId || !isMac(secrets, "review", { text: `${id}.${hash}.${address}`, code })) throw noLink();
  return { messageId, hash, address: Buffer.from(address, "base64url").toString() };
}

export function noLink(): ServiceError {
  return new ServiceError("link_not_found", "This link is not valid. Use the whole link from the mail.", {
    fix: "Open Approvals in the dashboard.",
  });
}
