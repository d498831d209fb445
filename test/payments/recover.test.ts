// What the worker does about payments: also where payments are off, for one bad row among good ones, and without wearing out.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { reservedInboxes } from "#server/inboxes/reserved.ts";
import { recoverPayments } from "#server/payments/recover.ts";
import { startTestService } from "#test/support/service.ts";
import { PRICE, startPaying } from "./rig.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const VALID_SECONDS = 300;
const rig = await startPaying();
const off = await startTestService({ ROLES: "web" }, { database: rig.service.database, now: rig.clock.now });
const { client, ledger, create, service } = rig;
const { sql } = service.system;
afterAll(async () => {
  await off.stop();
  await rig.stop();
});
beforeEach(async () => {
  ledger.scripts.settle = undefined;
  ledger.state.hidden = false;
  await sql`delete from payments`;
});

const signNow = () => {
  const seconds = Math.floor(rig.clock.now().getTime() / 1000);
  return rig.sign(PRICE, { validBefore: `${seconds + VALID_SECONDS}` });
};

/** A create whose payment has an unknown result; `paid`: the chain will show it. */
async function abandoned(key: string, paid: boolean, json: object = {}): Promise<void> {
  ledger.scripts.settle = (pay) => {
    if (paid) pay();
    ledger.state.hidden = true;
    return { outcome: "unknown", reason: "502" };
  };
  const { body } = await create(key, json, await signNow());
  expect(body.error.code).toBe("payment_pending");
  ledger.state.hidden = false;
}

/** What a process leaves that dies between the chain's answer and the mailbox. */
const settleAll = () => sql`update payments set status = 'settled', settled_at = now(), transaction = '0x'`;
const statuses = async () => (await rig.rows()).map(({ status }) => status);
const addresses = async (key: string) =>
  (await client.get<{ data: { address: string }[] }>("/v1/inboxes", { key })).body.data.map(({ address }) => address);

describe("where payments are off by now", () => {
  test("what was paid is fulfilled, and its webhook's secret forgotten in time", async () => {
    const { key } = await rig.newOrganization();
    const json = { username: "off", inbound_webhook_url: "https://agent.example/hook" };
    await abandoned(key, true, json);
    await settleAll();
    rig.clock.advance(MINUTE_MS);
    await recoverPayments(off.system, reservedInboxes);
    expect(await statuses()).toEqual(["fulfilled"]);
    expect(await addresses(key)).toEqual(["off@mail.example"]);
    expect(await sql`select 1 from payments where webhook is not null`).toHaveLength(1);
    rig.clock.advance(VALID_SECONDS * 1_000);
    await recoverPayments(off.system, reservedInboxes);
    expect(await sql`select 1 from payments where webhook is not null`).toHaveLength(0);
  });

  test("what is not known to be paid waits until they are on again", async () => {
    const { key } = await rig.newOrganization();
    await abandoned(key, true);
    rig.clock.advance(MINUTE_MS);
    expect(await recoverPayments(off.system, reservedInboxes)).toBe(0);
    expect(await statuses()).toEqual(["settling"]);
    await rig.recover();
    expect(await statuses()).toEqual(["fulfilled"]);
  });
});

test("a row that cannot be fulfilled stops no other, and is tried again", async () => {
  const { key } = await rig.newOrganization();
  await abandoned(key, true, { username: "good-1" });
  await abandoned(key, true, { username: "bad", inbound_webhook_url: "https://agent.example/hook" });
  await abandoned(key, true, { username: "good-2" });
  await settleAll();
  const [bad] = await sql<
    { id: string; webhook: object }[]
  >`select id, webhook from payments where webhook is not null`;
  if (!bad) throw new Error("no webhook was kept");
  await sql`update payments set webhook = ${sql.json({ broken: true })} where id = ${bad.id}`;
  await rig.recover();
  expect((await statuses()).sort()).toEqual(["fulfilled", "fulfilled", "settled"]);
  expect((await addresses(key)).sort()).toEqual(["good-1@mail.example", "good-2@mail.example"]);
  await sql`update payments set webhook = ${sql.json(bad.webhook as never)} where id = ${bad.id}`;
  await rig.recover();
  expect(await statuses()).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
});

test("once the authorization has ended looks become rarer, down to one an hour, and still find what was paid", async () => {
  const { key } = await rig.newOrganization();
  await abandoned(key, true);
  ledger.state.down = true;
  const nextLook = async () => {
    const [row] = await sql<{ next_look_at: Date }[]>`select next_look_at from payments`;
    return Number(row?.next_look_at) - rig.clock.now().getTime();
  };
  const pauses: number[] = [];
  for (let looks = 0; looks < 30; looks += 1) {
    await rig.recover(await nextLook());
    pauses.push(await nextLook());
  }
  const early = pauses.slice(0, 8);
  expect(Math.max(...early)).toBeLessThanOrEqual(30_000);
  expect(pauses.at(-1)).toBeGreaterThan(HOUR_MS - MINUTE_MS);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(HOUR_MS);
  ledger.state.down = false;
  await rig.recover(HOUR_MS);
  expect(await statuses()).toEqual(["fulfilled"]);
});
