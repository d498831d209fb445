// The local checks of a signed payload, by table: what is taken, and every way in which it is not.
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { readSettings } from "#server/base/env.ts";
import { ServiceError } from "#server/base/errors.ts";
import { authorizationHash, readPayload } from "#server/payments/header.ts";
import { quoteFor } from "#server/payments/quote.ts";
import { checkSignature, checkTerms } from "#server/payments/verify.ts";
import { authorize, encodeHeader, payloadV1, payloadV2, type Signed } from "#test/support/payments/signing.ts";

const PAY_TO = "0x1111111111111111111111111111111111111111";
const OTHER = "0x2222222222222222222222222222222222222222";
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const settings = readSettings({
  PAYMENTS_ENABLED: "true",
  PAYMENTS_RPC_URL: "http://127.0.0.1:9",
  PAYMENTS_PAY_TO: PAY_TO,
});
const quote = quoteFor(settings, 1, "/v1/inboxes");
const payer = privateKeyToAccount(`0x${"12".repeat(32)}`);
const someoneElse = privateKeyToAccount(`0x${"34".repeat(32)}`);
const now = Math.floor(Date.now() / 1000);

const sign = (other: Parameters<typeof authorize>[2] = {}, domain: Parameters<typeof authorize>[3] = {}) =>
  authorize(payer, { to: PAY_TO, value: quote.amount }, other, domain);

