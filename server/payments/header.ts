// Parses the signed payload of PAYMENT-SIGNATURE or X-PAYMENT, and builds the receipt headers.
import { hash } from "node:crypto";
import { z } from "zod";
import { ServiceError } from "../base/errors.ts";
import { type Path, toBase64 } from "./quote.ts";

const HEADER_MAX_CHARS = 16_384;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const REASON_CHARS = 100;

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "must be an address");
const uint = z.string().regex(/^(0|[1-9][0-9]{0,77})$/, "must be a whole number as a string");
const signed = z.object({
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){65,4096}$/, "must be at least 65 bytes in hexadecimal"),
  authorization: z.object({
    from: address,
    to: address,
    value: uint,
    validAfter: uint,
    validBefore: uint,
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes in hexadecimal"),
  }),
});
const payloads = z.discriminatedUnion("x402Version", [
  z.object({ x402Version: z.literal(1), scheme: z.string(), network: z.string(), payload: signed }),
  z.object({
    x402Version: z.literal(2),
    accepted: z.object({
      scheme: z.string(),
      network: z.string(),
      amount: uint,
      asset: address,
      payTo: address,
    }),
    payload: signed,
  }),
]);

export type Payload = z.infer<typeof payloads>;
export type Signed = z.infer<typeof signed>;

/** The payment of a request: the header with the payload, and the x402 version for a 402. `path`: the paid call, if it creates more than a mailbox. */
export type ShownPayment = { header: string | undefined; version: 1 | 2; path?: Path };

/**
 * Parses base64 JSON of either x402 version; the version is inside the JSON.
 * @throws ServiceError `invalid_payment`
 */
export function readPayload(header: string): Payload {
  if (header.length > HEADER_MAX_CHARS) throw invalidPayment("it is too long");
  if (!BASE64.test(header)) throw invalidPayment("it is not base64");
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(header, "base64")));
  } catch {
    throw invalidPayment("it is not JSON in base64");
  }
  const parsed = payloads.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidPayment(`${issue?.path.join(".") || "payload"}: ${issue?.message}`);
}

export function invalidPayment(why: string): ServiceError {
  return new ServiceError("invalid_payment", `The signed payload is not valid: ${why}.`);
}

/** SHA-256 of the signed fields and the signature: the same authorization in either version has the same hash. */
export function authorizationHash({ authorization, signature }: Signed): Buffer {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const text = [from, to, value, validAfter, validBefore, nonce, signature].join(" ").toLowerCase();
  return hash("sha256", text, "buffer");
}

/** The receipt header of the x402 version that was used. `network` has that version's name. */
export function receiptHeader(
  version: 1 | 2,
  receipt: { network: string; payer: string } & ({ transaction: string } | { failed: string }),
): Record<string, string> {
  const { network, payer } = receipt;
  const body =
    "failed" in receipt
      ? { success: false, errorReason: receipt.failed.slice(0, REASON_CHARS), transaction: "", network, payer }
      : { success: true, transaction: receipt.transaction, network, payer };
  return { [version === 2 ? "PAYMENT-RESPONSE" : "X-PAYMENT-RESPONSE"]: toBase64(body) };
}
