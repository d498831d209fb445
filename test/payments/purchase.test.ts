// POST /v1/purchase, and GET /v1/purchase and /v1/purchase/{id}: room for mailboxes, bought, spent and listed.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Page } from "#test/support/api.ts";
import { describePages } from "../api/pages.ts";
import { decoded, startPaying } from "./rig.ts";

type Payment = { id: string; resource: string; amount: string; status: string; inbox_id: string | null };
const rig = await startPaying();
const { client, service, ledger, buy, create, sign, quota } = rig;
afterAll(rig.stop);
beforeEach(() => {
  ledger.scripts.settle = undefined;
});
const FIVE = { resource: "mailboxes:5" };

describe("POST /v1/purchase", () => {
  test("402 for as many times the price, in every form", async () => {
    const { key } = await rig.newOrganization();
    const { status, headers, body } = await buy(key, FIVE);
    expect([status, body.payment.amount, body.payment.resource]).toEqual([402, "500000", "mailboxes:5"]);
    expect(headers["payment-required"]).toContain("amount=500000; ");
    expect(body.accepts).toMatchObject([
      { maxAmountRequired: "500000", resource: "http://mailberth.example/v1/purchase", description: "5 mailboxes" },
    ]);
  });

  test("201 raises the quota, and the creates after it ask for no money, until it is spent", async () => {
    const { key } = await rig.newOrganization({ maxMailboxes: 1 });
    await create(key, {}, await sign());
    expect((await create(key)).body.error.code).toBe("enrollment_token_exhausted");
    const signed = await sign(200_000);
    const { status, body, headers } = await buy(key, { resource: "mailboxes:2" }, signed);
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^pay_/),
        resource: "mailboxes:2",
        amount: "200000",
        network: "eip155:84532",
        asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        status: "fulfilled",
        max_mailboxes: 3,
        used_count: 1,
      },
    ]);
    expect(decoded(headers["payment-response"])).toMatchObject({ success: true, network: "eip155:84532" });
    const { settle } = ledger.calls;
    expect([await create(key), await create(key)].map((made) => made.status)).toEqual([201, 201]);
    expect(ledger.calls.settle).toBe(settle);
    expect(await quota(key)).toMatchObject({ max_mailboxes: 3, used_count: 3, prepaid: 0 });
    expect((await create(key)).body.error.code).toBe("enrollment_token_exhausted");
  });

  test("prepaid mailboxes are used up by concurrent creates before a payment is required", async () => {
    const { key } = await rig.newOrganization();
    await buy(key, FIVE, await sign(500_000));
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(15);
    expect(await quota(key)).toMatchObject({ used_count: 5, prepaid: 0 });
  });

  test("the same payload, 20 times concurrently: bought once, equal answers", async () => {
    const { key } = await rig.newOrganization({ maxMailboxes: 0 });
    const signed = await sign(500_000);
    const { settle } = ledger.calls;
    const answers = await Promise.all(Array.from({ length: 20 }, () => buy(key, FIVE, signed)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect([answers[0]?.status, ledger.calls.settle]).toEqual([201, settle + 1]);
    expect(await quota(key)).toMatchObject({ max_mailboxes: 5, prepaid: 5 });
  });

  test("a repeated client_id returns the same purchase, with another payload or without one", async () => {
    const { key } = await rig.newOrganization();
    const json = { ...FIVE, client_id: "order-1" };
    const first = await buy(key, json, await sign(500_000));
    const { settle } = ledger.calls;
    for (const signed of [undefined, await sign(500_000)]) {
      const again = await buy(key, json, signed);
      expect([again.status, again.text, again.headers["idempotent-replayed"]]).toEqual([201, first.text, "true"]);
    }
    expect(ledger.calls.settle).toBe(settle);
    const other = await buy(key, { resource: "mailboxes:6", client_id: "order-1" }, await sign(600_000));
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_conflict"]);
  });

  test("the client_id of another agent is not taken, and gives nothing of its purchase", async () => {
    const { key, organizationId } = await rig.newOrganization();
    const { agentKey: other } = await service.newEnrollment(organizationId);
    const json = { ...FIVE, client_id: "order-2" };
    const first = await buy(key, json, await sign(500_000));
    const asked = await buy(other, json);
    expect([asked.status, asked.headers["idempotent-replayed"]]).toEqual([402, undefined]);
    const bought = await buy(other, json, await sign(500_000));
    expect([first.status, bought.status]).toEqual([201, 201]);
    expect(bought.body.id).not.toBe(first.body.id);
    expect((await buy(key, json)).text).toBe(first.text);
  });

  test("two concurrent payloads with one client_id: bought once", async () => {
    const { key } = await rig.newOrganization({ maxMailboxes: 0 });
    const json = { resource: "mailboxes:1", client_id: "race" };
    const moved = ledger.moved.length;
    const signed = await Promise.all([sign(), sign(), sign()]);
    const answers = await Promise.all(signed.map((one) => buy(key, json, one)));
    expect(answers.filter(({ status }) => ![201, 503].includes(status))).toEqual([]);
    expect([ledger.moved.length, (await quota(key)).max_mailboxes]).toEqual([moved + 1, 1]);
  });

  test("503 while the result is unknown, also for its client_id; recover finishes what was paid", async () => {
    const { key } = await rig.newOrganization({ maxMailboxes: 0 });
    const json = { ...FIVE, client_id: "unknown" };
    const signed = await sign(500_000);
    ledger.scripts.settle = (pay) => {
      pay();
      ledger.state.hidden = true;
      return { outcome: "unknown", reason: "no answer" };
    };
    expect((await buy(key, json, signed)).body.error.code).toBe("payment_pending");
    expect((await buy(key, json)).body.error.code).toBe("payment_pending");
    ledger.state.hidden = false;
    await rig.recover();
    expect((await buy(key, json)).status).toBe(201);
    expect(await quota(key)).toMatchObject({ max_mailboxes: 5, prepaid: 5 });
  });

  test("an unknown resource answers 400", async () => {
    const { key } = await rig.newOrganization();
    for (const resource of [
      undefined,
      "",
      "mailboxes",
      "mailboxes:",
      "mailboxes:0",
      "mailboxes:01",
      "mailboxes:-1",
      "mailboxes:1.5",
      "mailboxes:1001",
      "domains:1",
      5,
    ]) {
      const { status, body } = await buy(key, { resource });
      expect([resource, status, body.error.code]).toEqual([resource, 400, "invalid_request"]);
    }
  });

  test("409 for an organization that does not pay, 403 for a key that is restricted to some inboxes", async () => {
    const free = await service.newOrganization();
    const inbox = await client.createInbox(free.agentKey);
    const restricted = (await service.newAgentKey(free.enrollmentKeyId, { inboxes: [inbox.address] })).key;
    const { verify } = ledger.calls;
    expect((await buy(free.agentKey, FIVE, await sign(500_000))).body.error.code).toBe("payments_not_enabled");
    expect((await buy(restricted, FIVE)).body.error.code).toBe("insufficient_scope");
    expect((await client.get("/v1/purchase", { key: restricted })).status).toBe(403);
    expect(ledger.calls.verify).toBe(verify);
  });
});

