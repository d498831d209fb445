// What comes of a payment when the facilitator fails, lies or is slow, and the chain is behind: paid once, or not at all, never lost.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { inboxPath } from "#test/support/api.ts";
import { decoded, PAY_TO, PRICE, startPaying } from "./rig.ts";

const MINUTE_MS = 60_000;
const rig = await startPaying();
const { client, ledger, create, sign, quota } = rig;
afterAll(rig.stop);
beforeEach(() => {
  ledger.scripts.settle = undefined;
  ledger.state.hidden = false;
});

const authorizationOf = ({ authorization: { from, nonce } }: Awaited<ReturnType<typeof sign>>) => ({
  asset: "",
  payer: from,
  nonce,
  payTo: PAY_TO,
  amount: PRICE,
});
const seconds = () => Math.floor(rig.clock.now().getTime() / 1000);
/** Signed by the clock of the rig, which tests turn forward. */
const signNow = () => sign(PRICE, { validBefore: `${seconds() + 300}` });
/** The chain's clock passes the end of every authorization so far. */
function letExpire(): void {
  rig.clock.advance(20 * MINUTE_MS);
  ledger.state.time = seconds();
}

describe("the result is unknown, and no money moved", () => {
  test("503 to repeat with the same payload, which then pays, once", async () => {
    const { key } = await rig.newOrganization();
    const signed = await signNow();
    const moved = ledger.moved.length;
    ledger.scripts.settle = () => ({ outcome: "unknown", reason: "no answer" });
    const first = await create(key, { username: "unknown-1" }, signed);
    expect([first.status, first.body.error.code, first.headers["retry-after"]]).toEqual([503, "payment_pending", "5"]);
    expect(first.headers["payment-required"]).toBeUndefined();
    expect((await quota(key)).used_count).toBe(1);
    ledger.scripts.settle = undefined;
    const second = await create(key, { username: "unknown-1" }, signed);
    expect([second.status, ledger.moved.length, (await quota(key)).used_count]).toEqual([201, moved + 1, 1]);
  });

  test("it expires by the chain's time, and gives back the slot, the address and the client_id", async () => {
    const { key } = await rig.newOrganization({ maxMailboxes: 1 });
    const json = { username: "expires", client_id: "expires" };
    const signed = await signNow();
    ledger.scripts.settle = () => ({ outcome: "unknown", reason: "no answer" });
    await create(key, json, signed);
    expect((await create(key, json)).body.error.code).toBe("payment_pending");
    expect((await create(key, {})).body.error.code).toBe("enrollment_token_exhausted");
    rig.clock.advance(20 * MINUTE_MS);
    await rig.recover();
    expect((await quota(key)).used_count).toBe(1); // the chain is behind: by its time it may still be paid
    letExpire();
    await rig.recover();
    expect((await quota(key)).used_count).toBe(0);
    const told = await create(key, json, signed);
    expect([told.status, decoded(told.headers["x-payment-response"]).success]).toEqual([402, false]);
    ledger.scripts.settle = undefined;
    const paid = await create(key, json, await signNow());
    expect([paid.status, paid.body.address]).toEqual([201, "expires@mail.example"]);
  });
});

describe("the result is unknown, and the facilitator is not asked again", () => {
  async function unknownOnce() {
    const { key } = await rig.newOrganization();
    const signed = await signNow();
    ledger.scripts.settle = () => ({ outcome: "unknown", reason: "no answer" });
    expect((await create(key, {}, signed)).body.error.code).toBe("payment_pending");
    ledger.scripts.settle = undefined;
    return { key, signed, settled: ledger.calls.settle };
  }

  test("when the authorization has ended since", async () => {
    const { key, signed, settled } = await unknownOnce();
    rig.clock.advance(10 * MINUTE_MS);
    const again = await create(key, {}, signed);
    expect([again.status, again.body.error.code, ledger.calls.settle]).toEqual([503, "payment_pending", settled]);
    // The next repetition may take the lease again.
    expect(await rig.service.system.sql`select from payments where leased_until is not null`).toEqual([]);
    letExpire();
    await rig.recover();
    expect((await create(key, {}, signed)).status).toBe(402);
  });

  test("when there is nothing to settle with", async () => {
    const { key, signed, settled } = await unknownOnce();
    await rig.service.system.sql`update payments set payload = null where status = 'settling'`;
    const again = await create(key, {}, signed);
    expect([again.status, again.body.error.code, ledger.calls.settle]).toEqual([503, "payment_pending", settled]);
  });
});

