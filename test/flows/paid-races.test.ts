// Concurrent payments to two services on one database: one settlement, one mailbox, and the same answer for all copies.
import { afterAll, beforeAll, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { startTestNetwork, type TestNetwork } from "#test/support/payments/network.ts";
import { create, expectEven, newOrder, startPaidService } from "./paid-rig.ts";

const COPIES = 20;
const RACES = size("PAID_RACES");
const AT_ONCE = 25;
const RACES_MAX_MS = 240_000;

let network: TestNetwork;
let first: Awaited<ReturnType<typeof startPaidService>>;
let second: Awaited<ReturnType<typeof startPaidService>>;
let agents: { url: string; key: string }[];

beforeAll(async () => {
  network = await startTestNetwork();
  first = await startPaidService(network);
  second = await startPaidService(network, first.database);
  const agent = await first.newPayingAgent({ maxMailboxes: 10_000 });
  agents = [agent, { ...agent, url: second.url }];
});
afterAll(async () => {
  await second.stop();
  await first.stop();
  await network.stop();
});

const door = (index: number) => agents[index % agents.length] as (typeof agents)[number];

test(`${COPIES} copies of one payload: one settlement, one mailbox, ${COPIES} equal answers`, async () => {
  const { json, payload } = await newOrder(network);
  const settled = network.calls.settle;
  network.faults.set("slow"); // so that all of them come before it is settled
  const answers = await Promise.all(Array.from({ length: COPIES }, (_, copy) => create(door(copy), json, payload)));
  expect(answers.map(({ status }) => status)).toEqual(Array(COPIES).fill(201));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(network.calls.settle - settled).toBe(1);
  network.faults.clear();
  expect(await network.payments()).toHaveLength(1);
  await expectEven(first.sql, network);
});

test(`${COPIES} copies without a client_id are one mailbox too`, async () => {
  const { payload } = await newOrder(network);
  const [settled, paid] = [network.calls.settle, (await network.payments()).length];
  const answers = await Promise.all(Array.from({ length: COPIES }, (_, copy) => create(door(copy), {}, payload)));
  expect(answers.map(({ status }) => status)).toEqual(Array(COPIES).fill(201));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(network.calls.settle - settled).toBe(1);
  expect(await network.payments()).toHaveLength(paid + 1);
  await expectEven(first.sql, network);
});

test(
  `${RACES} nonces, each used for two mailboxes concurrently: as many payments as mailboxes`,
  async () => {
    const before = (await network.payments()).length;
    const payer = await network.newPayer();
    async function race(index: number): Promise<string> {
      const { json, payload } = await newOrder(network, payer);
      const asked = [json.client_id, `${json.client_id}-too`].map((client_id, side) =>
        create(door(index + side), { client_id }, payload),
      );
      return (await Promise.all(asked))
        .map(({ status, body }) => body.error?.code ?? status)
        .sort()
        .join(" ");
    }
    const outcomes = new Map<string, number>();
    for (let started = 0; started < RACES; started += AT_ONCE) {
      const count = Math.min(AT_ONCE, RACES - started);
      for (const outcome of await Promise.all(Array.from({ length: count }, (_, index) => race(index)))) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }
    expect(Object.fromEntries(outcomes)).toEqual({ "201 payment_already_used": RACES });
    expect((await network.payments()).length - before).toBe(RACES);
    await expectEven(first.sql, network);
  },
  RACES_MAX_MS,
);
