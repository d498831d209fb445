// Message-IDs of outbound mail, which carry an authentication code: mail that answers one was written by a person or a
// program that received it.
import { decodeId, encodeId } from "../../base/ids.ts";
import { isMac, mac } from "../../base/macs.ts";
import type { SecretBox } from "../../base/secrets.ts";

const PURPOSE = "message-id";
const OWN = /^(msg_[0-9a-z]{26})\.([0-9a-z]{16})@([^@\s]{1,255})$/;

/** `msg_….<code>@domain`, without angle brackets. @param id UUID of the message */
export function ownMessageId(secrets: SecretBox, id: string, domain: string): string {
  const wireId = encodeId("msg", id);
  return `${wireId}.${mac(secrets, PURPOSE, `${wireId}@${domain}`)}@${domain}`;
}

/** The UUID of the outbound message with this Message-ID; undefined if this service did not make it. */
export function readOwnMessageId(secrets: SecretBox, messageId: string): string | undefined {
  const [, wireId = "", code = "", domain = ""] = OWN.exec(messageId) ?? [];
  if (!wireId || !isMac(secrets, PURPOSE, { text: `${wireId}@${domain}`, code })) return;
  return decodeId("msg", wireId);
}