describe("the result is unknown, and the money moved", () => {
  test("the chain is looked at before anything is answered", async () => {
    const { key } = await rig.newOrganization();
    for (const outcome of ["unknown", "rejected"] as const) {
      ledger.scripts.settle = (pay) => {
        pay();
        return { outcome, reason: "insufficient_funds" };
      };
      expect((await create(key, {}, await signNow())).status).toBe(201);
    }
  });

  test("a chain that is behind: 503, then the same payload is the mailbox, without settling again", async () => {
    const { key } = await rig.newOrganization();
    const signed = await signNow();
    ledger.scripts.settle = (pay) => {
      pay();
      ledger.state.hidden = true;
      return { outcome: "unknown", reason: "502" };
    };
    expect((await create(key, {}, signed)).body.error.code).toBe("payment_pending");
    ledger.state.hidden = false;
    const { settle } = ledger.calls;
    expect((await create(key, {}, signed)).status).toBe(201);
    expect(ledger.calls.settle).toBe(settle);
  });

  test("no caller repeats: recover finishes it, with its webhook, and the client_id finds it", async () => {
    const { key } = await rig.newOrganization();
    const json = { client_id: "abandoned", inbound_webhook_url: "https://agent.example/hook" };
    ledger.scripts.settle = (pay) => {
      pay();
      ledger.state.hidden = true;
      return { outcome: "unknown", reason: "502" };
    };
    const signed = await signNow();
    await create(key, json, signed);
    ledger.state.hidden = false;
    await rig.recover();
    const found = await create(key, json);
    expect([found.status, found.body.webhook, (await quota(key)).used_count]).toEqual([201, undefined, 1]);
    const shown = await create(key, json, signed);
    expect([shown.status, shown.body.id]).toEqual([201, found.body.id]);
    expect(shown.body.webhook?.secret).toMatch(/^whsec_/);
    letExpire();
    expect((await create(key, json, signed)).body.webhook).toBeUndefined();
    await rig.recover();
    const { sql } = rig.service.system;
    expect(await sql`select 1 from payments where webhook is not null`).toEqual([]);
  });
});

describe("a facilitator that lies", () => {
  test("success without a transfer: no mailbox, and the same payload pays later", async () => {
    const { key } = await rig.newOrganization();
    const signed = await signNow();
    ledger.scripts.settle = () => ({ outcome: "settled" });
    const lied = await create(key, {}, signed);
    expect([lied.status, lied.body.error.code]).toEqual([503, "payment_pending"]);
    expect((await client.get<{ data: [] }>("/v1/inboxes", { key })).body.data).toEqual([]);
    ledger.scripts.settle = undefined;
    expect((await create(key, {}, signed)).status).toBe(201);
  });

  test("the nonce went to another payee: failed, and everything given back", async () => {
    const { key } = await rig.newOrganization();
    const signed = await signNow();
    ledger.scripts.settle = () => {
      ledger.spend(authorizationOf(signed));
      return { outcome: "settled" };
    };
    const told = await create(key, { username: "robbed" }, signed);
    expect([told.status, told.body.error.code, (await quota(key)).used_count]).toEqual([402, "payment_required", 0]);
    expect((await create(key, { username: "robbed" }, signed)).status).toBe(402);
    ledger.scripts.settle = undefined;
    expect((await create(key, { username: "robbed" }, await signNow())).status).toBe(201);
  });

  test("a refusal, and the money moves later: room for a mailbox, which the next create spends", async () => {
    const { key } = await rig.newOrganization({ maxMailboxes: 1 });
    const signed = await signNow();
    ledger.scripts.settle = () => ({ outcome: "rejected", reason: "insufficient_funds" });
    const told = await create(key, { username: "late" }, signed);
    expect(decoded(told.headers["x-payment-response"]).errorReason).toBe("insufficient_funds");
    expect([told.status, (await quota(key)).used_count]).toEqual([402, 0]);
    ledger.pay({ ...authorizationOf(signed) });
    await rig.recover();
    expect(await quota(key)).toMatchObject({ used_count: 0, max_mailboxes: 2, prepaid: 1 });
    const { settle } = ledger.calls;
    const made = await create(key, { username: "late" }, signed);
    expect([made.status, ledger.calls.settle]).toEqual([201, settle]);
    expect(await quota(key)).toMatchObject({ used_count: 1, max_mailboxes: 2, prepaid: 0 });
    expect((await create(key, { username: "later" }, signed)).body.error.code).toBe("payment_already_used");
  });
});

