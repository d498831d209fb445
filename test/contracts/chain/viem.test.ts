// The chain over JSON-RPC: the contract on a real node; then transactions of many payments, and nodes that answer nonsense.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createWalletClient, encodeFunctionData, type Hex, http, parseAbi, publicActions } from "viem";
import { baseSepolia } from "viem/chains";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { viemChain } from "#server/adapters/viem-chain.ts";
import { startTestNetwork } from "#test/support/payments/network.ts";
import { authorize, cancelDirectly, payDirectly, type Signed } from "#test/support/payments/signing.ts";
import { ASSET } from "#test/support/payments/token.ts";
import { chainContract } from "./contract.ts";

const NOBODY = "http://127.0.0.1:9";
const PRICE = 100_000n;
const network = await startTestNetwork();
afterAll(network.stop);
const chain = viemChain({ rpcUrl: network.rpcUrl });

const authorizationOf = ({ authorization: { from, to, value, nonce } }: Signed) => ({
  asset: ASSET.toLowerCase(),
  payer: from.toLowerCase(),
  nonce: nonce.toLowerCase(),
  payTo: to.toLowerCase(),
  amount: value,
});

chainContract("viem", async () => ({
  chain,
  deaf: viemChain({ rpcUrl: NOBODY }),
  now: async () => Number(await network.now()),
  async sign() {
    const payer = await network.newPayer();
    const signed = await authorize(payer, { to: network.payTo, value: PRICE });
    const { nonce } = signed.authorization;
    const elsewhere = await authorize(payer, { to: payer.address, value: PRICE }, { nonce });
    return {
      authorization: authorizationOf(signed),
      pay: async () => void (await network.send(payDirectly(signed))),
      cancel: async () => void (await network.send(await cancelDirectly(payer, signed))),
      spendElsewhere: async () => void (await network.send(payDirectly(elsewhere))),
    };
  },
  close: async () => {},
}));

describe("payments that share a transaction", () => {
  const MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11";
  const abi = parseAbi([
    "function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])",
  ]);
  const together = (payments: Signed[]): Hex =>
    encodeFunctionData({
      abi,
      functionName: "tryAggregate",
      args: [true, payments.map((one) => ({ target: ASSET as Hex, callData: payDirectly(one) }))],
    });
  /** By an account whose key is the node's own. */
  async function batch(payments: Signed[]): Promise<void> {
    const wallet = createWalletClient({ chain: baseSepolia, transport: http(network.rpcUrl) }).extend(publicActions);
    const [account] = await wallet.getAddresses();
    const hash = await wallet.sendTransaction({ account: account as Hex, to: MULTICALL, data: together(payments) });
    await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  }

  test("each is paid by its own transfer", async () => {
    const payer = await network.newPayer();
    const [a, b] = [1, 2].map(() => authorize(payer, { to: network.payTo, value: PRICE }));
    const signed = [await (a as Promise<Signed>), await (b as Promise<Signed>)];
    await batch(signed);
    const looks = await Promise.all(signed.map((one) => chain.look(authorizationOf(one), 0)));
    expect(looks.map(({ state }) => state)).toEqual(["paid", "paid"]);
  });

  test("one transfer is one payment: a nonce that went elsewhere is lost beside one that paid", async () => {
    const payer = await network.newPayer();
    const paid = await authorize(payer, { to: network.payTo, value: PRICE });
    const shown = await authorize(payer, { to: network.payTo, value: PRICE });
    const { nonce } = shown.authorization;
    const elsewhere = await authorize(payer, { to: payer.address, value: PRICE }, { nonce });
    await batch([elsewhere, paid]);
    expect(await chain.look(authorizationOf(shown), 0)).toMatchObject({ state: "lost" });
    expect(await chain.look(authorizationOf(paid), 0)).toMatchObject({ state: "paid" });
  });
});

describe("a node that answers nonsense", () => {
  test.each([
    ["a page", 200, "<html>It works!</html>"],
    ["nothing", 200, ""],
    ["an error", 500, "{}"],
    ["null", 200, '{"jsonrpc":"2.0","id":1,"result":null}'],
    ["other things", 200, '{"jsonrpc":"2.0","id":1,"result":{"number":"x","timestamp":[]}}'],
  ])("%s: nothing is known", async (_name, status, body) => {
    const server = createServer((_req, res) => res.writeHead(status).end(body)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const odd = viemChain({ rpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const signed = await authorize(await network.newPayer(), { to: network.payTo, value: PRICE });
    expect(await odd.nonceAtHead(authorizationOf(signed))).toEqual({ reason: expect.stringMatching(/./) });
    expect(await odd.look(authorizationOf(signed), 0)).toMatchObject({ state: "unknown" });
    server.close();
  });
});

describe("a node whose answers about one payment do not fit together", () => {
  type Rpc = { id: number; method: string };
  type Result = { topics: string[] }[] & { status: string };

  /** Passes calls on, and changes the result of one method. */
  async function lying(method: string, change: (result: Result) => unknown) {
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const answer = await fetch(network.rpcUrl, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
      });
      const json = (await answer.json()) as { result: Result };
      if ((JSON.parse(body) as Rpc).method === method) change(json.result);
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(json));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return viemChain({ rpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  }

  async function paid() {
    const signed = await authorize(await network.newPayer(), { to: network.payTo, value: PRICE });
    const head = await chain.nonceAtHead(authorizationOf(signed));
    const block = "block" in head ? head.block : 0;
    await network.send(payDirectly(signed));
    return { authorization: authorizationOf(signed), block };
  }

  test("a log of another event cannot be read: unknown", async () => {
    const { authorization, block } = await paid();
    const odd = await lying("eth_getLogs", (logs) => {
      for (const log of logs) log.topics[0] = `0x${"1".repeat(64)}`;
    });
    expect(await odd.look(authorization, block)).toEqual({ state: "unknown", reason: "a log that cannot be read" });
  });

  test("a log of a transaction that was reverted: unknown, neither paid nor lost", async () => {
    const { authorization, block } = await paid();
    const odd = await lying("eth_getTransactionReceipt", (receipt) => {
      receipt.status = "0x0";
    });
    expect(await odd.look(authorization, block)).toEqual({
      state: "unknown",
      reason: "its transaction did not succeed",
    });
    expect(await chain.look(authorization, block)).toMatchObject({ state: "paid" });
  });
});
