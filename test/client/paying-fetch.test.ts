// payingFetch with a scripted server, and the chain: what it signs, how often, and what it refuses.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { LocalAccount } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PaymentRefusedError, payingFetch, USDC_BASE } from "#client/index.ts";
import { PRICE, startTestNetwork, type TestNetwork } from "#test/support/payments/network.ts";
import { payDirectly, type Signed } from "#test/support/payments/signing.ts";
import { ASSET, NETWORK } from "#test/support/payments/token.ts";

/** As it is given back by the last of `answers`, again and again. */
type Scripted = { status: number; headers?: Record<string, string>; body?: object } | "drop";
type Asked = { method: string; body: string; headers: Record<string, unknown>; signed: Signed | undefined };

const CREATED: Scripted = { status: 201, body: { id: "inb_1" } };
const PENDING: Scripted = {
  status: 503,
  headers: { "Retry-After": "0" },
  body: { error: { code: "payment_pending" } },
};

let network: TestNetwork;
let payer: LocalAccount;
let server: Server;
let url: string;
let answers: Scripted[] = [];
let asked: Asked[] = [];

function required(terms: Record<string, string> = {}): Scripted {
  const fields = { network: NETWORK, asset: ASSET, amount: `${PRICE}`, pay_to: network.payTo, resource: "mailboxes:1" };
  const header = Object.entries({ ...fields, facilitator: network.facilitatorUrl, ...terms });
  return {
    status: 402,
    headers: { "PAYMENT-REQUIRED": header.map(([key, value]) => `${key}=${value}`).join("; ") },
    body: { error: { code: "payment_required" } },
  };
}