describe("given back", () => {
  test("a failed payload gets an error, unless its client_id has its mailbox by another", async () => {
    const { key } = await rig.newOrganization();
    const json = { client_id: "second-try" };
    const failed = await signNow();
    ledger.scripts.settle = () => ({ outcome: "rejected", reason: "insufficient_funds" });
    await create(key, json, failed);
    ledger.scripts.settle = undefined;
    const { settle } = ledger.calls;
    expect([(await create(key, json, failed)).status, ledger.calls.settle]).toEqual([402, settle]);
    const made = await create(key, json, await signNow());
    const again = await create(key, json, failed);
    expect([made.status, again.status, again.body.id]).toEqual([201, 201, made.body.id]);
  });

  test("after a failure, a former address of the organization is still reserved for it", async () => {
    const [a, b] = [await rig.newOrganization(), await rig.newOrganization()];
    await create(a.key, { username: "once-mine" }, await signNow());
    await client.delete(inboxPath("once-mine@mail.example"), { key: a.key });
    ledger.scripts.settle = () => ({ outcome: "rejected", reason: "insufficient_funds" });
    expect((await create(a.key, { username: "once-mine" }, await signNow())).status).toBe(402);
    ledger.scripts.settle = undefined;
    expect((await create(b.key, { username: "once-mine" }, await signNow())).body.error.code).toBe("address_taken");
    expect((await create(a.key, { username: "once-mine" }, await signNow())).status).toBe(201);
  });
});

test("a payment on a network that is not configured any more is left alone", async () => {
  const { key } = await rig.newOrganization();
  ledger.scripts.settle = () => ({ outcome: "unknown", reason: "no answer" });
  await create(key, {}, await signNow());
  const { sql } = rig.service.system;
  const rows = () => sql`select status from payments where network = 'eip155:8453'`;
  await sql`update payments set network = 'eip155:8453' where status = 'settling'`;
  letExpire();
  await rig.recover();
  expect(await rows()).toEqual([{ status: "settling" }]);
  await sql`update payments set network = 'eip155:84532' where network = 'eip155:8453'`;
});

test("what is over holds no payload, and nothing that is stored or logged shows one", async () => {
  const { key } = await rig.newOrganization();
  const signed = await signNow();
  ledger.scripts.settle = () => ({ outcome: "unknown", reason: "no answer" });
  await create(key, {}, signed);
  const bare = signed.signature.slice(2).toLowerCase();
  const dump = async () => JSON.stringify(await rig.service.system.sql`select p::text from payments p`).toLowerCase();
  const asHex = Buffer.from(bare).toString("hex");
  for (const form of [bare, asHex]) expect(await dump()).not.toContain(form);
  ledger.scripts.settle = undefined;
  expect((await create(key, {}, signed)).status).toBe(201);
  const rows = await rig.service.system.sql`
    select count(*)::int from payments where status in ('fulfilled', 'failed', 'expired') and payload is not null`;
  expect(rows).toEqual([{ count: 0 }]);
});
