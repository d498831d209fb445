// Organizations take turns at the relay: the mail of one leaves although another has queued much more before it.
import { afterAll, expect, test } from "vitest";
import { adjustableClock } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { startReplyRig } from "./reply-rig.ts";

const DELAY_SECONDS = 120;
const MANY = 300;
const ANN = "ann@else.example";
/** Leased together, those leased before, and those on their way. */
const FIRST_ROUNDS = 64 + 16 + 16;

const clock = adjustableClock();
const slow = await startSmtpSink({ answerAfterMs: 100 });
const rig = await startReplyRig({ ROLES: "web,worker", OUTBOUND_SMTP_URL: slow.url }, { now: clock.now });
afterAll(async () => {
  await rig.stop();
  await slow.close();
});

/** A mailbox of an organization, whose mail all leaves when the delay is over. */
async function mailbox() {
  const { agentKey } = await rig.service.newOrganization();
  const inbox = await rig.inboxFor(agentKey);
  const path = `/v1/inboxes/${inbox.address}`;
  const changed = await rig.client.patch(path, { outgoing_delay_seconds: DELAY_SECONDS }, { key: agentKey });
  expect(changed.status).toBe(200);
  return inbox;
}

const recipients = () => slow.received.flatMap(({ to }) => to);

test("the last of many queued mails leaves in the first rounds, if it is the first of its organization", async () => {
  const [busy, other] = [await mailbox(), await mailbox()];
  const all = Array.from({ length: MANY }, (_, n) => busy.send({ to: `reader-${n}@else.example` }));
  for (const { status } of await Promise.all(all)) expect(status).toBe(202);
  expect((await other.send({ to: ANN })).status).toBe(202);
  expect(recipients()).toEqual([]);
  clock.advance(DELAY_SECONDS * 1_000);
  await expect.poll(() => recipients().includes(ANN)).toBe(true);
  expect(recipients().indexOf(ANN)).toBeLessThan(FIRST_ROUNDS);
  await expect.poll(() => recipients().length).toBe(MANY + 1);
});
