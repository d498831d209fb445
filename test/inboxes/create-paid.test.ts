// POST /v1/inboxes where the organization pays: what is asked, what is given, and all that is refused before money moves.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Inbox, Page } from "#test/support/api.ts";
import { inboxPath, withoutRequest } from "#test/support/api.ts";
import { encodeHeader, payloadV1, payloadV2 } from "#test/support/payments/signing.ts";
import { decoded, PAY_TO, PRICE, startPaying } from "../payments/rig.ts";

const ASSET = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";
const rig = await startPaying({ ROLES: "web,smtp" });
const { client, service, ledger, create, sign, quota } = rig;
afterAll(rig.stop);
beforeEach(() => {
  ledger.scripts.settle = undefined;
  ledger.scripts.verify = undefined;
});

describe("402", () => {
  test("with the header and the body of the specification, and what clients of x402 read", async () => {
    const { key } = await rig.newOrganization();
    const { status, headers, body } = await create(key);
    expect([status, body.error.code, headers["cache-control"]]).toEqual([402, "payment_required", "no-store"]);
    expect(headers["payment-required"]).toBe(
      `network=eip155:84532; asset=${ASSET}; amount=${PRICE}; pay_to=${PAY_TO}; resource=mailboxes:1; facilitator=http://127.0.0.1:9`,
    );
    expect(body.payment).toEqual({
      network: "eip155:84532",
      asset: ASSET,
      amount: PRICE,
      pay_to: PAY_TO,
      resource: "mailboxes:1",
      facilitator: "http://127.0.0.1:9",
      eip712: { name: "USDC", version: "2" },
    });
    expect([body.x402Version, body.accepts]).toEqual([
      1,
      [
        {
          scheme: "exact",
          network: "base-sepolia",
          maxAmountRequired: PRICE,
          resource: "http://mailberth.example/v1/inboxes",
          description: "One mailbox",
          mimeType: "application/json",
          payTo: PAY_TO,
          maxTimeoutSeconds: 300,
          asset: ASSET,
          extra: { name: "USDC", version: "2" },
        },
      ],
    ]);
    expect((await quota(key)).used_count).toBe(0);
  });

  test("with version 2 of x402 in the header for who says so, and below /x402, and the same body", async () => {
    const { key } = await rig.newOrganization();
    const [plain, said, below] = [
      await create(key),
      await create(key, {}, undefined, { "x-402-version": "2" }),
      await client.exchange("POST", "/x402/v1/inboxes", { key, json: {} }),
    ];
    const bodies = [said.body, JSON.parse(below.text), plain.body].map(withoutRequest);
    expect(bodies).toEqual([bodies[2], bodies[2], bodies[2]]);
    expect(below.headers["payment-required"]).toBe(said.headers["payment-required"]);
    expect(decoded(said.headers["payment-required"])).toEqual({
      x402Version: 2,
      error: plain.body.error.message,
      resource: {
        url: "http://mailberth.example/v1/inboxes",
        description: "One mailbox",
        mimeType: "application/json",
      },
      accepts: [
        {
          scheme: "exact",
          network: "eip155:84532",
          amount: PRICE,
          asset: ASSET,
          payTo: PAY_TO,
          maxTimeoutSeconds: 300,
          extra: { name: "USDC", version: "2" },
        },
      ],
    });
  });

  test("over tRPC with the same data and header", async () => {
    const { key } = await rig.newOrganization();
    const answer = await client.exchange("POST", "/trpc/inboxes.create", { key, json: {} });
    const rest = await create(key);
    const { data } = JSON.parse(answer.text).error;
    expect([answer.status, answer.headers["payment-required"]]).toEqual([402, rest.headers["payment-required"]]);
    expect(withoutRequest(data)).toMatchObject({ ...withoutRequest(rest.body), httpStatus: 402 });
    const headers = { "x-payment": payloadV1(await sign()) };
    const paid = await client.exchange("POST", "/trpc/inboxes.create", { key, json: {}, headers });
    expect(decoded(paid.headers["x-payment-response"])).toMatchObject({ success: true });
    expect(JSON.parse(paid.text).result.data.status).toBe("live");
  });

  test("a rejection by the facilitator has a receipt of the version that was used", async () => {
    const { key } = await rig.newOrganization();
    ledger.scripts.verify = () => ({ outcome: "invalid", reason: "insufficient_funds" });
    const signed = await sign();
    const v1 = await create(key, {}, signed);
    const v2 = await create(key, {}, undefined, { "payment-signature": payloadV2(signed) });
    expect([v1.status, v2.status]).toEqual([402, 402]);
    const receipt = { success: false, errorReason: "insufficient_funds", transaction: "" };
    expect(decoded(v1.headers["x-payment-response"])).toMatchObject({ ...receipt, network: "base-sepolia" });
    expect(decoded(v2.headers["payment-response"])).toMatchObject({ ...receipt, network: "eip155:84532" });
    expect((await quota(key)).used_count).toBe(0);
  });
});

