// While a payment settles, its mailbox is reserved: it is not visible, its address is taken, and copies of the request
// wait for it.
import { afterAll, describe, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { payloadV1 } from "#test/support/payments/signing.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { PRICE, startPaying } from "./rig.ts";

const COPIES = 20;
/** All copies of all payloads of a race may wait concurrently. */
const WAITS = 1_000;
const rig = await startPaying({ ROLES: "web,smtp", MAX_WAITS_PER_KEY: `${WAITS}` });
const { client, service, ledger, create, sign, quota } = rig;
afterAll(rig.stop);

/** Copies that wait for the one that settles. */
const waitsOf = ({ system }: TestService) => system.openAnswers.used;

/** Holds the facilitator at settling; `reached` when it is asked, `go` lets it pay. */
function holdSettling() {
  let go = () => {};
  let asked = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    asked = resolve;
  });
  ledger.scripts.settle = async (pay) => {
    asked();
    await held;
    pay();
    return { outcome: "settled" };
  };
  return { reached, go };
}

test("a reserved mailbox is visible to no caller, and its address is taken", async () => {
  const { key } = await rig.newOrganization();
  const stranger = await rig.newOrganization();
  const { reached, go } = holdSettling();
  const json = { username: "reserved", client_id: "r", inbound_webhook_url: "https://agent.example/hook" };
  const making = create(key, json, await sign());
  await reached;
  const address = "reserved@mail.example";
  const send = { to: "x@else.example", text: "x" };
  const statuses = [
    await client.get(inboxPath(address), { key }),
    await client.delete(inboxPath(address), { key }),
    await client.patch(inboxPath(address), { display_name: "x" }, { key }),
    await client.post(inboxPath(address, "/send"), send, { key }),
    await client.post("/v1/webhooks", { url: "https://a.example", events: ["message.received"], address }, { key }),
    await client.post(inboxPath(address, "/wait"), { timeout_seconds: 0 }, { key }),
    await client.get(inboxPath(address, "/messages"), { key }),
  ].map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([404]));
  expect((await client.get<Page<object>>("/v1/inboxes", { key })).body.data).toEqual([]);
  expect((await client.get<Page<object>>("/v1/webhooks", { key })).body.data).toEqual([]);
  await expect(service.mail({ from: "w@else.example", to: address })).rejects.toThrow("550");
  expect((await create(stranger.key, { username: "reserved" }, await sign())).body.error.code).toBe("address_taken");
  expect((await create(key, { username: "reserved" }, await sign())).body.error.code).toBe("address_taken");
  expect((await create(key, { client_id: "r" }, await sign())).body.error.code).toBe("payment_pending");
  expect((await quota(key)).used_count).toBe(1);
  expect(ledger.calls.settle).toBe(1);
  go();
  const made = await making;
  expect([made.status, made.body.address]).toEqual([201, address]);
  await service.mail({ from: "w@else.example", to: address });
  expect((await client.get<Page<object>>(inboxPath(address, "/messages"), { key })).body.data).toHaveLength(1);
  ledger.scripts.settle = undefined;
});

