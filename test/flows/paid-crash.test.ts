// Every fault of a facilitator × every point at which the service can be killed: what was paid is given, and nothing twice.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { FAULTS, type Fault, type Point } from "#test/support/payments/faults.ts";
import { startTestNetwork, type TestNetwork } from "#test/support/payments/network.ts";
import { type Answer, create, expectEven, insist, newOrder, type Order, startPaidProcess } from "./paid-rig.ts";

const SCENARIO_MAX_MS = 90_000;
const CASES = ["none", ...Object.keys(FAULTS)] as ("none" | Fault)[];
/** No transaction is made for these, so that no payment reaches the points after it. */
const reachesChain = (fault: "none" | Fault) => fault === "none" || FAULTS[fault] === "after";

/** The first ones are those at which money may have moved. */
const POINTS: [Point, typeof CASES][] = [
  ["transferred", CASES.filter(reachesChain)],
  ["settle", CASES],
  ["answered", CASES],
  ["verify", CASES],
];

let network: TestNetwork;
let service: Awaited<ReturnType<typeof startPaidProcess>>;

beforeAll(async () => {
  network = await startTestNetwork();
  service = await startPaidProcess(network);
}, SCENARIO_MAX_MS);
afterAll(() => Promise.all([service.stop(), network.stop()]));

/** One order per fault, each with a separate payer, whose payments fail with it. */
async function orderAll(cases: typeof CASES): Promise<Map<string, Order>> {
  const ordered = await Promise.all(cases.map(async (name) => [name, await newOrder(network)] as const));
  for (const [name, { payer }] of ordered) if (name !== "none") network.faults.set(name, { payer: payer.address });
  return new Map(ordered);
}

/** Holds up everybody who reaches the point, until all of `expected` have. */
function gather(point: Point, expected: number) {
  const [all, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const present = new Set<string>();
  network.at(point, async (payer) => {
    present.add(payer);
    if (present.size === expected) all.resolve();
    await released.promise;
  });
  return {
    all: all.promise,
    release() {
      network.at(point);
      released.resolve();
    },
  };
}

const askAll = (orders: Map<string, Order>) =>
  Promise.all(
    [...orders.values()].map(({ json, payload }) =>
      create(service.at(), json, payload).catch((): Answer | undefined => undefined),
    ),
  );

/** With a facilitator that works again, every order must end in its one mailbox, paid for once. */
async function expectAllServed(orders: Map<string, Order>): Promise<void> {
  network.faults.clear();
  const served = await Promise.all([...orders.values()].map((order) => insist(service.at(), order)));
  const payments = await network.payments();
  const outcomes = [...orders].map(([name, { payer }], index) => {
    const paid = payments.filter(({ from }) => from === payer.address).length;
    return `${name}: ${served[index]?.status} for ${paid}`;
  });
  expect(outcomes).toEqual([...orders.keys()].map((name) => `${name}: 201 for 1`));
  expect(new Set(served.map((answer) => answer.body.id)).size).toBe(orders.size);
  await expectEven(service.sql, network);
}

test(
  "without a kill: each answer is the mailbox or `payment_pending`, never a 402 and never an unpaid mailbox",
  async () => {
    const orders = await orderAll(CASES);
    const answers = await askAll(orders);
    const payments = await network.payments();
    for (const [index, [name, { payer }]] of [...orders].entries()) {
      const answer = answers[index] as Answer;
      const paid = payments.some(({ from }) => from === payer.address);
      expect([201, 503], `${name}: ${answer.text}`).toContain(answer.status);
      if (answer.status === 201) expect(paid, name).toBe(true);
      if (answer.status === 503) expect(answer.body.error?.code, name).toBe("payment_pending");
    }
    await expectAllServed(orders);
  },
  SCENARIO_MAX_MS,
);

describe("killed when the payment has come to", () => {
  test.each(POINTS.slice(0, size("PAID_KILL_POINTS")))(
    "%s",
    async (point, cases) => {
      const orders = await orderAll(cases);
      // Silent facilitators never finish their answer.
      const gathering = gather(point, cases.length);
      const asked = askAll(orders);
      await gathering.all;
      await service.kill();
      gathering.release();
      await asked;
      await service.start();
      await expectAllServed(orders);
    },
    SCENARIO_MAX_MS,
  );

  test(
    "a mailbox that cannot be written",
    async () => {
      const orders = await orderAll(CASES.filter(reachesChain));
      const gathering = gather("settle", orders.size);
      const asked = askAll(orders);
      await gathering.all;
      const answered = gather("answered", orders.size);
      await service.sql.begin(async (tx) => {
        await tx`lock table inboxes in exclusive mode`;
        gathering.release();
        await answered.all;
        answered.release();
        // Requests that know the transaction now wait for the lock.
        await expect.poll(() => waitingForLocks(tx)).toBeGreaterThan(0);
        await service.kill();
      });
      await asked;
      await service.start();
      await expectAllServed(orders);
    },
    SCENARIO_MAX_MS,
  );
});
