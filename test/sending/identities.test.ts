// Sender identities with Resend (its double): opened for new mailboxes, awaited by their messages, closed with the last mailbox.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeId } from "#server/base/ids.ts";
import { settleIdentities } from "#server/inboxes/identities.ts";
import { removeInbox } from "#server/inboxes/remove.ts";
import { transmitQueued } from "#server/sending/transmit.ts";
import { type ResendDouble, startResendDouble } from "#test/support/resend-double.ts";
import { type Rig, startRig } from "./transmit-rig.ts";

const HOUR_MS = 3_600_000;

let double: ResendDouble;
let rig: Rig;
beforeEach(async () => {
  double = await startResendDouble(["mail.example.com"]);
  rig = await startRig({ OUTBOUND: "resend", RESEND_API_KEY: double.apiKey, RESEND_BASE_URL: double.url });
});
afterEach(async () => {
  await rig.close();
  await double.close();
});
const domains = () => double.account.domains.map(({ name }) => name);

describe("a new mailbox", () => {
  test("gets its identity, and then its messages leave", async () => {
    const inbox = await rig.inbox("desk");
    const id = await rig.send(inbox.address);
    expect((await rig.inboxRow(inbox.id))?.identity_status).toBe("opening");
    await transmitQueued(rig.system);
    expect(await rig.message(id)).toMatchObject({ status: "queued", attempts: 0 });
    expect(await settleIdentities(rig.system)).toBe(1);
    expect(await rig.inboxRow(inbox.id)).toMatchObject({
      identity_status: "open",
      identity_ref: "found:d-0",
      identity_next_attempt_at: null,
    });
    rig.clock.aheadMs += 5_000;
    await transmitQueued(rig.system);
    expect(await rig.message(id)).toMatchObject({ status: "sent", attempts: 1, provider_message_id: "e-0" });
    expect(double.account.emails[0]).toMatchObject({
      from: "Support <desk@mail.example.com>",
      idempotencyKey: encodeId("msg", id),
    });
    expect(await settleIdentities(rig.system)).toBe(0);
  });

  test("keeps trying while Resend is away; its messages wait", async () => {
    double.faults.answer = { status: 500, name: "internal_server_error" };
    const inbox = await rig.inbox("desk");
    const id = await rig.send(inbox.address);
    await settleIdentities(rig.system);
    expect(await settleIdentities(rig.system)).toBe(0);
    expect(await rig.inboxRow(inbox.id)).toMatchObject({ identity_status: "opening", identity_error: null });
    await transmitQueued(rig.system);
    expect((await rig.message(id))?.status).toBe("queued");
    double.faults.answer = undefined;
    rig.clock.aheadMs += 60_000;
    await settleIdentities(rig.system);
    expect((await rig.inboxRow(inbox.id))?.identity_status).toBe("open");
  });

  test("refused: the reason is kept, its messages fail with it, and it is tried again later", async () => {
    double.faults.answer = { status: 403, name: "validation_error" };
    const inbox = await rig.inbox("desk");
    const id = await rig.send(inbox.address);
    await settleIdentities(rig.system);
    const row = await rig.inboxRow(inbox.id);
    expect(row).toMatchObject({
      identity_status: "opening",
      identity_error: expect.stringContaining("validation_error"),
    });
    await transmitQueued(rig.system);
    expect(await rig.message(id)).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/sender identity was refused: .*validation_error/),
    });
    double.faults.answer = undefined;
    rig.clock.aheadMs += 2 * HOUR_MS;
    await settleIdentities(rig.system);
    expect(await rig.inboxRow(inbox.id)).toMatchObject({ identity_status: "open", identity_error: null });
  });

  test("at a domain of the operator's account that its organization was not granted: refused, and not looked up", async () => {
    double.account.domains.push({ id: "d-1", name: "second.example.com", status: "verified" });
    const inbox = await rig.inbox("desk", "second.example.com");
    await rig.sql`delete from domain_grants`;
    await settleIdentities(rig.system);
    expect(await rig.inboxRow(inbox.id)).toMatchObject({
      identity_status: "opening",
      identity_error: expect.stringContaining("not granted to this organization"),
    });
    expect(double.account.requests).toEqual([]);
  });

  test("many on one domain share one look at it", async () => {
    for (let i = 0; i < 10; i++) await rig.inbox(`a${i}`);
    expect(await settleIdentities(rig.system)).toBe(10);
    expect(double.account.requests).toEqual(["GET /domains"]);
  });
});

describe("a deleted mailbox", () => {
  test("with the last mailbox, the domain that the service created is removed, in any order", async () => {
    const first = await rig.inbox("a", "second.example.com");
    const last = await rig.inbox("b", "second.example.com");
    await settleIdentities(rig.system);
    expect(domains()).toContain("second.example.com");
    await removeInbox(rig.agent, first.address);
    await settleIdentities(rig.system);
    expect(domains()).toContain("second.example.com");
    await removeInbox(rig.agent, last.address);
    await settleIdentities(rig.system);
    expect(domains()).not.toContain("second.example.com");
    for (const { id } of [first, last]) expect((await rig.inboxRow(id))?.identity_status).toBe("closed");
  });

  test("leaves a domain that was there before us", async () => {
    const inbox = await rig.inbox("desk");
    await settleIdentities(rig.system);
    await removeInbox(rig.agent, inbox.address);
    await settleIdentities(rig.system);
    expect((await rig.inboxRow(inbox.id))?.identity_status).toBe("closed");
    expect(domains()).toEqual(["mail.example.com"]);
  });

  test("whose identity was still being opened leaves nothing behind", async () => {
    const inbox = await rig.inbox("a", "second.example.com");
    double.faults.takesMs = 300;
    const opening = settleIdentities(rig.system);
    await expect.poll(domains).toContain("second.example.com");
    await removeInbox(rig.agent, inbox.address);
    await opening;
    while ((await settleIdentities(rig.system)) > 0);
    expect((await rig.inboxRow(inbox.id))?.identity_status).toBe("closed");
    expect(domains()).not.toContain("second.example.com");
  });
});
