// What can be refused is refused before money moves: a full key, a taken address; and what was bought is there to be used.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PRICE, startTestNetwork, type TestNetwork } from "#test/support/payments/network.ts";
import { authorize, payloadV2 } from "#test/support/payments/signing.ts";
import { create, newOrder, startPaidService } from "./paid-rig.ts";

let network: TestNetwork;
let service: Awaited<ReturnType<typeof startPaidService>>;
let before: { paid: number; settle: number };

beforeAll(async () => {
  network = await startTestNetwork();
  service = await startPaidService(network);
});
beforeEach(async () => {
  before = { paid: (await network.payments()).length, settle: network.calls.settle };
});
afterAll(async () => {
  await service.stop();
  await network.stop();
});

async function expectPaid(count: number): Promise<void> {
  expect((await network.payments()).length - before.paid).toBe(count);
  expect(network.calls.settle - before.settle).toBe(count);
}

async function buy(agent: { url: string; key: string }, mailboxes: number) {
  const payer = await network.newPayer();
  const signed = await authorize(payer, { to: network.payTo, value: PRICE * BigInt(mailboxes) });
  return create(agent, { resource: `mailboxes:${mailboxes}` }, payloadV2(signed), "/v1/purchase");
}

describe("a full key", () => {
  test("is refused with and without a payment, and nothing is settled", async () => {
    const agent = await service.newPayingAgent({ maxMailboxes: 1 });
    const { json, payload } = await newOrder(network);
    expect((await create(agent, json, payload)).status).toBe(201);
    const refused = [await create(agent, {}), await create(agent, {}, (await newOrder(network)).payload)];
    for (const { status, body } of refused) {
      expect(status).toBe(409);
      expect(body.error?.code).toBe("enrollment_token_exhausted");
    }
    await expectPaid(1);
  });

  test("takes the mailboxes that were bought, without asking for money again, and is full after them", async () => {
    const agent = await service.newPayingAgent({ maxMailboxes: 1 });
    expect((await create(agent, {}, (await newOrder(network)).payload)).status).toBe(201);
    const bought = await buy(agent, 2);
    expect(bought.status).toBe(201);
    expect(bought.body).toMatchObject({ resource: "mailboxes:2", amount: `${PRICE * 2n}`, max_mailboxes: 3 });
    expect((await create(agent, {})).status).toBe(201);
    expect((await create(agent, {})).status).toBe(201);
    expect((await create(agent, {})).body.error?.code).toBe("enrollment_token_exhausted");
    await expectPaid(2);
  });

  test("gives its last slot to one of many payers, and the others keep their money", async () => {
    const agent = await service.newPayingAgent({ maxMailboxes: 1 });
    const orders = await Promise.all(Array.from({ length: 8 }, () => newOrder(network)));
    const answers = await Promise.all(orders.map(({ json, payload }) => create(agent, json, payload)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    await expectPaid(1);
  });
});

describe("a taken address", () => {
  test("is refused before any money moves", async () => {
    const [owner, other] = [await service.newPayingAgent(), await service.newPayingAgent()];
    expect((await create(owner, { username: "taken" }, (await newOrder(network)).payload)).status).toBe(201);
    for (const payload of [undefined, (await newOrder(network)).payload]) {
      const refused = await create(other, { username: "taken" }, payload);
      expect(refused.status, refused.text).toBe(409);
    }
    await expectPaid(1);
  });

  test("that many pay for concurrently is paid by one", async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, () => service.newPayingAgent()));
    const answers = await Promise.all(
      agents.map(async (agent) => create(agent, { username: "wanted" }, (await newOrder(network)).payload)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)]);
    await expectPaid(1);
  });

  test("that is being paid for is not given to another, and is free again if the payment fails", async () => {
    const [slow, quick] = [await service.newPayingAgent(), await service.newPayingAgent()];
    const [settling, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    network.at("settle", () => {
      settling.resolve();
      return released.promise;
    });
    const poor = await network.newPayer(PRICE);
    const order = await newOrder(network, poor);
    const first = create(slow, { username: "awaited" }, order.payload);
    await settling.promise;
    network.at("settle");
    expect((await create(quick, { username: "awaited" }, (await newOrder(network)).payload)).status).toBe(409);
    await network.spend(poor, PRICE); // so that settling it fails, for a reason that is listed
    released.resolve();
    expect((await first).status).toBe(402);
    expect((await create(quick, { username: "awaited" }, (await newOrder(network)).payload)).status).toBe(201);
    expect((await network.payments()).length - before.paid).toBe(1);
  });
});