describe("201", () => {
  test("once it is settled: the mailbox that an unpaid create would have made, and a receipt", async () => {
    const { key } = await rig.newOrganization();
    const unpaid = await service.newOrganization();
    const json = { display_name: "Paid", inbound_webhook_url: "https://agent.example/hook" };
    const signed = await sign();
    const { status, body, headers } = await create(key, json, signed);
    const like = await client.createInbox(unpaid.agentKey, json);
    expect([status, Object.keys(body)]).toEqual([201, Object.keys(like)]);
    expect(body).toMatchObject({ display_name: "Paid", status: "live" });
    expect(body.webhook?.secret).toMatch(/^whsec_/);
    expect(decoded(headers["x-payment-response"])).toEqual({
      success: true,
      transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      network: "base-sepolia",
      payer: signed.authorization.from.toLowerCase(),
    });
    const { webhook: _secret, ...inbox } = body;
    expect((await client.get<Inbox>(inboxPath(body.address), { key })).body).toEqual(inbox);
    const hooks = await client.get<Page<object>>("/v1/webhooks", { key });
    expect(hooks.body.data).toMatchObject([{ id: body.webhook?.id, address: body.address, active: true }]);
    expect(await quota(key)).toMatchObject({ used_count: 1, prepaid: 0 });
  });

  test("the same payload again, in either version, is the same mailbox, and no money", async () => {
    const { key } = await rig.newOrganization();
    const signed = await sign();
    const json = { username: "twice", inbound_webhook_url: "https://agent.example/hook" };
    const first = await create(key, json, signed);
    const { settle } = ledger.calls;
    const again = await create(key, json, undefined, { "payment-signature": payloadV2(signed) });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect([ledger.calls.settle, (await quota(key)).used_count]).toEqual([settle, 1]);
  });

  test("a repeated client_id returns the same mailbox without payment, with another payload or without one", async () => {
    const { key } = await rig.newOrganization({ maxMailboxes: 1 });
    const first = await create(key, { client_id: "same" }, await sign());
    const { verify, settle } = ledger.calls;
    for (const signed of [undefined, await sign()]) {
      const again = await create(key, { client_id: "same" }, signed);
      expect([again.status, again.body.id]).toEqual([201, first.body.id]);
    }
    expect(ledger.calls).toEqual({ verify, settle });
  });

  test("a payload is ignored when no payment is due", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { verify } = ledger.calls;
    for (const payment of ["nonsense", payloadV1(await sign())]) {
      expect((await create(key, {}, undefined, { "x-payment": payment })).status).toBe(201);
    }
    expect(ledger.calls.verify).toBe(verify);
  });
});

