// Two processes on one database with separate memory: an authorization pays once, and a cap applies to both together.
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "#server/base/ids.ts";
import { newToken, tokenHash } from "#server/base/secrets.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestNetwork, type TestNetwork } from "#test/support/payments/network.ts";
import { create, expectEven, newOrder, startPaidProcess } from "./paid-rig.ts";

const CAP = 10;
const SENDS = 16;

type Process = Awaited<ReturnType<typeof startPaidProcess>>;
let network: TestNetwork;
let first: Process;
let second: Awaited<ReturnType<Process["second"]>>;

beforeAll(async () => {
  network = await startTestNetwork();
  first = await startPaidProcess(network, { SEND_CAP_RAMP: String(CAP) });
  second = await first.second();
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
  await network?.stop();
});

/** An agent of one more organization: creates of one wait for each other, whatever the payments do. */
async function secondAgent(): Promise<{ url: string; key: string }> {
  const id = newId();
  const token = newToken("enroll", id);
  await first.sql`
    insert into organizations (id, name, paid_provisioning, created_at) values (${id}, 'second', true, now())`;
  await first.sql`
    insert into enrollment_keys (id, organization_id, name, secret_hash, allowed_domains, scopes, max_mailboxes, created_at)
    select ${id}, ${id}, 'second', ${tokenHash(token)}, allowed_domains, scopes, max_mailboxes, created_at
    from enrollment_keys limit 1`;
  const { body } = await create({ ...second.at, key: "" }, { token, agent_handle: "b" }, undefined, "/v1/enroll");
  return { ...second.at, key: (body as unknown as { agent_key: string }).agent_key };
}

/** Runs `work` while payments cannot be written, until `waiting` statements wait to. */
async function heldUp<T>(waiting: number, work: () => Promise<T>): Promise<T> {
  let result: Promise<T> | undefined;
  await first.sql.begin(async (tx) => {
    await tx`lock table payments in exclusive mode`;
    result = work();
    await expect.poll(() => waitingForLocks(first.sql)).toBeGreaterThanOrEqual(waiting);
  });
  return result as Promise<T>;
}

test("one authorization, used concurrently at both for two mailboxes, pays for one", async () => {
  const { payload } = await newOrder(network);
  const other = await secondAgent();
  const settled = network.calls.settle;
  const answers = await heldUp(2, () =>
    Promise.all([create(first.at(), { client_id: "a" }, payload), create(other, { client_id: "b" }, payload)]),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.error?.code).toBe("payment_already_used");
  // Decided by the row, before the chain would have to.
  expect(network.calls.settle - settled).toBe(1);
  await expectEven(first.sql, network);
});

test(`${SENDS} messages sent by each: ${CAP} of them are accepted`, async () => {
  const { payload } = await newOrder(network);
  const { body } = await create(first.at(), {}, payload);
  const path = `/v1/inboxes/${encodeURIComponent(body.address)}/send`;
  const message = { to: "a@else.example", text: "x" };
  const answers = await Promise.all(
    Array.from({ length: 2 * SENDS }, (_, i) => create(i % 2 ? first.at() : second.at, message, undefined, path)),
  );
  const accepted = answers.filter(({ status }) => status === 202);
  expect([accepted.length, new Set(answers.map(({ status }) => status))]).toEqual([CAP, new Set([202, 429])]);
});