describe("concurrent copies of one payload", () => {
  test.each([
    ["a generated address", {}],
    ["a username", { username: "copied" }],
    ["a client_id and a webhook", { client_id: "copied", inbound_webhook_url: "https://agent.example/hook" }],
  ])("%s: one settle, one mailbox, equal answers", async (_name, json) => {
    const second = await startTestService(
      { ...serviceSettings(), ROLES: "web" },
      { database: service.database, payments: ledger.ports },
    );
    const there = api(second);
    const { key } = await rig.newOrganization({ maxMailboxes: 1 });
    const { settle } = ledger.calls;
    const moved = ledger.moved.length;
    ledger.scripts.settle = async (pay) => {
      const waiting = () => waitsOf(service) + waitsOf(second);
      await expect.poll(waiting).toBe(COPIES - 1);
      pay();
      return { outcome: "settled" };
    };
    const headers = { "x-payment": payloadV1(await sign()) };
    const answers = await Promise.all(
      Array.from({ length: COPIES }, (_, i) => (i % 2 ? client : there).post("/v1/inboxes", json, { key, headers })),
    );
    ledger.scripts.settle = undefined;
    await there.close();
    await second.stop();
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect([ledger.calls.settle, ledger.moved.length]).toEqual([settle + 1, moved + 1]);
    expect((await quota(key)).used_count).toBe(1);
  });

  test("the holder of the lease dies: another takes over when it has lapsed, and settles once more at most", async () => {
    const { key } = await rig.newOrganization();
    const signed = await sign();
    const { reached, go } = holdSettling();
    const lost = create(key, {}, signed);
    await reached;
    ledger.scripts.settle = undefined;
    rig.clock.advance(31_000);
    const taken = await create(key, {}, signed);
    expect(taken.status).toBe(201);
    // The first request continues: its settling fails, and the paid state stays.
    go();
    await lost;
    expect(ledger.moved.filter(({ payer }) => payer === signed.authorization.from)).toHaveLength(1);
    expect((await quota(key)).used_count).toBe(1);
  });

  test("the holder of the lease dies: a copy that waits takes over", async () => {
    const { key } = await rig.newOrganization();
    const signed = await sign();
    const { reached, go } = holdSettling();
    const lost = create(key, {}, signed);
    await reached;
    const copy = create(key, {}, signed);
    await expect.poll(() => service.system.openAnswers.used).toBe(1);
    ledger.scripts.settle = undefined;
    rig.clock.advance(31_000);
    const taken = await copy;
    expect(taken.status).toBe(201);
    go();
    const both = [taken, await lost].filter(({ status }) => status === 201);
    expect(new Set(both.map(({ body }) => body.id)).size).toBe(1);
    expect(ledger.moved.filter(({ payer }) => payer === signed.authorization.from)).toHaveLength(1);
    expect(await rig.service.system.sql`select from payments where leased_until is not null`).toEqual([]);
  });
});

test("no more copies wait than a key may have waits; the others get Retry-After", async () => {
  const most = 2;
  const tight = await startPaying({ MAX_WAITS_PER_KEY: `${most}` });
  const { key } = await tight.newOrganization();
  const signed = await tight.sign();
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    tight.ledger.scripts.settle = async (pay) => {
      resolve();
      await held;
      pay();
      return { outcome: "settled" };
    };
  });
  const first = tight.create(key, {}, signed);
  await reached;
  const refused: unknown[] = [];
  const copies = Array.from({ length: 5 }, async () => {
    const answer = await tight.create(key, {}, signed);
    if (answer.status !== 201) refused.push([answer.status, answer.body.error.code, answer.headers["retry-after"]]);
    return answer;
  });
  await expect.poll(() => refused).toEqual(Array(5 - most).fill([429, "rate_limited", "1"]));
  go();
  const made = (await Promise.all([first, ...copies])).filter(({ status }) => status === 201);
  expect(made).toHaveLength(1 + most);
  const again = await tight.create(key, {}, signed);
  expect(new Set([again, ...made].map(({ body }) => body.id)).size).toBe(1);
  expect(tight.ledger.moved).toHaveLength(1);
  // Finished waits have released their slots.
  const waited = await tight.client.post(inboxPath(again.body.address, "/wait"), { timeout_seconds: 0 }, { key });
  expect(waited.status).toBe(200);
  await tight.stop();
});

const payloads = size("RACING_PAYLOADS");
test(`${payloads} payloads race, ten times each: as many transfers as mailboxes`, async () => {
  const { key } = await rig.newOrganization({ maxMailboxes: payloads / 2 });
  const moved = ledger.moved.length;
  const signed = await Promise.all(Array.from({ length: payloads }, () => sign(PRICE)));
  const answers = await Promise.all(signed.flatMap((one) => Array.from({ length: 10 }, () => create(key, {}, one))));
  const made = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.id));
  const refused = new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.error.code));
  expect([made.size, [...refused]]).toEqual([payloads / 2, ["enrollment_token_exhausted"]]);
  expect([ledger.moved.length - moved, (await quota(key)).used_count]).toEqual([payloads / 2, payloads / 2]);
});

function serviceSettings() {
  const { PAYMENTS_PAY_TO = "", PAYMENTS_RPC_URL = "", PAYMENTS_FACILITATOR_URL } = service.settings;
  return { PAYMENTS_ENABLED: "true", PAYMENTS_PAY_TO, PAYMENTS_RPC_URL, PAYMENTS_FACILITATOR_URL };
}
