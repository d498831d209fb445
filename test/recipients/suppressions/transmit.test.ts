// Recipients that are suppressed after their message was queued: they get nothing, the others get the message.
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { encodeId } from "#server/base/ids.ts";
import { settleIdentities } from "#server/inboxes/identities.ts";
import { removeMessage } from "#server/messages/remove.ts";
import { addSuppression } from "#server/recipients/suppressions/add.ts";
import { leaseQueued } from "#server/sending/lease-queued.ts";
import { transmitQueued } from "#server/sending/transmit.ts";
import { startResendDouble } from "#test/support/resend-double.ts";
import { type SmtpSink, startSmtpSink } from "#test/support/smtp-sink.ts";
import { type Rig, startRig } from "../../sending/transmit-rig.ts";

const HOUR_MS = 3_600_000;
const LEASE_MS = 60_000;

let sink: SmtpSink;
let rig: Rig;
let from: string;
beforeEach(async () => {
  sink = await startSmtpSink();
  rig = await startRig({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
  from = (await rig.inbox("desk")).address;
});
afterEach(async () => {
  await rig.close();
  await sink.close();
});

const suppress = (on: Rig, address: string) => addSuppression(on.agent, { address, reason: "asked by phone" });
const events = (on: Rig) =>
  on.sql`select kind, body::jsonb as body from events where kind <> 'inbox.created' and kind not in ('message.sent', 'suppression.added') order by position`;

describe("a recipient that is suppressed while the message waits", () => {
  test("gets nothing, in any case of its letters; the others get the message with the same headers", async () => {
    const id = await rig.send(from, {
      to: ["Ada@elsewhere.example", "bob@elsewhere.example"],
      bcc: ["eve@elsewhere.example"],
    });
    await suppress(rig, "ada@ELSEWHERE.example");
    await transmitQueued(rig.system);
    expect(sink.received.map(({ to }) => to)).toEqual([["bob@elsewhere.example"], ["eve@elsewhere.example"]]);
    expect(sink.received[0]?.raw.toString()).toContain("To: Ada@elsewhere.example, bob@elsewhere.example");
    expect(await rig.recipients(id)).toMatchObject([
      { status: "suppressed", reason: "asked by phone", at: expect.any(Date) },
      { status: "sent" },
      { status: "sent" },
    ]);
    expect((await rig.message(id))?.status).toBe("suppressed");
    expect(await events(rig)).toMatchObject([
      {
        kind: "message.failed",
        body: {
          message: { recipient: "Ada@elsewhere.example", status: "failed", reason: "suppressed: asked by phone" },
        },
      },
    ]);
  });

  test("a message whose only recipient is suppressed is not sent, and one event says so", async () => {
    const id = await rig.send(from);
    await suppress(rig, "ada@elsewhere.example");
    await transmitQueued(rig.system);
    expect(sink.counts.mails).toBe(0);
    expect(await rig.message(id)).toMatchObject({ status: "suppressed", sent_at: null, next_attempt_at: null });
    expect(await events(rig)).toMatchObject([{ kind: "message.failed", body: { message: { recipient: null } } }]);
    expect(await transmitQueued(rig.system)).toBe(0);
  });

  test("between two attempts is left out of the second", async () => {
    sink.faults.rcpt = (address) => (address.startsWith("ada") ? { code: 450, text: "later" } : undefined);
    const id = await rig.send(from, { to: ["ada@elsewhere.example", "bob@elsewhere.example"] });
    await transmitQueued(rig.system);
    expect(await rig.message(id)).toMatchObject({ status: "queued" });
    await suppress(rig, "ada@elsewhere.example");
    sink.faults.rcpt = undefined;
    rig.clock.aheadMs += HOUR_MS;
    await transmitQueued(rig.system);
    expect(sink.received.map(({ to }) => to)).toEqual([["bob@elsewhere.example"]]);
    expect((await rig.recipients(id)).map(({ status }) => status)).toEqual(["suppressed", "sent"]);
  });

  test("of another organization or another mailbox changes nothing", async () => {
    const id = await rig.send(from);
    await rig.sql`
      insert into suppressions (id, organization_id, inbox_id, address, reason, created_at) values
        (gen_random_uuid(), gen_random_uuid(), '00000000-0000-0000-0000-000000000000', 'ada@elsewhere.example', 'x', now()),
        (gen_random_uuid(), ${rig.agent.actor.organizationId}, gen_random_uuid(), 'ada@elsewhere.example', 'x', now())`;
    await transmitQueued(rig.system);
    expect((await rig.message(id))?.status).toBe("sent");
  });
});

describe("with a provider that sends one message to all", () => {
  async function resendRig() {
    const resend = await startResendDouble(["mail.example.com"]);
    const on = await startRig({ OUTBOUND: "resend", RESEND_API_KEY: resend.apiKey, RESEND_BASE_URL: resend.url });
    onTestFinished(() => on.close().then(resend.close));
    const { address } = await on.inbox("desk");
    await settleIdentities(on.system);
    return { on, resend, sender: address };
  }

  test("the suppressed are left out, and Cc becomes To when it is empty", async () => {
    const { on, resend, sender } = await resendRig();
    const first = await on.send(sender, { to: ["ada@elsewhere.example"], cc: ["bob@elsewhere.example"] });
    await suppress(on, "ada@elsewhere.example");
    await transmitQueued(on.system);
    expect((await on.message(first))?.status).toBe("suppressed");
    expect(resend.account.emails).toMatchObject([{ to: ["bob@elsewhere.example"], cc: [] }]);
    const second = await on.send(sender, {
      to: ["bob@elsewhere.example"],
      bcc: ["ada@else.example", "eve@else.example"],
    });
    await suppress(on, "eve@else.example");
    await transmitQueued(on.system);
    expect((await on.recipients(second)).map(({ status }) => status)).toEqual(["sent", "sent", "suppressed"]);
    expect(resend.account.emails[1]).toMatchObject({ to: ["bob@elsewhere.example"], bcc: ["ada@else.example"] });
  });

  test("the only one left is in Bcc: it gets the message, without others, or beside the mailbox itself", async () => {
    const { on, resend, sender } = await resendRig();
    const bcc = ["carl@else.example", "dora@else.example"];
    const first = await on.send(sender, { to: ["ada@elsewhere.example"], bcc: bcc.slice(0, 1) });
    const second = await on.send(sender, { to: ["ada@elsewhere.example"], bcc });
    await suppress(on, "ada@elsewhere.example");
    await transmitQueued(on.system);
    for (const id of [first, second]) expect((await on.recipients(id))[1]?.status).toBe("sent");
    expect(resend.account.emails).toMatchObject([
      { to: ["carl@else.example"], bcc: [] },
      { to: [sender], bcc },
    ]);
  });

  test("a message that it may have is repeated unchanged, also after a failure that it answered", async () => {
    const { on, resend, sender } = await resendRig();
    const to = ["ada@elsewhere.example", "bob@elsewhere.example"];
    const id = await on.send(sender, { to });
    resend.faults.after = "drop";
    await transmitQueued(on.system);
    expect(await on.message(id)).toMatchObject({ status: "queued", error: expect.stringMatching(/^may have left: /) });
    resend.faults.after = undefined;
    resend.faults.answer = { status: 500, name: "internal_server_error" };
    on.clock.aheadMs += HOUR_MS;
    await transmitQueued(on.system);
    await suppress(on, "ada@elsewhere.example");
    resend.faults.answer = undefined;
    on.clock.aheadMs += HOUR_MS;
    await transmitQueued(on.system);
    expect(await on.message(id)).toMatchObject({ status: "sent", error: null });
    expect(resend.account.emails).toMatchObject([{ to }]);
  });
});

test("what the relay refuses of a message that is deleted while it is being sent is suppressed", async () => {
  sink.faults.rcpt = () => ({ code: 550, text: "5.1.1 Who?" });
  const id = await rig.send(from);
  const { outbound } = rig.system;
  const send: typeof outbound.send = async (...mail) => {
    await removeMessage(rig.agent, encodeId("msg", id));
    return outbound.send(...mail);
  };
  await transmitQueued({ ...rig.system, outbound: { ...outbound, send } });
  expect(await rig.message(id)).toBeUndefined();
  expect(await rig.sql`select address from suppressions`).toMatchObject([{ address: "ada@elsewhere.example" }]);
  expect(await rig.sql`select sum(bounced)::int as bounced from send_usage`).toEqual([{ bounced: 1 }]);
});

test("a lease that expired is repeated unchanged where the provider recognizes repeats", async () => {
  const local = await startRig({ OUTBOUND: "local" });
  onTestFinished(local.close);
  const id = await local.send((await local.inbox("desk")).address);
  await leaseQueued(local.system, []);
  await suppress(local, "ada@elsewhere.example");
  local.clock.aheadMs += LEASE_MS + 1;
  await transmitQueued(local.system);
  expect((await local.message(id))?.status).toBe("sent");
});
