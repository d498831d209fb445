// What /metrics counts of submission: mails by their result, and sign-ins.
import { afterAll, beforeEach, expect, test } from "vitest";
import { type Scrape, scrape } from "#test/ops/scrape.ts";
import { api } from "#test/support/api.ts";
import { mailer, speak } from "#test/support/inbound.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({
  ROLES: "web,smtp",
  SUBMISSION_PORT: "0",
  SUBMISSIONS_PORT: "0",
  SEND_CAP_RAMP: "2",
});
const client = api(service);
afterAll(() => client.close().then(service.stop));

let before: Scrape;
beforeEach(async () => {
  before = await scrape(service);
});

const LABELS = /^mailberth_(?:mails_submitted|submission_sign_ins)_total\{(.*)\}$/;

/** What was added since the test began. */
async function counted() {
  const after = await scrape(service);
  const rows = [...after].flatMap(([name, value]) => {
    const [, labels] = LABELS.exec(name) ?? [];
    const more = value - (before.get(name) ?? 0);
    return labels && more > 0 ? [[labels.replaceAll('"', ""), more] as const] : [];
  });
  return Object.fromEntries(rows);
}

async function newSender() {
  const { agentKey: pass } = await service.newOrganization();
  const { address } = await client.createInbox(pass);
  const transport = mailer(service.submissionPort, { auth: { user: address, pass } });
  const send = (mail: object) => transport.sendMail({ from: address, to: "ann@else.example", text: "x", ...mail });
  return { key: pass, address, send };
}

test("counters exist before anything was counted", () => {
  expect(before.get('mailberth_mails_submitted_total{answer="250",result="queued"}')).toBe(0);
  expect(before.get('mailberth_submission_sign_ins_total{outcome="wrong"}')).toBe(0);
});

test("a mail by its status, and a refusal by its error", async () => {
  const { key, address, send } = await newSender();
  await client.post("/v1/suppressions", { address: "gone@else.example" }, { key });
  await send({});
  await expect(send({ to: "gone@else.example" })).rejects.toThrow("550");
  await expect(send({ headers: { "Resent-From": address } })).rejects.toThrow("550");
  await send({});
  await expect(send({})).rejects.toThrow("451");
  expect(await counted()).toEqual({
    "answer=250,result=queued": 2,
    "answer=451,result=daily_send_cap_exceeded": 1,
    "answer=550,result=invalid_request": 1,
    "answer=550,result=recipient_suppressed": 1,
    "outcome=right": 5,
  });
});

test("a mail that is refused while it comes", async () => {
  const { key, address } = await newSender();
  const session = await speak(service.submissionsPort, undefined, true);
  await session.read();
  await session.ask("EHLO client.example");
  await session.ask(`AUTH PLAIN ${Buffer.from(`\0${address}\0${key}`).toString("base64")}`);
  await session.ask(`MAIL FROM:<${address}>`);
  await session.ask("RCPT TO:<ann@else.example>");
  await session.ask("DATA");
  expect(await session.ask("Subject: a\n\nbare\r\n.")).toMatch(/^550 5\.6\.11/);
  session.socket.destroy();
  expect(await counted()).toEqual({ "answer=550,result=smtp": 1, "outcome=right": 1 });
});

test("wrong sign-ins, and those that must wait", async () => {
  const { address } = await newSender();
  const wrong = Buffer.from(`\0${address}\0mb_agent_wrong`).toString("base64");
  const answers: string[] = [];
  while (!answers.at(-1)?.startsWith("421") && answers.length < 30) {
    const session = await speak(service.submissionsPort, "127.0.0.9", true);
    await session.read();
    await session.ask("EHLO client.example");
    answers.push(await session.ask(`AUTH PLAIN ${wrong}`));
    session.socket.destroy();
  }
  expect(await counted()).toEqual({ "outcome=wrong": answers.length - 1, "outcome=limited": 1 });
});
