// OUTBOUND=local end to end: mail between mailboxes of this service arrives like mail over SMTP, the rest is captured.
import { afterEach, beforeEach, expect, test } from "vitest";
import { transmitQueued } from "#server/messages/outbound/transmit.ts";
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
    status: "sent",
    recipient_results: [
      { address: to[0], outcome: "delivered" },
      { address: to[1], outcome: "refused", detail: "550 5.1.1 No such mailbox here" },
      { address: to[2], outcome: "captured", detail: expect.stringContaining("OUTBOUND=local") },
    ],
  });
  const arrived = await rig.sql`select * from messages where inbox_id = ${bob.id}`;
  expect(arrived).toHaveLength(1);
  expect(arrived[0]).toMatchObject({ direction: "inbound", from_address: ada.address, subject: "Hello" });
});

test("only unknown local mailboxes: the message has failed", async () => {
  const ada = await rig.inbox("ada");
  const id = await rig.send(ada.address, { to: "nobody@mail.example.com" });
  await transmitQueued(rig.system);
  expect(await rig.message(id)).toMatchObject({ status: "failed", error: "550 5.1.1 No such mailbox here" });
});

test("a repeat after a crash delivers nothing twice, multipart or not", async () => {
  const ada = await rig.inbox("ada");
  const bob = await rig.inbox("bob");
  const attachments = [{ filename: "a.txt", content_type: "text/plain", content_base64: "YQ==" }];
  const id = await rig.send(ada.address, { to: bob.address, html: "<p>A line.</p>", attachments });
  await transmitQueued(rig.system);
  // As if the process had died between the delivery and the note of it.
  await rig.sql`update messages set status = 'sending', next_attempt_at = ${rig.system.now()} where id = ${id}`;
  rig.clock.aheadMs += LEASE_MS;
  await transmitQueued(rig.system);
  const row = await rig.message(id);
  expect(row).toMatchObject({ status: "sent", attempts: 2, recipient_results: [{ outcome: "delivered" }] });
  expect(row?.recipient_results[0].detail).toBeUndefined();
  const arrived = await rig.sql`select 1 from messages where inbox_id = ${bob.id}`;
  expect(arrived).toHaveLength(1);
});
