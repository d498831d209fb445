// One envelope for each recipient: what a retry repeats.
import { afterEach, beforeEach, expect, test } from "vitest";
import { transmitQueued } from "#server/sending/transmit.ts";
import { type SmtpSink, startSmtpSink } from "#test/support/smtp-sink.ts";
import { type Rig, startRig } from "./transmit-rig.ts";

const HOUR_MS = 3_600_000;

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

test("a temporary failure for one recipient is repeated for that recipient only", async () => {
  sink.faults.rcpt = (address) => {
    if (address.startsWith("slow")) return { code: 450, text: "4.2.0 later" };
    return address.startsWith("bad") ? { code: 550, text: "5.1.1 Who?" } : undefined;
  };
  const to = ["good@elsewhere.example", "slow@elsewhere.example", "bad@elsewhere.example"];
  const id = await rig.send(from, { to });
  await transmitQueued(rig.system);
  expect((await rig.message(id))?.status).toBe("queued");
  const statuses = async () => (await rig.recipients(id)).map(({ status }) => status);
  expect(await statuses()).toEqual(["sent", "queued", "bounced"]);
  sink.faults.rcpt = undefined;
  rig.clock.aheadMs += HOUR_MS;
  await transmitQueued(rig.system);
  expect(await statuses()).toEqual(["sent", "sent", "bounced"]);
  expect(await rig.message(id)).toMatchObject({ status: "bounced", attempts: 2 });
  expect(sink.received.map((mail) => mail.to[0])).toEqual(to.slice(0, 2));
});