beforeAll(async () => {
  network = await startTestNetwork();
  payer = await network.newPayer();
  server = createServer(async (request, response) => {
    const payload = request.headers["payment-signature"];
    const signed = payload ? JSON.parse(Buffer.from(String(payload), "base64").toString()).payload : undefined;
    asked.push({ method: request.method ?? "", body: await text(request), headers: request.headers, signed });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer === "drop" || answer === undefined) {
      response.destroy();
      return;
    }
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/inboxes`;
});
afterEach(() => {
  asked = [];
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await network.stop();
});

const create = { method: "POST", body: '{"display_name":"Ada"}', headers: { Authorization: "Bearer mb_agent_x" } };

describe("a 402", () => {
  test("is answered with one authorization that the chain takes", async () => {
    answers = [required(), CREATED];
    const answer = await payingFetch(payer)(url, create);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toEqual({ id: "inb_1" });
    expect(asked.map(({ body, headers }) => [body, headers.authorization])).toEqual([
      [create.body, "Bearer mb_agent_x"],
      [create.body, "Bearer mb_agent_x"],
    ]);
    const signed = asked[1]?.signed as Signed;
    const before = await network.balanceOf(network.payTo);
    await network.send(payDirectly(signed));
    expect(await network.balanceOf(network.payTo)).toBe(before + PRICE);
    expect(signed.authorization.from).toBe(payer.address);
  });

  test("is paid for a request whose body can be read once", async () => {
    const body = () => new Blob([create.body]).stream();
    const pay = payingFetch(payer);
    answers = [required(), CREATED];
    const init = { method: "POST", body: body(), duplex: "half" } as RequestInit;
    expect((await pay(new Request(url, init))).status).toBe(201);
    answers = [required(), CREATED];
    expect((await pay(url, { ...init, body: body() })).status).toBe(201);
    expect(asked.map(({ method, body: sent }) => `${method} ${sent}`)).toEqual(Array(4).fill(`POST ${create.body}`));
  });

  test("after a payment is the last word: nothing is signed again", async () => {
    answers = [required()];
    const answer = await payingFetch(payer)(url, create);
    expect(answer.status).toBe(402);
    expect(asked).toHaveLength(2);
  });

  test("without terms is given back", async () => {
    answers = [{ status: 402, body: { error: { code: "payment_required" } } }];
    expect((await payingFetch(payer)(url, create)).status).toBe(402);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["amount_over_maximum", { amount: "1000001" }],
    ["amount_over_maximum", { amount: "9".repeat(78) }],
    ["asset_not_allowed", { network: USDC_BASE.network, asset: USDC_BASE.address }],
    ["asset_not_allowed", { network: USDC_BASE.network }],
    ["asset_not_allowed", { asset: `0x${"1".repeat(40)}` }],
    ["malformed_terms", { amount: "0" }],
    ["malformed_terms", { amount: "-1" }],
    ["malformed_terms", { amount: "1e5" }],
    ["malformed_terms", { amount: "" }],
    ["malformed_terms", { pay_to: "0x1" }],
  ])("that may not be paid throws %s, before anything is signed: %o", async (reason, terms) => {
    answers = [required(terms as Record<string, string>), CREATED];
    const refusal = await payingFetch(payer)(url, create).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PaymentRefusedError);
    expect(refusal).toMatchObject({ reason });
    expect(asked).toHaveLength(1);
  });

  test("is paid up to the limit that the caller sets, and with what they allow", async () => {
    answers = [required({ amount: "5" }), CREATED];
    expect((await payingFetch(payer, { maxAmount: 5n })(url, create)).status).toBe(201);
    answers = [required({ amount: "5" }), CREATED];
    await expect(payingFetch(payer, { maxAmount: 4n })(url, create)).rejects.toThrow(PaymentRefusedError);
    answers = [required({ network: USDC_BASE.network, asset: USDC_BASE.address.toLowerCase() }), CREATED];
    expect((await payingFetch(payer, { assets: [USDC_BASE] })(url, create)).status).toBe(201);
  });
});

describe("while it is not known whether it was paid", () => {
  const nonces = () => new Set(asked.flatMap(({ signed }) => signed?.authorization.nonce ?? []));

  test("the same payload is shown again, whatever hides the answer", async () => {
    const busy = { status: 429, headers: { "Retry-After": "0" } };
    const gateway = { status: 502, headers: { "Retry-After": "0" } };
    answers = [required(), PENDING, gateway, busy, PENDING, CREATED];
    expect((await payingFetch(payer)(url, create)).status).toBe(201);
    expect(asked).toHaveLength(6);
    expect(nonces().size).toBe(1);
  });

  test("a lost connection is no reason to sign again", async () => {
    answers = [required(), "drop", CREATED];
    expect((await payingFetch(payer)(url, create)).status).toBe(201);
    expect(nonces().size).toBe(1);
  });

  test("the caller gets the 503 in the end, or an end when they have had enough", async () => {
    answers = [required(), PENDING];
    expect((await payingFetch(payer)(url, create)).status).toBe(503);
    expect(nonces().size).toBe(1);
    expect(asked.length).toBeLessThan(20);

    answers = [required(), { ...PENDING, headers: { "Retry-After": "9" } }];
    const enough = new AbortController();
    const call = payingFetch(payer)(url, { ...create, signal: enough.signal });
    await expect.poll(() => nonces().size).toBe(2);
    enough.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });

  test("a call without a payment is repeated unchanged, until there is a price", async () => {
    answers = [PENDING, required(), CREATED];
    expect((await payingFetch(payer)(url, create)).status).toBe(201);
    expect(asked.map(({ signed }) => signed !== undefined)).toEqual([false, false, true]);
  });
});

test("anything else is given as it came", async () => {
  for (const status of [200, 201, 409, 429, 500, 503]) {
    answers = [{ status, body: { error: { code: "unavailable" } } }];
    expect((await payingFetch(payer)(url, create)).status).toBe(status);
  }
  expect(asked).toHaveLength(6);
  answers = ["drop"];
  await expect(payingFetch(payer)(url, create)).rejects.toThrow();
  expect(asked).toHaveLength(7);
});
