// A process is killed after it fetched a mail from Resend and before the mail is committed: Resend, which got no answer,
// repeats its event, and the mail is stored once.
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startResendDouble } from "#test/support/resend-double.ts";
import { postEvent, WEBHOOK_SECRET } from "#test/support/resend-events.ts";
import { startProcesses } from "./two-rig.ts";

const MAILS = 5;

const double = await startResendDouble(["mail.localhost"]);
let service: Awaited<ReturnType<typeof startProcesses>>;
let sql: ReturnType<typeof connect>;
beforeAll(async () => {
  service = await startProcesses(1, {
    OUTBOUND: "resend",
    RESEND_API_KEY: double.apiKey,
    RESEND_BASE_URL: double.url,
    RESEND_WEBHOOK_SECRET: WEBHOOK_SECRET,
  });
  sql = connect(service.databaseUrl, { max: 1 });
});
afterAll(async () => {
  await sql?.end();
  await service?.stop();
  await double.close();
});

function arrival(address: string, n: number) {
  const subject = `mail ${n}`;
  const raw = `From: ada@elsewhere.example\r\nTo: ${address}\r\nSubject: ${subject}\r\n\r\nHello ${n}\r\n`;
  const email_id = double.receive(raw);
  const data = { email_id, from: "ada@elsewhere.example", to: [address], received_for: [address] };
  return { subject, event: { type: "email.received", created_at: new Date(), data } };
}

it("mail that was fetched and not committed is stored once when its event comes again", async () => {
  const { address } = await service.client(0).inboxes.create.mutate({});
  const arrivals = Array.from({ length: MAILS }, (_, n) => arrival(address, n));
  const post = () => Promise.allSettled(arrivals.map(({ event }) => postEvent(service.at(0).url, event)));
  let first: ReturnType<typeof post> | undefined;
  await sql.begin(async (tx) => {
    await tx`lock table messages in exclusive mode`;
    first = post();
    const fetched = () => double.account.requests.filter((request) => request.includes("/raw/")).length;
    await expect.poll(fetched).toBe(MAILS);
    // Their statements now wait for the lock.
    await expect.poll(() => waitingForLocks(tx)).toBeGreaterThan(0);
    await service.kill(0);
  });
  const answers = (await first) ?? [];
  expect(answers.map(({ status }) => status)).toEqual(Array(MAILS).fill("rejected"));
  await service.start(0);
  const list = async () => (await service.client(0).messages.list.query({ addr: address })).data;
  expect(await list()).toEqual([]);
  for (let times = 0; times < 2; times += 1) {
    const again = await post();
    const statuses = again.map((answer) => (answer.status === "fulfilled" ? answer.value.status : answer.reason));
    expect(statuses).toEqual(Array(MAILS).fill(200));
  }
  const subjects = (await list()).map(({ subject }) => subject).sort();
  expect(subjects).toEqual(arrivals.map(({ subject }) => subject));
});
