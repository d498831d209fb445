// Secrets: bearer keys (enrollment and agent keys), webhook signing secrets, and encryption at rest.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { crc32 } from "node:zlib";
import { bareId, decodeId, encodeId, ID_CHARS } from "./ids.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_BYTES = 32;
const SECRET_CHARS = 43;
const CRC_CHARS = 6;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;
const MAC_BYTES = 16;

const KINDS = { enroll: "ekey", agent: "akey" } as const;
export type TokenKind = keyof typeof KINDS;

function base62(value: bigint, chars: number): string {
  let text = "";
  for (let rest = value; text.length < chars; rest /= 62n) text = BASE62.charAt(Number(rest % 62n)) + text;
  return text;
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), CRC_CHARS);
}

/**
 * A new bearer key `mb_<kind>_<id>_<secret><crc>` for the key row `id`: 32 random bytes in base62, CRC32 of the rest.
 */
export function newToken(kind: TokenKind, id: string): string {
  const suffix = bareId(encodeId(KINDS[kind], id));
  const body = `mb_${kind}_${suffix}_${base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString("hex")}`), SECRET_CHARS)}`;
  return body + checksum(body);
}

/** The id of the key row in a bearer key. Undefined for another kind or a typing error, so no query is needed. */
export function tokenId(kind: TokenKind, token: string): string | undefined {
  const prefix = `mb_${kind}_`;
  if (token.length !== prefix.length + ID_CHARS + 1 + SECRET_CHARS + CRC_CHARS || !token.startsWith(prefix)) return;
  if (checksum(token.slice(0, -CRC_CHARS)) !== token.slice(-CRC_CHARS)) return;
  return decodeId(KINDS[kind], `${KINDS[kind]}_${token.slice(prefix.length, prefix.length + ID_CHARS)}`);
}

/** The hash that is stored: SHA-256 of the whole key (256 random bits need no slow hash). */
export function tokenHash(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** Constant-time comparison of two SHA-256 values. */
export function sameHash(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

export const SIGNING_SECRET_PREFIX = "whsec_";

/** A webhook signing secret, `whsec_` and 32 random bytes in base64, as Standard Webhooks has it. */
export function newSigningSecret(): string {
  return `${SIGNING_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/**
 * Encrypts and decrypts values at rest; `context` (the row's id) is additional data, so a value is valid only in its
 * row.
 */
export type SecretBox = {
  seal(plain: string, context: string): Buffer;
  open(sealed: Buffer, context: string): string;
  /** Whether a value was sealed with this key. */
  isOwn(sealed: Buffer): boolean;
  /** An authentication code (16 bytes) for text that clients send back, such as a cursor. */
  mac(text: string): Buffer;
  /** Derives a secret for one part of the service: 32 bytes in base64url, the same at every start. */
  derive(purpose: string): string;
};

/**
 * AES-256-GCM under one key. Sealed form: key id (4 bytes, of SHA-256 of the key) · IV (12) · tag (16) · ciphertext.
 * @param key 32 bytes
 * @throws if a value was sealed with another key (the message names both key ids) or was altered
 */
export function secretBox(key: Buffer): SecretBox {
  const keyId = hash("sha256", key, "buffer").subarray(0, KEY_ID_BYTES);
  const macKey = Buffer.from(hkdfSync("sha256", key, "", "mailberth mac", key.length));
  const isOwn = (sealed: Buffer) => sealed.subarray(0, KEY_ID_BYTES).equals(keyId);
  return {
    seal(plain, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([keyId, iv, cipher.getAuthTag(), text]);
    },
    isOwn,
    open(sealed, context) {
      if (!isOwn(sealed)) {
        const sealedBy = sealed.subarray(0, KEY_ID_BYTES);
        const [have, want] = [keyId.toString("hex"), sealedBy.toString("hex")];
        throw new Error(`encrypted with ENCRYPTION_KEY ${want}, but this process has ${have}`);
      }
      const ivEnd = KEY_ID_BYTES + IV_BYTES;
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(KEY_ID_BYTES, ivEnd));
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(ivEnd, ivEnd + TAG_BYTES));
      return decipher.update(sealed.subarray(ivEnd + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
    },
    mac(text) {
      return createHmac("sha256", macKey).update(text).digest().subarray(0, MAC_BYTES);
    },
    derive(purpose) {
      return Buffer.from(hkdfSync("sha256", key, "", `mailberth ${purpose}`, key.length)).toString("base64url");
    },
  };
}
