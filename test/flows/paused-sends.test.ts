// A pause while two processes send: nothing begins to leave a second after its answer, and after it everything leaves once.
import { afterAll, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { api, inboxPath, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startProcess } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner } from "#test/support/team.ts";

const SENDS = size("PAUSED_SENDS");
/** So many mails are taken before the pause, so that both processes are in the middle of it. */
const BEFORE = 20;
const SCHEDULED = 5;
const HOLDS_WITHIN_MS = 1_000;
/** Later than any machine takes to send the rest; they are made due after the pause. */
const SCHEDULED_AHEAD_MS = 3_600_000;
/** Each transmission takes this long, so that the pause finds many under way. */
const ANSWER_AFTER_MS = 700;
const WORKERS = 2;

const sink = await startSmtpSink({ answerAfterMs: ANSWER_AFTER_MS });
const settings = {
  OUTBOUND: "smtp",
  OUTBOUND_SMTP_URL: sink.url,
  SEND_CAP_RAMP: "100000",
  RATE_LIMIT_PER_SECOND: "100000",
  RATE_LIMIT_BURST: "100000",
};
const service = await startTestService({ ...settings, ROLES: "web" });
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");
const environment = { ...settings, ROLES: "worker", DATABASE_URL: service.database.url, ENCRYPTION_KEY };
const workers = await Promise.all(
  Array.from({ length: WORKERS }, (_, index) =>
    startProcess({ ...environment, DATA_DIR: `${service.settings.DATA_DIR}/worker-${index}` }),
  ),
);
const client = api(service);
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.end("SIGTERM")));
  await client.close();
  await service.stop();
  await sink.close();
});

test(`a pause of the organization stops ${SENDS} messages on ${WORKERS} processes within a second`, async () => {
  const { agentKey: key, organizationId } = await service.newOrganization();
  const owner = await newOwner(service, organizationId);
  const { address } = await client.createInbox(key);
  const sendAt = new Date(Date.now() + SCHEDULED_AHEAD_MS).toISOString();
  const send = async (to: string, more: object = {}) => {
    const { status, body } = await client.post<Sent>(inboxPath(address, "/send"), { to, text: "x", ...more }, { key });
    expect(status).toBe(202);
    return body.id;
  };
  const names = Array.from({ length: SENDS }, (_, n) => `r${n}@elsewhere.example`);
  const later = Array.from({ length: SCHEDULED }, (_, n) => `later${n}@elsewhere.example`);
  // The owner gets a notice of the pause.
  const arrived = () => sink.received.flatMap(({ to }) => to).filter((to) => to !== owner.email);
  await Promise.all(later.map((to) => send(to, { send_at: sendAt })));
  const sending = Promise.all(names.map((to) => send(to)));
  await eventually(() => expect(arrived().length).toBeGreaterThan(BEFORE));
  await sending;

  const paused = await owner.trpc.organization.pauseSending.mutate({ reason: "It writes to everyone" });
  const holdsFrom = performance.now() + HOLDS_WITHIN_MS;
  expect(paused.in_flight + paused.queued).toBeGreaterThan(0);
  expect(paused).toMatchObject({ scope: "organization", reason: "It writes to everyone", by_operator: false });
  await service.system.sql`update scheduled_sends set send_at = now(), due_at = now()`;
  // What was under way has ended, and everything else is where the pause put it.
  await eventually(async () => {
    const { data } = await owner.trpc.organization.pauses.query();
    expect(data).toMatchObject([{ in_flight: 0, scheduled: SCHEDULED }]);
    const left = new Set(arrived()).size;
    expect(data[0]?.queued).toBe(SENDS - left);
    expect(performance.now()).toBeGreaterThan(holdsFrom);
  });
  expect(arrived().length).toBeLessThan(SENDS);
  const resumedAt = performance.now();
  expect(sink.begun.filter((at) => at > holdsFrom && at < resumedAt)).toEqual([]);

  await owner.trpc.organization.resumeSending.mutate({});
  await eventually(() => expect(new Set(arrived()).size).toBe(SENDS + SCHEDULED));
  await eventually(async () => {
    const [row] = await service.system.sql`
      select count(*)::int as waiting from messages where status in ('queued', 'sending', 'scheduled')`;
    expect(row?.waiting).toBe(0);
  });
  expect(arrived().toSorted()).toEqual([...names, ...later].toSorted());
});
