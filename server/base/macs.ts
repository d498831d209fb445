// Short authentication codes in text that others send back, such as a Message-ID or a return path.
import { createHmac, timingSafeEqual } from "node:crypto";
import { bareId, decodeId, encodeId, type IdKind } from "./ids.ts";
import type { SecretBox } from "./secrets.ts";

/** Of HMAC-SHA256. */
const MAC_BYTES = 10;
const DIGIT_BITS = 5;
/** The digits of ids (server/base/ids.ts). */
const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";

/** The id without its kind, the address, and the code of both. */
const SIGNED_ADDRESS = /^([0-9a-z]{26})\.([\w-]{1,500})\.([0-9a-z]{16})$/;

/** Each purpose has a key of its own, derived from ENCRYPTION_KEY, so that a code for one is not valid for another. */
type MacPurpose =
  | "message-id"
  | "return-path"
  | "unsubscribe"
  | "verification"
  | "backup"
  | "review"
  | "notice-address"
  | "attachment-link";

/** The code of `text`: 10 bytes as 16 characters of base32, in lower case. */
export function mac(secrets: SecretBox, purpose: MacPurpose, text: string): string {
  const key = Buffer.from(secrets.derive(`${purpose} mac`), "base64url");
  const digest = createHmac("sha256", key).update(text).digest().subarray(0, MAC_BYTES);
  let value = BigInt(`0x${digest.toString("hex")}`);
  let code = "";
  for (let bits = 0; bits < MAC_BYTES * 8; bits += DIGIT_BITS) {
    code = BASE32.charAt(Number(value & 31n)) + code;
    value >>= 5n;
  }
  return code;
}

/** Whether `code` is the code of `text`, compared in constant time. */
export function isMac(
  secrets: SecretBox,
  purpose: MacPurpose,
  { text, code }: { text: string; code: string },
): boolean {
  const expected = Buffer.from(mac(secrets, purpose, text));
  const given = Buffer.from(code);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * A token for links to people without an account: only this service can make it.
 * @param id the UUID of what the link is about, such as a mailbox
 */
export function signAddress(
  secrets: SecretBox,
  purpose: MacPurpose,
  { kind, id, address }: { kind: IdKind; id: string; address: string },
): string {
  const named = `${bareId(encodeId(kind, id))}.${Buffer.from(address).toString("base64url")}`;
  return `${named}.${mac(secrets, purpose, named)}`;
}

/** Reads a token of `signAddress`. Undefined if this service did not make it for the purpose and the kind. */
export function readSignedAddress(
  secrets: SecretBox,
  purpose: MacPurpose,
  { kind, token }: { kind: IdKind; token: string },
): { id: string; address: string } | undefined {
  const [, bare = "", address = "", code = ""] = SIGNED_ADDRESS.exec(token) ?? [];
  const id = decodeId(kind, `${kind}_${bare}`);
  if (!id || !isMac(secrets, purpose, { text: `${bare}.${address}`, code })) return;
  return { id, address: Buffer.from(address, "base64url").toString() };
}
