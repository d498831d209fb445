// Texts that would hold the event loop of a process for a minute or more, if they were read in quadratic or cubic time: the service answers
// another request before their end. The limit is one of CPU time of the thread with the event loop, which other work on the machine does not use.
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const LIMIT_MS = 30_000;
const MICROSECONDS = 1_000;
const SESSIONS = 30;
const LINES = 100;
const LINE_CHARS = 4_080;
const MAIL_BYTES = 25 * 1024 * 1024;
const FILE_BYTES = 4 * 1024 * 1024;

const service = await startTestService();
const client = api(service);
const { agentKey: key } = await service.newOrganization();
const desk = await client.createInbox(key, { username: "desk" });
afterAll(() => client.close().then(service.stop));

let before = process.threadCpuUsage();
beforeEach(() => {
  before = process.threadCpuUsage();
});
afterEach(() => {
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / MICROSECONDS).toBeLessThan(LIMIT_MS);
});

/** Whether the service answers another request. */
const answers = async () => (await client.get("/v1/inboxes", { key })).status;

/** How many lines of one session, from a separate address, are refused until it ends. */
async function refusalsOf(lines: string[], session: number): Promise<number> {
  const socket = connect({ port: service.smtpPort, host: "127.0.0.1", localAddress: `127.0.1.${session + 1}` });
  socket.on("error", () => {});
  socket.write(["EHLO client.example", ...lines, ""].join("\r\n"));
  let refusals = 0;
  for await (const line of createInterface({ input: socket })) {
    if (line.startsWith("501 ")) refusals += 1;
    if (refusals === lines.length || line.startsWith("421 ")) break;
  }
  socket.destroy();
  return refusals;
}

/** The mail with this subject, when it was read. */
async function parsed(subject: string) {
  return eventually(async () => {
    const { body } = await client.get<Page<{ id: string; subject: string; status: string }>>(
      inboxPath(desk.address, "/messages"),
      { key },
    );
    const found = body.data.find((each) => each.subject === subject);
    expect(found?.status).toBe("parsed");
    return found;
  });
}

test.each([
  ["one sign", "@", "<"],
  ["addresses without an end", "a@", "<"],
  ["a path that is not closed", '"\\\\', ""],
])("paths in SMTP: %s", async (_, piece, end) => {
  const line = `MAIL FROM:${piece.repeat(LINE_CHARS / piece.length)}${end}`;
  const sessions = Array.from({ length: SESSIONS }, (_, n) => refusalsOf(Array(LINES).fill(line), n));
  expect(await answers()).toBe(200);
  for (const refusals of await Promise.all(sessions)) expect(refusals).toBeGreaterThan(LINES / 2);
});

test("the author of a mail with long gaps", async () => {
  const gap = " ".repeat(1_000);
  const from = `From:${gap}${`a${gap}`.repeat(62)};`;
  await service.mail({ from: "ann@b.example", to: desk.address, raw: `${from}\r\nSubject: gaps\r\n\r\nHello\r\n` });
  await parsed("gaps");
  expect(await answers()).toBe(200);
});

test("a mail with headers of letters, an octet each, without a blank", async () => {
  const head = "From: ann@b.example\r\nSubject: letters\r\nContent-Type: text/plain; charset=windows-1251\r\n";
  const fields = Array.from({ length: 7 }, (_, n) => [
    Buffer.from(`X-${n}: `),
    Buffer.alloc(8_190, 0xc6),
    Buffer.from("\r\n"),
  ]);
  const raw = Buffer.concat([Buffer.from(head), ...fields.flat(), Buffer.from("\r\nHello\r\n")]);
  await service.mail({ from: "ann@b.example", to: desk.address, raw });
  // A thread that takes more CPU time than a mail may is ended, and the mail stays unparsed.
  await parsed("letters");
  expect(await answers()).toBe(200);
});

test("a mail that is a header without an end", async () => {
  const head = "From: ann@b.example\r\nSubject: endless\r\n";
  const raw = Buffer.from(head + "a:\r\n".repeat((MAIL_BYTES - 1_024) / 4));
  await service.mail({ from: "ann@b.example", to: desk.address, raw });
  expect(await answers()).toBe(200);
});

test("recipients of blanks", async () => {
  const fifty = Array(50).fill(`${" ".repeat(399)}x`);
  const send = (json: object) =>
    client.post<Failure>(inboxPath(desk.address, "/send"), { to: fifty, text: "Hello", ...json }, { key });
  for (let time = 0; time < 60; time += 1) {
    const { status, body } = await send({});
    expect([status, body.error.issues?.length]).toEqual([400, 50]);
  }
  // Too many are not read.
  const { status, body } = await send({ cc: fifty, bcc: fifty });
  expect([status, body.error.issues]).toEqual([400, [{ path: "to", message: expect.stringContaining("50") }]]);
  expect(await answers()).toBe(200);
});

test("a mail that is attached, with lines as long as lines may be", async () => {
  const content_base64 = Buffer.from(`${"a".repeat(998)}\r\n`.repeat(FILE_BYTES / 1_000)).toString("base64");
  const file = { filename: "mail.eml", content_type: "message/rfc822", content_base64 };
  const json = { to: desk.address, subject: "attached", text: "Hello", attachments: [file] };
  const { body } = await client.post<Sent>(inboxPath(desk.address, "/send"), json, { key });
  await parsed("attached");
  for (let time = 0; time < 4; time += 1) {
    const { status, text } = await client.exchange("GET", `/v1/messages/${body.id}/raw`, { key });
    expect([status, text.includes("Content-Type: message/rfc822")]).toEqual([200, true]);
  }
  expect(await answers()).toBe(200);
});
