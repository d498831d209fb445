// Clients that pay: those of x402 as npm has them, our own, and one written from the specification alone.
import { registerExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment as payV2, x402Client } from "@x402/fetch";
import type { LocalAccount } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeXPaymentResponse, wrapFetchWithPayment as payV1 } from "x402-fetch";
import { createClient, payingFetch, serviceError } from "#client/index.ts";
import type { Failure, Inbox } from "#test/support/api.ts";
import { PRICE, startTestNetwork, type TestNetwork } from "#test/support/payments/network.ts";
import { encodeHeader } from "#test/support/payments/signing.ts";
import { startPaidService } from "./paid-rig.ts";

let network: TestNetwork;
let service: Awaited<ReturnType<typeof startPaidService>>;
let payer: LocalAccount;
let key: string;

beforeAll(async () => {
  network = await startTestNetwork();
  payer = await network.newPayer();
  service = await startPaidService(network);
  key = (await service.newPayingAgent()).key;
});
afterAll(async () => {
  await service.stop();
  await network.stop();
});

const request = (json: object, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
  body: JSON.stringify(json),
});

const v2Client = () => registerExactEvmScheme(new x402Client(), { signer: payer });

/** Runs `pay`, which must move the price once, and come back with a mailbox that is there; gives both. */
async function buys(pay: () => Promise<Response>) {
  const { answer, created: inbox, transaction } = await paysOnce<Inbox>(pay);
  expect(await found(inbox.address)).toMatchObject({ id: inbox.id, status: "live" });
  return { answer, inbox, transaction };
}

async function found(address: string): Promise<unknown> {
  const path = `/v1/inboxes/${encodeURIComponent(address)}`;
  return (await fetch(service.url + path, { headers: { Authorization: `Bearer ${key}` } })).json();
}

async function paysOnce<Created>(pay: () => Promise<Response>) {
  const [before, funds] = [await network.payments(), await network.balanceOf(payer.address)];
  const answer = await pay();
  const created = (await answer.json()) as Created;
  expect(answer.status, JSON.stringify(created)).toBe(201);
  const [payment, ...others] = (await network.payments()).slice(before.length);
  expect(others).toEqual([]);
  expect(payment).toMatchObject({ from: payer.address, to: network.payTo, value: PRICE });
  expect(await network.balanceOf(payer.address)).toBe(funds - PRICE);
  return { answer, created, transaction: payment?.transaction };
}

describe("x402-fetch 1.2", () => {
  test("pays a service that knows nothing of it", async () => {
    const pay = payV1(fetch, payer as never);
    const { answer, transaction } = await buys(() => pay(`${service.url}/v1/inboxes`, request({ display_name: "V1" })));
    const receipt = decodeXPaymentResponse(answer.headers.get("X-PAYMENT-RESPONSE") ?? "");
    expect(receipt).toMatchObject({ success: true, transaction, payer: payer.address.toLowerCase() });
  });
});

describe("a verification, whose 402 names its own URL", () => {
  const asked = async (path: string) => (await fetch(service.url + path, request({}))).json();

  test.each([
    ["x402-fetch", "/v1/verifications", () => payV1(fetch, payer as never)],
    ["@x402/fetch", "/x402/v1/verifications", () => payV2(fetch, v2Client())],
  ] as const)("%s pays for it", async (_, path, paying) => {
    const resource = expect.stringMatching(/\/v1\/verifications$/);
    expect(await asked(path)).toMatchObject({ accepts: [{ resource }] });
    const wish = request({ ttl_seconds: 600 });
    const { created } = await paysOnce<{ address: string }>(() => paying()(service.url + path, wish));
    expect(await found(created.address)).toMatchObject({ address: created.address, status: "live" });
  });
});

describe("@x402/fetch 2.27", () => {
  const pay = () => payV2(fetch, v2Client());
  const receipt = (answer: Response) =>
    JSON.parse(Buffer.from(answer.headers.get("PAYMENT-RESPONSE") ?? "", "base64").toString());

  test("pays when it says which version it speaks", async () => {
    const wish = request({ display_name: "V2" }, { "X-402-Version": "2" });
    const { answer, transaction } = await buys(() => pay()(`${service.url}/v1/inboxes`, wish));
    expect(receipt(answer)).toMatchObject({ success: true, transaction, network: "eip155:84532" });
  });

  test("pays below /x402 as it is", async () => {
    const { answer, transaction } = await buys(() => pay()(`${service.url}/x402/v1/inboxes`, request({})));
    expect(receipt(answer)).toMatchObject({ success: true, transaction });
  });
});

