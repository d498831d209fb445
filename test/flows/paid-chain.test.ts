// A chain that lags, one that is silent, and expired payments: no charge without a result, and no reservation without
// an end.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PRICE, startTestNetwork, type TestNetwork } from "#test/support/payments/network.ts";
import { authorize, payloadV2 } from "#test/support/payments/signing.ts";
import { create, expectEven, hurry, insist, newOrder, startPaidService } from "./paid-rig.ts";

const SLOW_MAX_MS = 60_000;
const VALID_SECONDS = 60;
/** After `validBefore` by the chain's clock. */
const EXPIRED_SECONDS = 31;

let network: TestNetwork;
let service: Awaited<ReturnType<typeof startPaidService>>;
let agent: { url: string; key: string };

beforeAll(async () => {
  network = await startTestNetwork();
  service = await startPaidService(network);
  agent = await service.newPayingAgent();
});
afterEach(() => network.faults.clear());
afterAll(async () => {
  await service.stop();
  await network.stop();
});

const listed = async () => {
  const answer = await fetch(`${agent.url}/v1/inboxes`, { headers: { Authorization: `Bearer ${agent.key}` } });
  return ((await answer.json()) as { data: object[] }).data.length;
};

test(
  "while the transaction waits to be mined there is no mailbox, then there is one",
  async () => {
    const { json, payload } = await newOrder(network);
    await network.automine(false);
    const answer = await create(agent, json, payload);
    expect(answer.body.error?.code).toBe("payment_pending");
    const without = await create(agent, json);
    expect(without.body.error?.code).toBe("payment_pending");
    expect(await listed()).toBe(0);
    await network.mine();
    await network.automine(true);
    expect((await insist(agent, { json, payload })).status).toBe(201);
    expect((await create(agent, json)).status).toBe(201);
    expect(await listed()).toBe(1);
    await expectEven(service.sql, network);
  },
  SLOW_MAX_MS,
);

test(
  "a chain that does not answer is met before any money moves",
  async () => {
    const { json, payload } = await newOrder(network);
    const settled = network.calls.settle;
    network.pause();
    const answer = await create(agent, json, payload).finally(network.resume);
    expect(answer.status).toBe(503);
    expect(answer.body.error?.code).toBe("unavailable");
    expect(network.calls.settle).toBe(settled);
    expect((await insist(agent, { json, payload })).status).toBe(201);
    await expectEven(service.sql, network);
  },
  SLOW_MAX_MS,
);

test(
  "no caller repeats an unknown payment: the worker finishes it",
  async () => {
    const { json, payload } = await newOrder(network);
    await network.automine(false);
    expect((await create(agent, json, payload)).body.error?.code).toBe("payment_pending");
    await network.mine();
    await network.automine(true);
    const undecided = async () => {
      await hurry(service.sql);
      return [...(await service.sql`select status from payments where status <> 'fulfilled'`)];
    };
    await expect.poll(undecided).toEqual([]);
    expect((await create(agent, json)).status).toBe(201);
    await expectEven(service.sql, network);
  },
  SLOW_MAX_MS,
);

describe("an authorization that ran out unused", () => {
  test(
    "gives back its slot and its address, and cannot be paid any more",
    async () => {
      const payer = await network.newPayer();
      const until = (await network.now()) + BigInt(VALID_SECONDS);
      const signed = await authorize(payer, { to: network.payTo, value: PRICE }, { validBefore: `${until}` });
      const lonely = await service.newPayingAgent({ maxMailboxes: 1 });
      const [json, payload] = [{ username: "patience" }, payloadV2(signed)];
      network.faults.set("fail_before");
      expect((await create(lonely, json, payload)).body.error?.code).toBe("payment_pending");
      await network.setTime(until + BigInt(EXPIRED_SECONDS));
      const status = async () => {
        await hurry(service.sql);
        const [row] = await service.sql`select status from payments order by id desc limit 1`;
        return row?.status;
      };
      await expect.poll(status).toBe("expired");
      network.faults.clear();
      const again = await create(lonely, json, payload);
      expect(again.status, again.text).not.toBe(201);
      expect(again.status).not.toBe(503);
      expect(await network.balanceOf(payer.address)).toBe(1_000_000_000n);

      // From here on, the chain's clock is ahead of the local one.
      const late = { validBefore: `${(await network.now()) + 600n}` };
      const another = await authorize(payer, { to: network.payTo, value: PRICE }, late);
      expect((await create(lonely, json, payloadV2(another))).status).toBe(201);
      await expectEven(service.sql, network);
    },
    SLOW_MAX_MS,
  );
});