describe("GET /v1/purchase", () => {
  describePages(service, client, {
    pathFor: async () => "/v1/purchase",
    async add(key) {
      await service.system.sql`update organizations set paid_provisioning = true`;
      return (await buy(key, { resource: "mailboxes:1" }, await sign())).body.id;
    },
    otherList: "/v1/inboxes",
  });

  test("what was paid, newest first, with the mailbox that a create paid for", async () => {
    const { key } = await rig.newOrganization();
    const inbox = (await create(key, {}, await sign())).body;
    ledger.scripts.settle = () => ({ outcome: "rejected", reason: "insufficient_funds" });
    await create(key, {}, await sign());
    ledger.scripts.settle = undefined;
    const bought = (await buy(key, FIVE, await sign(500_000))).body;
    const { data } = (await client.get<Page<Payment>>("/v1/purchase", { key })).body;
    expect(data).toMatchObject([
      { id: bought.id, resource: "mailboxes:5", status: "fulfilled", inbox_id: null },
      { resource: "mailboxes:1", status: "failed", inbox_id: null, error: "insufficient_funds", transaction: null },
      { resource: "mailboxes:1", status: "fulfilled", inbox_id: inbox.id, error: null },
    ]);
    for (const one of data) {
      expect((await client.get<Payment>(`/v1/purchase/${one.id}`, { key })).body).toEqual(one);
    }
  });
});