describe("a client written from the specification alone", () => {
  /** Reads the header and the body of the 402, signs, and sends the payload in `header`. */
  async function specified(header: string): Promise<Response> {
    const url = `${service.url}/v1/inboxes`;
    const refused = await fetch(url, request({}));
    expect(refused.status).toBe(402);
    const required = refused.headers.get("PAYMENT-REQUIRED") ?? "";
    const terms = Object.fromEntries(required.split(";").map((part) => part.trim().split(/=(.*)/s).slice(0, 2)));
    const { error, payment } = (await refused.json()) as {
      error: { code: string; message: string };
      payment: Record<string, string> & { eip712: { name: string; version: string } };
    };
    expect(error.code).toBe("payment_required");
    expect(Object.keys(terms)).toEqual(["network", "asset", "amount", "pay_to", "resource", "facilitator"]);
    const { eip712, ...plain } = payment;
    expect(plain).toEqual(terms);
    expect(terms).toMatchObject({ network: "eip155:84532", amount: "100000", resource: "mailboxes:1" });
    const seconds = Math.floor(Date.now() / 1_000);
    const nonce = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex")}` as const;
    const authorization = { from: payer.address, to: terms.pay_to, value: terms.amount, nonce };
    const window = { validAfter: "0", validBefore: `${seconds + 120}` };
    const signature = await payer.signTypedData({
      domain: { ...eip712, chainId: Number(terms.network.split(":")[1]), verifyingContract: terms.asset },
      primaryType: "TransferWithAuthorization",
      types: {
        TransferWithAuthorization: [
          { name: "from", type: "address" },
          { name: "to", type: "address" },
          { name: "value", type: "uint256" },
          { name: "validAfter", type: "uint256" },
          { name: "validBefore", type: "uint256" },
          { name: "nonce", type: "bytes32" },
        ],
      },
      message: {
        ...authorization,
        value: BigInt(terms.amount),
        validAfter: 0n,
        validBefore: BigInt(window.validBefore),
      },
    });
    const { network, asset, amount, pay_to: payTo } = terms;
    const payload = encodeHeader({
      x402Version: 2,
      accepted: { scheme: "exact", network, asset, amount, payTo },
      payload: { signature, authorization: { ...authorization, ...window } },
    });
    return fetch(url, request({}, { [header]: payload }));
  }

  test.each(["PAYMENT-SIGNATURE", "X-PAYMENT"])("pays with %s", async (header) => {
    await buys(() => specified(header));
  });
});

describe("payingFetch", () => {
  test("pays over REST", async () => {
    await buys(() => payingFetch(payer)(`${service.url}/v1/inboxes`, request({ display_name: "Ours" })));
  });

  test("pays for createClient, once for one client_id", async () => {
    const client = createClient({ url: service.url, key, fetch: payingFetch(payer) });
    const before = await network.payments();
    const first = await client.inboxes.create.mutate({ display_name: "Typed", client_id: "typed-1" });
    const second = await client.inboxes.create.mutate({ display_name: "Typed", client_id: "typed-1" });
    expect(second.id).toBe(first.id);
    expect(await network.payments()).toHaveLength(before.length + 1);
  });

  test("a client pays nothing above its limit, and its error says why", async () => {
    const before = await network.payments();
    const client = createClient({ url: service.url, key, fetch: payingFetch(payer, { maxAmount: PRICE - 1n }) });
    const refused = await client.inboxes.create.mutate({}).catch((error: unknown) => error);
    expect(refused).toMatchObject({ cause: { name: "PaymentRefusedError", reason: "amount_over_maximum" } });
    expect(await network.payments()).toEqual(before);
  });

  test("gives the 402 of a payer without money", async () => {
    const poor = await network.newPayer(PRICE - 1n);
    const answer = await payingFetch(poor)(`${service.url}/v1/inboxes`, request({}));
    expect(answer.status).toBe(402);
    expect(((await answer.json()) as Failure).error.code).toBe("payment_required");
    const client = createClient({ url: service.url, key, fetch: payingFetch(poor) });
    const refused = await client.inboxes.create.mutate({}).catch((error: unknown) => error);
    expect(serviceError(refused)?.code).toBe("payment_required");
  });
});
