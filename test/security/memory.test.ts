// Memory: small mails that become large when they are read leave the service small, and other organizations are answered.
import { readFileSync, writeFileSync } from "node:fs";
import { createTransport } from "nodemailer";
import { afterAll, describe, expect, test } from "vitest";
import { api, type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startProcess } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";
import { docx, paragraph } from "../messages/attachment-text/files.ts";
import { MAIL_BOMBS, OFFICE_BOMBS, PDF_BOMBS } from "./bombs.ts";

/**
 * Of the whole process, which takes 240 after its start: each of its threads may use 80, 40 of them for programs and tables, one list may
 * double between two looks at it, and several threads read at the same time.
 */
const MEMORY_MAX_MB = 520;
const ORGANIZATIONS = 5;
const MAILS_EACH = 4;
/** To Linux (proc_pid_clear_refs(5)). */
const FORGET_PEAK = "5";
const PEAK = /^VmHWM:\s+(\d+) kB$/m;

/** It makes organizations, in this process, whose memory does not count. */
const maker = await startTestService({ ROLES: "web" });
const { ENCRYPTION_KEY, DEFAULT_DOMAIN, DATA_DIR } = maker.settings;
const service = await startProcess({
  DATABASE_URL: maker.database.url,
  ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64") ?? "",
  DEFAULT_DOMAIN,
  DATA_DIR,
  // As `npm start` sets them.
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
});
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.end("SIGTERM");
  await maker.stop();
});

type Message = { id: string; status: string; text: string | null; attachments: { id: string }[] };
type Mailbox = { key: string; address: string };

async function newMailbox(): Promise<Mailbox> {
  const { agentKey: key } = await maker.newOrganization();
  const { address } = await client.createInbox(key);
  return { key, address };
}

const smtp = createTransport({ host: "127.0.0.1", port: service.smtpPort, tls: { rejectUnauthorized: false } });

async function send({ address }: Mailbox, mail: { raw: string | Buffer } | { attachments?: object[]; text?: string }) {
  const envelope = { from: "w@else.example", to: address };
  await smtp.sendMail({ ...envelope, subject: "x", envelope, ...mail });
}

/** The newest message, once it has been parsed. */
async function newest({ key, address }: Mailbox): Promise<Message> {
  const [first] = (await client.get<Page<Message>>(inboxPath(address, "/messages"), { key })).body.data;
  return eventually(async () => {
    const { status, body } = await client.get<Message & Failure>(`/v1/messages/${first?.id}`, { key });
    expect(status).toBe(200);
    return body;
  });
}

async function textPath(mailbox: Mailbox, content: Buffer): Promise<string> {
  await send(mailbox, { attachments: [{ filename: "file", content }] });
  const { id, attachments } = await newest(mailbox);
  return `/v1/messages/${id}/attachments/${attachments[0]?.id}/text`;
}

type Text = { safe_text: { text: string } } & Failure;

/** The answer, when it is not "try again". */
const readText = (path: string, { key }: Mailbox) =>
  eventually(async () => {
    const answer = await client.get<Text>(path, { key });
    expect(answer.status).not.toBe(503);
    return answer;
  });

/** The most memory that the process had since the last call. */
function peakMb(): number {
  const status = readFileSync(`/proc/${service.child.pid}/status`, "utf8");
  writeFileSync(`/proc/${service.child.pid}/clear_refs`, FORGET_PEAK);
  return Number(PEAK.exec(status)?.[1]) / 1024;
}

describe.runIf(process.platform === "linux")("the memory of the service stays small", () => {
  test(`while ${ORGANIZATIONS} organizations read ${MAILS_EACH} such files each, and a neighbour reads`, async () => {
    peakMb();
    const neighbour = await newMailbox();
    const file = PDF_BOMBS["a page, deflated twice"]?.() ?? Buffer.alloc(0);
    const mailboxes = await Promise.all(Array.from({ length: ORGANIZATIONS }, newMailbox));
    const paths: [string, Mailbox][] = [];
    for (const mailbox of mailboxes)
      for (let n = 0; n < MAILS_EACH; n += 1) paths.push([await textPath(mailbox, file), mailbox]);
    const reads = Promise.all(paths.map(([path, mailbox]) => readText(path, mailbox)));
    await send(neighbour, { text: "Your code is 481 207." });
    expect((await newest(neighbour)).text).toContain("481 207");
    // Which limit ends it, of size or of CPU time, depends on the machine.
    for (const { status, body } of await reads)
      expect([status, body.error.code]).toEqual([422, "attachment_unreadable"]);
    const theirs = await readText(await textPath(neighbour, docx(paragraph("usual"))), neighbour);
    expect(theirs.body.safe_text.text).toContain("usual");
    expect(peakMb()).toBeLessThan(MEMORY_MAX_MB);
  });

  test.each(Object.entries({ ...PDF_BOMBS, ...OFFICE_BOMBS }))("while the text is read of %s", async (_, make) => {
    const mailbox = await newMailbox();
    const { status, body } = await readText(await textPath(mailbox, make()), mailbox);
    if (status !== 200) expect([status, body.error.code]).toEqual([422, "attachment_unreadable"]);
    expect(peakMb()).toBeLessThan(MEMORY_MAX_MB);
    expect(service.child.exitCode).toBeNull();
  });

  test.each(Object.entries(MAIL_BOMBS))("while a mail is parsed with %s", async (_, make) => {
    const mailbox = await newMailbox();
    await send(mailbox, { raw: make() });
    expect(["parsed", "unparsed"]).toContain((await newest(mailbox)).status);
    expect(peakMb()).toBeLessThan(MEMORY_MAX_MB);
    expect(service.child.exitCode).toBeNull();
  });
});