describe("refused before money moves", () => {
  const untouched = async (key: string, call: () => Promise<{ status: number; body: { error: { code: string } } }>) => {
    const before = { ...ledger.calls, moved: ledger.moved.length, used: (await quota(key)).used_count };
    const { status, body } = await call();
    expect({ ...ledger.calls, moved: ledger.moved.length, used: (await quota(key)).used_count }).toEqual(before);
    return `${status} ${body.error.code}`;
  };

  test("an invalid create is refused", async () => {
    const { key, enrollmentKeyId } = await rig.newOrganization();
    const narrow = (await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:read"] })).key;
    const answers = [
      await untouched(key, async () => create(key, { username: ".." }, await sign())),
      await untouched(key, async () => create(narrow, {}, await sign())),
      await untouched(key, async () => create(key, { domain: "else.example" }, await sign())),
      await untouched(key, async () => create(key, { inbound_webhook_url: "ftp://a" }, await sign())),
    ];
    expect(answers).toEqual([
      "400 invalid_request",
      "403 insufficient_scope",
      "403 domain_not_allowed",
      "400 invalid_webhook_url",
    ]);
  });

  test("a key that is exhausted, a taken address, a deleted client_id; with a payload and without", async () => {
    const full = await rig.newOrganization({ maxMailboxes: 0 });
    const other = await rig.newOrganization();
    await create(other.key, { username: "taken", client_id: "gone" }, await sign());
    await create(other.key, { username: "holds" }, await sign());
    await client.delete(inboxPath("taken@mail.example"), { key: other.key });
    const stranger = await rig.newOrganization();
    for (const signed of [undefined, await sign()]) {
      const answers = [
        await untouched(full.key, () => create(full.key, {}, signed)),
        await untouched(stranger.key, () => create(stranger.key, { username: "holds" }, signed)),
        await untouched(stranger.key, () => create(stranger.key, { username: "taken" }, signed)),
        await untouched(other.key, () => create(other.key, { client_id: "gone" }, signed)),
      ];
      expect(answers).toEqual([
        "409 enrollment_token_exhausted",
        "409 address_taken",
        "409 address_taken",
        "409 inbox_deleted",
      ]);
    }
  });

  test("payloads that are malformed, for another price, or over; a facilitator or chain that is away", async () => {
    const { key } = await rig.newOrganization();
    const attempt = (payment: string) => create(key, {}, undefined, { "x-payment": payment });
    const bad = [
      "nonsense",
      encodeHeader({ x402Version: 1 }),
      payloadV1(await sign(1)),
      payloadV1(await sign(PRICE, { validBefore: "1" })),
    ];
    for (const payment of bad) expect(await untouched(key, () => attempt(payment))).toBe("400 invalid_payment");
    ledger.state.down = true;
    const away = await untouched(key, async () => attempt(payloadV1(await sign())));
    ledger.state.down = false;
    expect(away).toBe("503 unavailable");
    ledger.scripts.verify = () => ({ outcome: "unknown", reason: "no answer" });
    const { status, headers, body } = await attempt(payloadV1(await sign()));
    expect([status, body.error.code, headers["retry-after"]]).toEqual([503, "unavailable", "5"]);
    expect((await quota(key)).used_count).toBe(0);
  });

  test("a nonce that was used or canceled before it was shown", async () => {
    const { key } = await rig.newOrganization();
    const [used, canceled] = [await sign(), await sign()];
    const of = ({ authorization: { from: payer, nonce } }: typeof used) => ({ payer, nonce });
    ledger.spend(of(used));
    ledger.cancel(of(canceled));
    for (const signed of [used, canceled]) {
      expect(await untouched(key, () => create(key, {}, signed))).toBe("409 payment_already_used");
    }
  });

  test("the payload of another request, another key, another organization, or with another signature", async () => {
    const a = await rig.newOrganization();
    const b = await rig.newOrganization();
    const sameOrganization = await service.newEnrollment(a.organizationId);
    const signed = await sign();
    await create(a.key, { username: "first" }, signed);
    const plain = await sign();
    await create(a.key, {}, plain);
    const forged = { ...signed, signature: `${signed.signature}00` as const };
    const answers = [
      await untouched(a.key, () => create(a.key, { username: "second" }, signed)),
      await untouched(a.key, () => create(a.key, {}, signed)),
      await untouched(a.key, () => rig.buy(a.key, { resource: "mailboxes:1" }, signed)),
      await untouched(b.key, () => create(b.key, { username: "first-too" }, signed)),
      await untouched(a.key, () => create(sameOrganization.agentKey, {}, plain)),
      await untouched(a.key, () => create(b.key, {}, plain)),
      await untouched(a.key, () => create(a.key, { username: "third" }, forged)),
    ];
    expect(new Set(answers)).toEqual(new Set(["409 payment_already_used"]));
    expect((await create(a.key, { username: "first" }, forged)).status).toBe(409);
  });
});
