// Verifications of an organization that pays: each costs one mailbox, and a repeated payment returns the same one.
import { afterAll, describe, expect, test } from "vitest";
import { expireLeases } from "#server/messages/verifications/expire.ts";
import { inboxPath } from "#test/support/api.ts";
import { payloadV1, type Signed } from "#test/support/payments/signing.ts";
import { decoded, PRICE, startPaying } from "../../payments/rig.ts";

const PATH = "/v1/verifications";
const DAY_MS = 86_400_000;
const rig = await startPaying();
const { client, sign, quota } = rig;
afterAll(rig.stop);

type Answer = { address: string; wait_url: string };

const create = (key: string, signed?: Signed, json: object = {}) =>
  client.post<Answer>(PATH, json, { key, headers: signed ? { "x-payment": payloadV1(signed) } : {} });
const codeOf = (answer: { status: number; text: string }) => [answer.status, JSON.parse(answer.text).error?.code];
const leases = async () => (await rig.service.system.sql`select 1 from mailbox_leases`).length;

describe("a verification that must be paid for", () => {
  test("answers 402, then 201 with a receipt; a copy of the payment returns the same address, and charges once", async () => {
    const { key } = await rig.newOrganization();
    const before = await leases();
    expect(codeOf(await create(key))).toEqual([402, "payment_required"]);
    expect(await leases()).toBe(before);
    const signed = await sign();
    const copies = await Promise.all([create(key, signed), create(key, signed), create(key, signed)]);
    expect(copies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(copies.map(({ body }) => body.address)).size).toBe(1);
    expect(new Set(copies.map(({ body }) => body.wait_url)).size).toBe(1);
    expect(copies[0]?.headers["x-payment-response"]).toBeDefined();
    expect((await quota(key)).used_count).toBe(1);
  });

  test("the 402 names the call that was made, in the body, for x402 version 2, and after a refused payment", async () => {
    const { key } = await rig.newOrganization();
    const url = `${rig.service.settings.PUBLIC_URL}${PATH}`;
    const terms = { payment: { resource: "mailboxes:1" }, accepts: [{ resource: url }] };
    expect(JSON.parse((await create(key)).text)).toMatchObject(terms);
    const { headers } = await client.exchange("POST", `/x402${PATH}`, { key, json: {} });
    expect(decoded(headers["payment-required"])).toMatchObject({ resource: { url } });
    rig.ledger.scripts.settle = () => ({ outcome: "rejected", reason: "insufficient_funds" });
    const refused = await create(key, await sign());
    delete rig.ledger.scripts.settle;
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([402, terms]);
    expect((await quota(key)).used_count).toBe(0);
  });

  test("a prepaid mailbox is spent", async () => {
    const { key } = await rig.newOrganization();
    await rig.buy(key, { resource: "mailboxes:1" }, await sign());
    expect((await create(key)).status).toBe(201);
    expect(await quota(key)).toMatchObject({ used_count: 1, prepaid: 0 });
    expect(codeOf(await create(key))).toEqual([402, "payment_required"]);
  });

  test("the payment of another request, and one for another amount, are refused", async () => {
    const { key } = await rig.newOrganization();
    const signed = await sign();
    const inbox = await rig.create(key, {}, signed);
    expect(inbox.status).toBe(201);
    expect(codeOf(await create(key, signed))).toEqual([409, "payment_already_used"]);
    expect(codeOf(await create(key, await sign(Number(PRICE) - 1)))).toEqual([400, "invalid_payment"]);
    // The mailbox that was paid for is no verification: it stays. Later payments of this file would be out of date.
    rig.clock.advance(2 * DAY_MS);
    await expireLeases(rig.service.system);
    expect((await client.get(inboxPath(inbox.body.address), { key })).status).toBe(200);
  });
});
