// The facilitator over HTTP: the contract, with a real one on the other side; then answers that no honest one gives, and CDP's token.
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { httpFacilitator } from "#server/adapters/http-facilitator.ts";
import { readSettings } from "#server/base/env.ts";
import type { PaymentRequest } from "#server/base/ports/facilitator.ts";
import { quoteFor, requirementsV1, requirementsV2 } from "#server/payments/quote.ts";
import type { Fault } from "#test/support/payments/faults.ts";
import { startTestNetwork } from "#test/support/payments/network.ts";
import { authorize } from "#test/support/payments/signing.ts";
import { type Failure, facilitatorContract } from "./contract.ts";

const now = () => new Date();
const FAULTS: Record<Failure, Fault | undefined> = {
  away: "drop_before",
  nonsense: "garbage_json",
  rejects: undefined,
  pending: "pending_500",
  broken: "502_after",
  "rejects after": "refuse_after",
};

facilitatorContract("http", async () => {
  const network = await startTestNetwork();
  const quote = quoteFor(readSettings(network.settings), 1, "/v1/inboxes");
  const facilitator = httpFacilitator({ url: network.facilitatorUrl, now });
  return {
    facilitator,
    async request(version, can): Promise<PaymentRequest> {
      const payer = await network.newPayer(can ? 10n ** 9n : 0n);
      const payload = await authorize(payer, { to: network.payTo, value: quote.amount });
      const accepted = requirementsV2(quote);
      return version === 2
        ? { x402Version: 2, paymentPayload: { x402Version: 2, accepted, payload }, paymentRequirements: accepted }
        : {
            x402Version: 1,
            paymentPayload: { x402Version: 1, scheme: "exact", network: "base-sepolia", payload },
            paymentRequirements: requirementsV1(quote),
          };
    },
    fail(how) {
      const fault = how && FAULTS[how];
      if (fault) network.faults.set(fault);
      else network.faults.clear();
    },
    async close() {
      await facilitator.close();
      await network.stop();
    },
  };
});

describe("a separate answer", async () => {
  let answer: { status: number; body: string } = { status: 200, body: "" };
  const asked: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    asked.push(req);
    res.writeHead(answer.status).end(answer.body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x402/`;
  const request: PaymentRequest = { x402Version: 1, paymentPayload: {}, paymentRequirements: {} };
  const facilitator = httpFacilitator({ url, now });
  afterAll(async () => {
    await facilitator.close();
    server.close();
  });

  test.each<[number, object | string, string]>([
    [200, { success: true, transaction: "0x" }, "settled"],
    [500, { success: true }, "settled"],
    [200, { success: false, errorReason: "insufficient_funds" }, "rejected"],
    [402, { success: false, errorReason: "insufficient_funds" }, "rejected"],
    [500, { success: false, errorReason: "insufficient_funds" }, "unknown"],
    [200, { success: false, errorReason: "settlement_pending" }, "unknown"],
    [200, { success: false, errorReason: "nonce_already_used" }, "unknown"],
    [200, { success: false, errorReason: "invalid_transaction_state" }, "unknown"],
    [200, { success: false, errorReason: "something new" }, "unknown"],
    [200, { success: false }, "unknown"],
    [200, { success: "true" }, "unknown"],
    [200, "<html>", "unknown"],
    [200, "null", "unknown"],
    [200, `{"success":true,"x":"${"x".repeat(300_000)}"}`, "unknown"],
    [302, "", "unknown"],
  ])("settle: %d %j is %s", async (status, body, outcome) => {
    answer = { status, body: typeof body === "string" ? body : JSON.stringify(body) };
    expect(await facilitator.settle(request)).toMatchObject({ outcome });
  });

  test.each<[number, object | string, string]>([
    [200, { isValid: true }, "valid"],
    [200, { isValid: false, invalidReason: "insufficient_funds" }, "invalid"],
    [400, { isValid: false, invalidReason: "<script>alert(1)</script>" }, "invalid"],
    [500, { isValid: false }, "unknown"],
    [200, { isValid: 1 }, "unknown"],
    [404, "", "unknown"],
  ])("verify: %d %j is %s", async (status, body, outcome) => {
    answer = { status, body: typeof body === "string" ? body : JSON.stringify(body) };
    const verified = await facilitator.verify(request);
    expect(verified).toMatchObject({ outcome });
    expect(JSON.stringify(verified)).not.toContain("script");
  });

  test("supported: what does not say is undefined", async () => {
    answer = { status: 200, body: "{}" };
    expect(await facilitator.supports(["eip155:84532"])).toBeUndefined();
  });

  test.each([
    ["EdDSA", "ed25519"],
    ["ES256", "ec"],
  ] as const)("with keys of CDP every request carries a %s token for itself alone", async (alg, kind) => {
    const pair = kind === "ec" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519");
    const { d = "", x = "" } = pair.privateKey.export({ format: "jwk" });
    const both = Buffer.concat([d, x].map((part) => Buffer.from(part, "base64url"))).toString("base64");
    const pem = String(pair.privateKey.export({ format: "pem", type: "pkcs8" }));
    const signing = httpFacilitator({ url, now, cdp: { keyId: "key-1", secret: kind === "ec" ? pem : both } });
    await signing.verify(request);
    await signing.close();
    const token = asked.at(-1)?.headers.authorization?.replace("Bearer ", "") ?? "";
    const [header = "", claims = "", signature = ""] = token.split(".");
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(read(header)).toMatchObject({ alg, kid: "key-1", typ: "JWT" });
    const { host } = new URL(url);
    expect(read(claims)).toMatchObject({ iss: "cdp", sub: "key-1", uris: [`POST ${host}/x402/verify`] });
    const key = { key: createPublicKey(pair.privateKey), dsaEncoding: "ieee-p1363" as const };
    const signed = Buffer.from(`${header}.${claims}`);
    const digest = kind === "ec" ? "sha256" : null;
    expect(verify(digest, signed, key, Buffer.from(signature, "base64url"))).toBe(true);
  });
});
