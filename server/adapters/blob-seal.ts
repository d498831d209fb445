// Names and encrypts the content of an object, under keys of its organization that are derived from ENCRYPTION_KEY.
import { hash, webcrypto } from "node:crypto";
import { BlobError } from "../base/errors.ts";
import type { SecretBox } from "../base/secrets.ts";
import { sha256Of, viewOf } from "./sha256.ts";

const { subtle } = webcrypto;
const VERSION = 1;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const HEADER_BYTES = 1 + KEY_ID_BYTES + IV_BYTES;
const TAG_BYTES = 16;

/** How much longer a sealed content is. */
export const SEAL_BYTES = HEADER_BYTES + TAG_BYTES;

const hexOf = (bytes: ArrayBuffer) => Buffer.from(bytes).toString("hex");

/** Derives the bytes of a key. */
const keyBytes = (secrets: SecretBox, purpose: string) => Buffer.from(secrets.derive(purpose), "base64url");

/** Tells objects of another ENCRYPTION_KEY from damaged ones. */
function keyIdOf(secrets: SecretBox): Buffer {
  return hash("sha256", keyBytes(secrets, "blob key id"), "buffer").subarray(0, KEY_ID_BYTES);
}

function sealKey(secrets: SecretBox, organizationId: string, use: "encrypt" | "decrypt") {
  return subtle.importKey("raw", keyBytes(secrets, `blob content ${organizationId}`), "AES-GCM", false, [use]);
}

type Where = { organizationId: string; blob: string };

/** The organization and the name are additional data, so an object is valid only in its place. */
function algorithm({ organizationId, blob }: Where, iv: Uint8Array<ArrayBuffer>) {
  return { name: "AES-GCM", iv, additionalData: Buffer.from(`${organizationId} ${blob}`) };
}

/** The HMAC-SHA256, under a key of the organization, of the SHA-256 of the content; both in hex. */
export async function nameBlob(secrets: SecretBox, organizationId: string, content: Buffer) {
  const sha256 = await sha256Of(content);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await subtle.importKey("raw", keyBytes(secrets, `blob name ${organizationId}`), hmac, false, ["sign"]);
  return { sha256: sha256.toString("hex"), blob: hexOf(await subtle.sign("HMAC", key, viewOf(sha256))) };
}

/** @returns version (1 byte) · id of the key (4) · IV (12) · ciphertext · tag (16), AES-256-GCM; made on another thread */
export async function sealBlob(secrets: SecretBox, where: Where, content: Buffer): Promise<Buffer> {
  const iv = webcrypto.getRandomValues(new Uint8Array(IV_BYTES));
  const key = await sealKey(secrets, where.organizationId, "encrypt");
  const sealed = await subtle.encrypt(algorithm(where, iv), key, viewOf(content));
  return Buffer.concat([Buffer.from([VERSION]), keyIdOf(secrets), iv, Buffer.from(sealed)]);
}

/** @throws BlobError `damaged`, `wrong_key` */
export async function openBlob(secrets: SecretBox, where: Where, sealed: Buffer): Promise<Buffer> {
  if (sealed.length < SEAL_BYTES || sealed[0] !== VERSION) {
    throw new BlobError("damaged", "the object is not one that this service wrote");
  }
  const [sealedBy, own] = [sealed.subarray(1, 1 + KEY_ID_BYTES), keyIdOf(secrets)];
  if (!sealedBy.equals(own)) {
    const ids = `${sealedBy.toString("hex")}, but this process has ${own.toString("hex")}`;
    throw new BlobError("wrong_key", `encrypted with the ENCRYPTION_KEY of id ${ids}`);
  }
  const iv = new Uint8Array(sealed.subarray(1 + KEY_ID_BYTES, HEADER_BYTES));
  const key = await sealKey(secrets, where.organizationId, "decrypt");
  try {
    const body = viewOf(sealed.subarray(HEADER_BYTES));
    return Buffer.from(await subtle.decrypt(algorithm(where, iv), key, body));
  } catch (error) {
    throw new BlobError("damaged", "the object was altered: its authentication tag is wrong", error);
  }
}
