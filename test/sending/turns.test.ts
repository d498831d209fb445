// Organizations take turns at the relay: the mail of one leaves although another has queued much more before it.
import { afterAll, expect, test } from "vitest";
import { adjustableClock } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { startReplyRig } from "./reply-rig.ts";

const DELAY_SECONDS = 120;
const MANY = 300;
const ANN = "ann@else.example";
const BEN = "ben@else.example";
/** The most that one organization may have on their way. */
const OWN_PLACES = 16;
/** Leased together, those leased before, and those on their way. */
const FIRST_ROUNDS = 64 + 16 + 20;

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
  const [first, second, other] = [await mailbox(), await mailbox(), await mailbox()];
  const all = Array.from({ length: MANY }, (_, n) =>
    (n % 2 === 0 ? first : second).send({ to: `reader-${n}@else.example` }),
  );
  for (const { status } of await Promise.all(all)) expect(status).toBe(202);
  expect((await other.send({ to: ANN })).status).toBe(202);
  expect(recipients()).toEqual([]);
  clock.advance(DELAY_SECONDS * 1_000);
  await expect.poll(() => recipients().includes(ANN)).toBe(true);
  expect(recipients().indexOf(ANN)).toBeLessThan(FIRST_ROUNDS);
  await expect.poll(() => recipients().length).toBe(MANY + 1);
});

test("mail of another organization leaves while the relay answers none of the first one's", async () => {
  const [busy, other] = [await mailbox(), await mailbox()];
  slow.received.length = 0;
  const isBusy = ([to = ""]: string[]) => to.startsWith("slow-");
  const release = Promise.withResolvers<void>();
  slow.faults.until = (to) => (isBusy(to) ? release.promise : Promise.resolve());
  const all = Array.from({ length: MANY }, (_, n) => busy.send({ to: `slow-${n}@else.example` }));
  for (const { status } of await Promise.all(all)) expect(status).toBe(202);
  clock.advance(DELAY_SECONDS * 1_000);
  const underWay = () => slow.received.filter(({ to }) => isBusy(to)).length;
  await expect.poll(underWay).toBe(OWN_PLACES);
  expect((await other.send({ to: BEN })).status).toBe(202);
  clock.advance(DELAY_SECONDS * 1_000);
  await expect.poll(() => recipients().includes(BEN)).toBe(true);
  expect(underWay()).toBe(OWN_PLACES);
  release.resolve();
  await expect.poll(() => recipients().length).toBe(MANY + 1);
});
