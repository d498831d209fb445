// Short authentication codes in text that others send back, such as a Message-ID or a return path.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { SecretBox } from "./secrets.ts";

/** Of HMAC-SHA256. */
const MAC_BYTES = 10;
const DIGIT_BITS = 5;
/** The digits of ids (server/base/ids.ts). */
const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";

/** Each purpose has a key of its own, derived from ENCRYPTION_KEY, so that a code for one is not valid for another. */
export type MacPurpose =
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
