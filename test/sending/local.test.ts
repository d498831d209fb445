// OUTBOUND=local end to end: mail between mailboxes of this service arrives like mail over SMTP, the rest is captured.
import { afterEach, beforeEach, expect, test } from "vitest";
import { transmitQueued } from "#server/sending/transmit.ts";
import { type Rig, startRig } from "./transmit-rig.ts";

const LEASE_MS = 60_000;

let rig: Rig;
beforeEach(async () => {
  rig = await startRig({ OUTBOUND: "local" });
});
afterEach(() => rig.close());

test("a local mailbox receives, an unknown one is refused, other mail is captured", async () => {
  const ada = await rig.inbox("ada");
  const bob = await rig.inbox("bob");
  const to = [`${bob.address.replace("@", "+tag@")}`, "nobody@mail.example.com", "someone@outside.example"];
  const id = await rig.send(ada.address, { to });
  await transmitQueued(rig.system);
  expect(await rig.message(id)).toMatchObject({
    status: "bounced",
  });
  expect(await rig.recipients(id)).toMatchObject([
    { address: to[0], status: "delivered" },
    {
      address: to[1],
      status: "bounced",
      smtp_code: 550,
      enhanced_code: "5.1.1",
      reason: expect.stringContaining("No such"),
    },
    { address: to[2], status: "sent", reason: expect.stringContaining("OUTBOUND=local") },
  ]);
  const arrived = await rig.sql`select * from messages where inbox_id = ${bob.id}`;
  expect(arrived).toHaveLength(1);
  expect(arrived[0]).toMatchObject({ direction: "inbound", from_address: ada.address, subject: "Hello" });
});

test("only unknown local mailboxes: the message has bounced", async () => {
  const ada = await rig.inbox("ada");
  const id = await rig.send(ada.address, { to: "nobody@mail.example.com" });
  await transmitQueued(rig.system);
  expect(await rig.message(id)).toMatchObject({ status: "bounced", error: "550 5.1.1 No such mailbox here" });
});

test("a repeat after a crash delivers nothing twice, multipart or not", async () => {
  const ada = await rig.inbox("ada");
  const bob = await rig.inbox("bob");
  const attachments = [{ filename: "a.txt", content_type: "text/plain", content_base64: "YQ==" }];
  const id = await rig.send(ada.address, { to: bob.address, html: "<p>A line.</p>", attachments });
  await transmitQueued(rig.system);
  // As if the process had died between the delivery and the note of it.
  await rig.sql`update messages set status = 'sending', next_attempt_at = ${rig.system.now()} where id = ${id}`;
  await rig.sql`update message_recipients set status = 'queued', at = null where message_id = ${id}`;
  rig.clock.aheadMs += LEASE_MS;
  await transmitQueued(rig.system);
  expect(await rig.message(id)).toMatchObject({ status: "delivered", attempts: 2 });
  expect(await rig.recipients(id)).toMatchObject([{ status: "delivered", reason: null }]);
  const arrived = await rig.sql`select 1 from messages where inbox_id = ${bob.id}`;
  expect(arrived).toHaveLength(1);
});