async function check(header: string): Promise<string> {
  try {
    const payload = readPayload(header);
    checkTerms(payload, quote, now);
    await checkSignature(payload.payload, quote);
    return "taken";
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

/** The payload of version 1 with some of it otherwise. */
const v1 = (signed: Signed, other: object) =>
  encodeHeader({ x402Version: 1, scheme: "exact", network: "base-sepolia", payload: signed, ...other });
async function v2(other: object): Promise<string> {
  const payload = JSON.parse(Buffer.from(payloadV2(await sign()), "base64").toString());
  return encodeHeader({ ...payload, accepted: { ...payload.accepted, ...other } });
}
/** Numbers of the signature, changed. */
function resign(signed: Signed, change: (parts: { r: bigint; s: bigint; v: number }) => object): Signed {
  const { signature } = signed;
  const parts = {
    r: BigInt(`0x${signature.slice(2, 66)}`),
    s: BigInt(`0x${signature.slice(66, 130)}`),
    v: Number.parseInt(signature.slice(130), 16),
  };
  const { r, s, v } = { ...parts, ...change(parts) } as typeof parts;
  const hex = (value: bigint | number, digits: number) => value.toString(16).padStart(digits, "0");
  return { ...signed, signature: `0x${hex(r, 64)}${hex(s, 64)}${hex(v, 2)}` };
}

describe("taken", () => {
  test("both versions, in plain and in URL-safe base64, with or without padding", async () => {
    const signed = await sign();
    for (const header of [payloadV1(signed), payloadV2(signed)]) {
      expect(await check(header)).toBe("taken");
      expect(await check(header.replace(/=+$/, ""))).toBe("taken");
      expect(await check(Buffer.from(header, "base64").toString("base64url"))).toBe("taken");
    }
  });

  test("addresses in any case", async () => {
    const { signature, authorization } = await sign();
    const lower = { ...authorization, from: authorization.from.toLowerCase() as `0x${string}` };
    expect(await check(payloadV1({ signature, authorization: lower }))).toBe("taken");
  });

  test("the edges of the window", async () => {
    for (const seconds of [10, 900]) {
      expect(await check(payloadV1(await sign({ validBefore: `${now + seconds}` })))).toBe("taken");
    }
    expect(await check(payloadV1(await sign({ validAfter: `${now}` })))).toBe("taken");
  });

  test("a contract wallet's signature, which the facilitator judges", async () => {
    const signed = await sign();
    expect(await check(payloadV1({ ...signed, signature: `${signed.signature}${"00".repeat(32)}` }))).toBe("taken");
  });
});

describe("refused as invalid_payment", () => {
  const malformed: [string, string | (() => Promise<string>)][] = [
    ["nothing", ""],
    ["no base64", "{}"],
    ["no JSON", Buffer.from("{").toString("base64")],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0x22]).toString("base64")],
    ["null", encodeHeader(null)],
    ["a list", encodeHeader([])],
    ["nothing in it", encodeHeader({})],
    ["deep nonsense", Buffer.from("[".repeat(8_000)).toString("base64")],
    ["too much", encodeHeader({ x: "x".repeat(20_000) })],
    ["another version", async () => v1(await sign(), { x402Version: 3 })],
    ["the version as text", async () => v1(await sign(), { x402Version: "1" })],
    ["no version", async () => v1(await sign(), { x402Version: undefined })],
    ["truncated", async () => payloadV1(await sign()).slice(0, 200)],
    ["cut in the last field", async () => payloadV1(await sign()).slice(0, -8)],
    ["no payload", async () => v1(await sign(), { payload: undefined })],
    ["another scheme", async () => v1(await sign(), { scheme: "upto" })],
    ["another network", async () => v1(await sign(), { network: "base" })],
    ["the other version's network", async () => v1(await sign(), { network: "eip155:84532" })],
    ["version 2: another network", () => v2({ network: "eip155:8453" })],
    ["version 2: another scheme", () => v2({ scheme: "upto" })],
    ["version 2: another asset", () => v2({ asset: OTHER })],
    ["version 2: another payee", () => v2({ payTo: OTHER })],
    ["version 2: another amount", () => v2({ amount: "1" })],
  ];
  const wrong: [string, Parameters<typeof authorize>[2]][] = [
    ["another payee", { to: OTHER }],
    ["less", { value: "99999" }],
    ["more", { value: "100001" }],
    ["nothing", { value: "0" }],
    ["ended", { validBefore: `${now - 1}` }],
    ["too soon over", { validBefore: `${now + 9}` }],
    ["too long", { validBefore: `${now + 901}` }],
    ["for ever", { validBefore: `${2n ** 256n - 1n}` }],
    ["not yet", { validAfter: `${now + 60}` }],
  ];
  const unreadable: [string, object][] = [
    ["the value in hexadecimal", { value: "0x186a0" }],
    ["the value with a sign", { value: "+100000" }],
    ["the value with a nought before it", { value: "0100000" }],
    ["the value as a number", { value: 100_000 }],
    ["the value in exponents", { value: "1e5" }],
    ["a short nonce", { nonce: "0x12" }],
    ["a short payer", { from: "0x12" }],
    ["no payer", { from: undefined }],
  ];
  const domains: [string, Parameters<typeof authorize>[3]][] = [
    ["another asset", { verifyingContract: OTHER }],
    ["another network", { chainId: 8453 }],
    ["another name", { name: "USD Coin" }],
    ["another version", { version: "1" }],
  ];
  const signatures: [string, (signed: Signed) => Signed][] = [
    ["s in the upper half", (one) => resign(one, ({ s, v }) => ({ s: CURVE_ORDER - s, v: v === 27 ? 28 : 27 }))],
    ["v as 0 or 1", (one) => resign(one, ({ v }) => ({ v: v - 27 }))],
    ["v of another parity", (one) => resign(one, ({ v }) => ({ v: 55 - v }))],
    ["v of a transaction (EIP-155)", (one) => resign(one, ({ v }) => ({ v: v + 10 }))],
    ["r of nought", (one) => resign(one, () => ({ r: 0n }))],
    ["s of nought", (one) => resign(one, () => ({ s: 0n }))],
    ["r beyond the curve", (one) => resign(one, () => ({ r: CURVE_ORDER }))],
    ["r of no point", (one) => resign(one, () => ({ r: 5n }))],
    ["a byte short", (one) => ({ ...one, signature: one.signature.slice(0, -2) as `0x${string}` })],
    ["empty", (one) => ({ ...one, signature: "0x" })],
  ];

  test.each(malformed)("malformed: %s", async (_name, made) => {
    expect(await check(typeof made === "string" ? made : await made())).toMatch(/^invalid_payment/);
  });
  test.each(wrong)("signed for something else: %s", async (_name, other) => {
    expect(await check(payloadV1(await sign(other)))).toMatch(/^invalid_payment/);
  });
  test.each(unreadable)("not as it is written: %s", async (_name, other) => {
    const { signature, authorization } = await sign();
    const payload = { signature, authorization: { ...authorization, ...other } } as Signed;
    expect(await check(payloadV1(payload))).toMatch(/^invalid_payment/);
  });
  test.each(domains)("signed for another domain: %s", async (_name, domain) => {
    expect(await check(payloadV1(await sign({}, domain)))).toMatch(/^invalid_payment.*not signed by/);
  });
  test.each(signatures)("a signature with %s", async (_name, change) => {
    expect(await check(payloadV1(change(await sign())))).toMatch(/^invalid_payment/);
  });
  test("signed by another", async () => {
    const stolen = await authorize(someoneElse, { to: PAY_TO, value: quote.amount }, { from: payer.address });
    expect(await check(payloadV1(stolen))).toMatch(/^invalid_payment.*not signed by/);
  });
  test("every signed field, changed after it was signed", async () => {
    const { signature, authorization } = await sign();
    const changed = [
      { from: someoneElse.address },
      { validAfter: "0" },
      { validBefore: `${now + 200}` },
      { nonce: `0x${"00".repeat(32)}` as const },
    ];
    for (const change of changed) {
      const header = payloadV1({ signature, authorization: { ...authorization, ...change } });
      expect(await check(header)).toMatch(/^invalid_payment.*not signed by/);
    }
  });
});

test("an authorization is the same in whichever version and case it is wrapped", async () => {
  const signed = await sign();
  const hashes = [payloadV1(signed), payloadV2(signed)].map((header) => authorizationHash(readPayload(header).payload));
  expect(hashes[0]).toEqual(hashes[1]);
  const other = await sign();
  expect(authorizationHash(other)).not.toEqual(hashes[0]);
});
