// What comes back to return paths over SMTP: bounces, complaints, forgeries; and what follows for the recipient.
import { createTransport } from "nodemailer";
import { afterAll, describe, expect, test } from "vitest";
import type { OutcomeWebhookEvent } from "#client/verify-webhook.ts";
import { decodeId } from "#server/base/ids.ts";
import { secretBox } from "#server/base/secrets.ts";
import { pruneRecipients, returnPath } from "#server/receiving/returns/return-path.ts";
import { startSmtp } from "#server/smtp/listener.ts";
import { scrape } from "#test/ops/scrape.ts";
import { size } from "#test/sizes.ts";
import { api, type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { eventually, follow, reportedOf } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";
import { CORPUS, complaint, dsn } from "./reports.ts";

const DAY_MS = 86_400_000;
/** Since the message left. */
const VALID_DAYS = 67;
const ADA = "ada@elsewhere.example";
/** Recipients of one mail, each with a report that is cut at another place: the most a new mailbox may send to in a day. */
const CUTS = 20;
/** Of a mail of 600 kB: Node's `Blob` takes longer to join them than a report may take. */
const SHORT_LINES = 200_000;
const UNKNOWN = { recipient: ADA, diagnostic: "550 5.1.1 User unknown" };
const sink = await startSmtpSink();
const clock = adjustableClock();
const service = await startTestService(
  { ROLES: "web,worker", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url },
  { now: clock.now },
);
// Forgeries count as guesses at addresses.
const MANY = 1_000_000;
const door = await startSmtp(service.system, { misses: MANY, errorsPerMail: MANY, commandsPerMail: MANY });
const FORGED_RETURNS = size("FORGED_RETURNS");
const client = api(service);
const relay = createTransport({ host: "127.0.0.1", port: door.port, pool: true, tls: { rejectUnauthorized: false } });
afterAll(async () => {
  relay.close();
  await door.close();
  await client.close();
  await service.stop();
  await sink.close();
});

type Recipient = {
  address: string;
  status: string;
  smtp_code: number | null;
  enhanced_code: string | null;
  reason: string | null;
};
type Message = { id: string; status: string; thread_id: string; rfc_message_id: string; recipients: Recipient[] };
type Received = { from: string; kind: string; thread_id: string; size: number };

/** Sends a mail through the relay. @returns its id, and the envelope sender for each recipient */
async function sendOne(key: string, from: string, to: string | string[] = ADA) {
  const taken = sink.received.length;
  const { body, status } = await client.post<{ id: string }>(inboxPath(from, "/send"), { to, text: "x" }, { key });
  expect(status).toBe(202);
  await eventually(() => expect(sink.received.length).toBe(taken + [to].flat().length));
  const read = async () => (await client.get<Message>(`/v1/messages/${body.id}`, { key })).body;
  await eventually(async () => expect((await read()).status).toBe("sent"));
  return { id: body.id, paths: sink.received.slice(taken).map((mail) => mail.from), read };
}

async function sender() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  return { key, address, send: (to?: string | string[]) => sendOne(key, address, to) };
}

/** Hands a mail over as a mail server does: a report with the null sender. */
async function comesBack(path: string, raw: string, from = ""): Promise<number> {
  try {
    await relay.sendMail({ envelope: { from, to: [path] }, raw });
    return 250;
  } catch (error) {
    return error instanceof Error && "responseCode" in error ? Number(error.responseCode) : 0;
  }
}

const events = async (key: string) =>
  reportedOf((await client.get<Page<OutcomeWebhookEvent>>("/v1/events", { key })).body.data);

describe("a delay", () => {
  test.each([
    ["with a tab in its words", "451 4.7.1 Busy\tnow", /^delayed: 451 4\.7\.1 Busy now$/],
    ["with many words", `451 4.7.1 ${"busy ".repeat(200)}`, /^delayed: 451 4\.7\.1 busy/],
  ])("%s that is reported twice is recorded once", async (_, diagnostic, reason) => {
    const counted = async () =>
      (await scrape(service)).get('mailberth_recipient_outcomes_total{outcome="delayed"}') ?? 0;
    const { send } = await sender();
    const { paths, read } = await send();
    const before = await counted();
    const delayed = { recipient: ADA, action: "delayed", status: "4.7.1", diagnostic };
    for (let nth = 0; nth < 2; nth += 1) {
      expect(await comesBack(paths[0] ?? "", dsn([delayed]))).toBe(250);
    }
    const [recipient] = (await read()).recipients;
    expect(recipient?.reason).toMatch(reason);
    expect(await counted()).toBe(before + 1);
  });
});

describe("a bounce", () => {
  test("reaches the recipient's status, the log, the stream, a webhook, and the next send", async () => {
    const { key, address, send } = await sender();
    const hook = await startReceiver();
    await client.post("/v1/webhooks", { url: hook.url, events: ["message.bounced"] }, { key });
    const stream = await follow(service, { key });
    const { id, paths, read } = await send();
    expect(await comesBack(paths[0] ?? "", dsn([UNKNOWN]))).toBe(250);

    const details = {
      recipient: ADA,
      status: "bounced",
      smtp_code: 550,
      enhanced_code: "5.1.1",
      reason: "550 5.1.1 User unknown",
    };
    const event = {
      event: "message.bounced",
      inbox: address,
      message: { id, thread_id: expect.any(String), subject: "", ...details },
    };
    expect(await read()).toMatchObject({
      status: "bounced",
      recipients: [{ address: ADA, status: "bounced", smtp_code: 550 }],
    });
    expect(await events(key)).toMatchObject([event]);
    await eventually(() => expect(hook.received).toHaveLength(1));
    expect(JSON.parse(String(hook.received[0]?.body))).toEqual(event);
    await eventually(() => expect(reportedOf(stream.events).map((each) => each.event)).toEqual(["message.bounced"]));
    await stream.close();
    await hook.close();

    const next = await client.post<{ error: { code: string }; addresses: object[] }>(
      inboxPath(address, "/send"),
      { to: ADA, text: "x" },
      { key },
    );
    expect([next.status, next.body]).toMatchObject([
      422,
      { error: { code: "recipient_suppressed" }, addresses: [{ address: ADA, reason: "bounced" }] },
    ]);
    const lift = () => client.call("DELETE", `/v1/suppressions/${ADA}`, { key });
    expect((await lift()).status).toBe(200);

    // The same report again changes nothing, and suppresses nothing again.
    expect(await comesBack(paths[0] ?? "", dsn([UNKNOWN]))).toBe(250);
    expect(await events(key)).toHaveLength(1);
    expect((await lift()).status).toBe(404);
  });

  test.each([
    ["the address is unknown", "5.1.1", "550 5.1.1 User unknown", true],
    ["the code is vague and RCPT TO was refused", "5.0.0", "550 No such person", true],
    ["the domain does not exist", "5.4.4", "Host or domain name not found", true],
    ["the domain has no mail server", "5.4.4", "No MX of elsewhere.example was found", false],
    ["the domain's DNS fails", "5.4.4", "SERVFAIL from all name servers", false],
    ["the DNS says that the domain is none", "5.1.2", "550 5.1.2 Looking up elsewhere.example: NXDOMAIN", true],
    ["the name that the domain's MX has is none", "5.4.4", "Host not found: name=mx7.elsewhere.example type=A", false],
    ["a server behind the domain is none", "5.1.2", "5.1.2 Cannot resolve 'box.elsewhere.example': NXDOMAIN", false],
    ["Exchange names its own resolver", "5.1.10", "550 5.1.10 RESOLVER.ADR.RecipientNotFound; none", true],
    ["only words say that there is none", "5.0.0", "Unrouteable address", true],
    ["only words in another language say so", "5.0.0", "554 Dieses Postfach existiert nicht", true],
    ["a server gave up on an unknown host", "4.4.4", "host not found, retry time exceeded", false],
    ["a policy says no such user may write", "5.0.0", "554 Blocked: no such user here may send", false],
    ["the name of the sender's server is unknown", "5.0.0", "554 Helo command rejected: host not found", false],
    ["the sender's domain is unknown, without a code", "5.0.0", "554 Sender domain does not exist", false],
    ["the mailbox is full", "5.2.2", "552 5.2.2 Mailbox full", false],
    ["the sender's domain is at fault", "5.1.8", "553 5.1.8 Your domain does not exist", false],
    ["the command was wrong", "5.0.0", "503 Bad sequence", false],
    ["the code is vague and MAIL FROM was refused", "5.0.0", "550 No (in reply to MAIL FROM command)", false],
    [
      "the code is vague and the data was refused for this address",
      "5.0.0",
      "550 Not for ada@elsewhere.example (in reply to end of DATA command)",
      false,
    ],
    ["the code is vague and a policy refused", "5.0.0", "550 Listed at an RBL", false],
    ["too much mail came", "5.2.1", "550 5.2.1 The user receives mail at a rate that is too high", false],
    ["the code is of the sender's addresses", "5.1.20", "550 5.1.20 Two authors and none of them signs", false],
    ["the code is of the sender's rate", "5.1.90", "550 5.1.90 You wrote to too many people today", false],
    ["an unregistered code has words about the sender", "5.1.77", "550 5.1.77 The return path is no good", false],
    ["an unregistered code has no such words", "5.1.77", "550 5.1.77 No person of that name", true],
    ["the code is vague, about attachments", "5.0.0", "550 Attachment of this type denied", false],
    ["the code is vague, and the disk is full", "5.5.0", "550 5.5.0 No storage left for this person", false],
    ["the code is vague, and it may work later", "5.0.0", "550 Réessayez plus tard", false],
    ["a policy's code has words about a recipient", "5.7.1", "550 5.7.1 Invalid recipient", true],
    ["the recipient is not in a list of users", "5.7.1", "553 5.7.1 recipient not in our user database", true],
    ["the recipient is not in a list of the allowed", "5.7.1", "553 5.7.1 recipient not in the allow list", false],
    ["a policy's code has words about a sender", "5.7.1", "550 5.7.1 Sender: no such user", false],
    ["a relay's table has no such user", "5.1.1", "550 5.1.1 Unknown in relay recipient table", true],
    ["the mailbox is unknown after the data", "5.0.0", "550 user not found (in reply to end of DATA command)", true],
    ["its directory has no such name", "5.0.0", "宛先はディレクトリにありません", true],
    [
      "PowerMTA says it is a quota",
      "5.0.0\nX-PowerMTA-BounceCategory: quota-issues",
      "550 Not for ada@elsewhere.example",
      false,
    ],
    ["PowerMTA says the mailbox is bad", "5.0.0\nX-PowerMTA-BounceCategory: bad-mailbox", "554 No", true],
    ["the code says no more than that it failed", "5.0.0", "mail loop", false],
    ["a bare code is about the sender's server", "5.0.0", "550 Mail from 198.51.100.4 was not taken", false],
    ["a bare code is about the name of the server", "5.0.0", "550 No DNS name for the host that connects", false],
    ["a bare code has words that name no recipient", "5.0.0", "550 Go away", false],
    ["a bare code is about who may write to it", "5.0.0", "550 This mailbox takes mail of members only", false],
    ["a bare code is about where mail comes from", "5.0.0", "553 The user does not want mail of this country", false],
    ["a bare code is about a header", "5.0.0", "550 The header Date is older than a year", false],
    ["a bare code is about a failed callout", "5.0.0", "550 Callout has failed", false],
    ["a policy is named right behind the address", "5.0.0", `550 refused (${ADA}:blocked)`, false],
    ["a bare code is about a mailbox", "5.0.0", "550 Mailbox unavailable", true],
    ["a bare code is about an address in another language", "5.0.0", "550 El buzón ya no está", true],
    [
      "a bare code is about an address that takes mail no more",
      "5.0.0",
      "550 The address no longer accepts mail",
      true,
    ],
    ["a bare code names the address alone", "5.0.0", `550 <${ADA}>: gone`, true],
    ["a bare code is never of a policy", "5.0.0", "551 Try elsewhere", true],
    ["a mailbox was closed, under a code of any failure", "5.0.0", "554 Sorry, this mailbox was closed", true],
    ["a mailbox waits for room", "5.0.0", "554 The mailbox is disabled: it is over quota", false],
    ["a mailbox is closed for some days", "5.0.0", "554 This mailbox was closed, try again later", false],
    ["a filter took the recipient out", "5.0.0", "554 The recipient was removed by a filter of content", false],
    ["a relay speaks of its customer", "5.0.0", "554 Outgoing mail of this account has been disabled", false],
    ["an account without an owner was closed", "5.0.0", "554 The account has been disabled", false],
    ["a relay does not find the host of its customer", "5.0.0", "554 Your message was refused: host not found", false],
    ["the account of the sender was closed", "5.0.0", "554 Your account was closed", false],
    [
      "the sender was verified in vain, with the code of the sender's server",
      "5.0.0",
      "550 Verification failed Response: 550 5.1.1 No person here Sender verification failed",
      false,
    ],
  ])("whether it suppresses the address, where %s", async (_what, status, diagnostic, isSuppressed) => {
    const { send, key } = await sender();
    const { paths } = await send();
    expect(await comesBack(paths[0] ?? "", dsn([{ recipient: ADA, status, diagnostic }]))).toBe(250);
    expect((await events(key)).map(({ event }) => event)).toEqual(["message.bounced"]);
    const { data } = (await client.get<Page<{ address: string }>>("/v1/suppressions", { key })).body;
    expect(data.map(({ address }) => address)).toEqual(isSuppressed ? [ADA] : []);
  });

  test("of a callout, whose code is about the return path, suppresses nothing", async () => {
    const { send, key } = await sender();
    const { paths } = await send();
    const diagnostic = `550-Asked for <${paths[0]}> 550-Answer: 550 5.1.1 No person here 550 Refused`;
    expect(await comesBack(paths[0] ?? "", dsn([{ recipient: ADA, status: "5.0.0", diagnostic }]))).toBe(250);
    expect((await events(key)).map(({ event }) => event)).toEqual(["message.bounced"]);
    expect((await client.get<Page<object>>("/v1/suppressions", { key })).body.data).toEqual([]);
  });

  test("of many short lines is read within its CPU time", async () => {
    const { send } = await sender();
    const { paths, read } = await send();
    expect(await comesBack(paths[0] ?? "", dsn([UNKNOWN], { text: "x\n".repeat(SHORT_LINES) }))).toBe(250);
    expect(await read()).toMatchObject({ status: "bounced" });
  });

  test("of a deleted message suppresses the address and counts, and is no event", async () => {
    const { send, key, address } = await sender();
    const to = Array.from({ length: CUTS }, (_, i) => `r${i}@elsewhere.example`);
    const { id, paths } = await send(to);
    expect((await client.call("DELETE", `/v1/messages/${id}`, { key })).status).toBe(200);
    const returned = to.slice(0, 2);
    for (const [i, recipient] of returned.entries()) {
      expect(await comesBack(paths[i] ?? "", dsn([{ ...UNKNOWN, recipient }]))).toBe(250);
    }
    const { data } = (await client.get<Page<{ address: string }>>("/v1/suppressions", { key })).body;
    expect(data.map((each) => each.address).sort()).toEqual(returned);
    const next = await client.post<Failure>(inboxPath(address, "/send"), { to: ADA, text: "x" }, { key });
    expect([next.status, next.body.error.code]).toEqual([403, "sending_paused"]);
    // The pause is one, and names no message.
    expect(await events(key)).toMatchObject([
      { event: "sending.paused", inbox: address, pause: { by: "The service" } },
    ]);
  });

  test("of a message of a deleted mailbox suppresses the address, until reports about it are refused", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const { id, paths } = await sendOne(key, address, [ADA, "bob@elsewhere.example"]);
    await client.call("DELETE", inboxPath(address), { key });
    await eventually(async () => {
      expect(await service.system.sql`select 1 from messages where id = ${decodeId("msg", id) ?? ""}`).toEqual([]);
    });
    expect(await comesBack(paths[0] ?? "", dsn([UNKNOWN]))).toBe(250);
    const { data } = (await client.get<Page<{ address: string }>>("/v1/suppressions", { key })).body;
    expect(data.map((each) => each.address)).toEqual([ADA]);
    const kept = () =>
      service.system.sql`select 1 from message_recipients where message_id = ${decodeId("msg", id) ?? ""}`;
    await pruneRecipients(service.system);
    expect(await kept()).toHaveLength(2);
    const later = new Date(clock.now().getTime() + (VALID_DAYS + 1) * DAY_MS);
    while ((await pruneRecipients({ ...service.system, now: () => later })) > 0);
    expect(await kept()).toEqual([]);
  });

  test("belongs to one of several recipients", async () => {
    const { send, key } = await sender();
    const { paths, read } = await send(["bob@elsewhere.example", ADA, "eve@elsewhere.example"]);
    expect(await comesBack(paths[1] ?? "", dsn([UNKNOWN]))).toBe(250);
    const { status, recipients } = await read();
    expect([status, ...recipients.map((each) => each.status)]).toEqual(["bounced", "sent", "bounced", "sent"]);
    expect((await events(key)).map(({ message }) => message.recipient)).toEqual([ADA]);
  });

  test("is replaced by a complaint, and replaces none", async () => {
    const { send, key } = await sender();
    const { paths, read } = await send();
    expect(await comesBack(paths[0] ?? "", complaint("abuse", true))).toBe(250);
    expect(await comesBack(paths[0] ?? "", dsn([UNKNOWN]))).toBe(250);
    expect((await read()).status).toBe("complained");
    expect((await events(key)).map(({ event }) => event)).toEqual(["message.complained"]);
  });
});

describe.each(CORPUS)("%s", (_name, raw, expected) => {
  test(`makes the recipient ${expected.status}`, async () => {
    const { send } = await sender();
    const { paths, read } = await send();
    expect(await comesBack(paths[0] ?? "", raw)).toBe(250);
    expect((await read()).recipients).toMatchObject([{ address: ADA, ...expected }]);
  });
});

test("a report that is cut off anywhere is a bounce with its own codes, or none", async () => {
  const { send } = await sender();
  const addresses = Array.from({ length: CUTS }, (_, n) => `cut-${n}@elsewhere.example`);
  const { paths, read } = await send(addresses);
  for (const [n, recipient] of addresses.entries()) {
    const report = dsn([{ recipient, status: "5.1.1", diagnostic: "550 5.1.1 User unknown" }]);
    const cut = report.slice(0, Math.round((report.length * (n + 1)) / CUTS));
    expect(await comesBack(paths[n] ?? "", cut)).toBe(250);
  }
  const { recipients } = await read();
  expect(recipients.map(({ address }) => address)).toEqual(addresses);
  for (const { status, smtp_code, enhanced_code } of recipients) {
    expect(["sent", "bounced"]).toContain(status);
    expect([null, 550]).toContain(smtp_code);
    expect([null, "5.1.1"]).toContain(enhanced_code);
  }
  expect(recipients.at(-1)).toMatchObject({ status: "bounced", smtp_code: 550, enhanced_code: "5.1.1" });
});

describe("550", () => {
  test(`${FORGED_RETURNS} forged tokens change nothing`, async () => {
    const { send, key } = await sender();
    const { id, paths, read } = await send([ADA, "bob@elsewhere.example"]);
    const [own = "", other = ""] = paths;
    const messageId = decodeId("msg", id) ?? "";
    const foreign = returnPath({ secrets: secretBox(Buffer.alloc(32, 9)) }, { messageId, index: 0 }, "mail.localhost");
    const tokenOf = (path: string) => path.slice(2, path.indexOf("@"));
    const token = tokenOf(own);
    const otherToken = tokenOf(other);
    const answers = new Set<number>();
    for (let i = 0; i < FORGED_RETURNS; i += 1) {
      const at = i % token.length;
      const digit = token[at] === "0" ? "1" : "0";
      // One digit changed, the named part of one with the code of another, too short, too long, no base32, of another
      // service.
      const forged = [
        token.slice(0, at) + digit + token.slice(at + 1),
        token.slice(0, 28) + otherToken.slice(28),
        token.slice(0, at),
        `${token}0`,
        token.replace(/./, "u"),
        tokenOf(foreign),
      ][i % 6];
      answers.add(
        await comesBack(`b+${forged}@bounce.mail.localhost`, i % 2 ? dsn([UNKNOWN]) : complaint("abuse", true)),
      );
    }
    expect([...answers]).toEqual([550]);
    expect((await read()).recipients.map(({ status }) => status)).toEqual(["sent", "sent"]);
    expect(await events(key)).toEqual([]);
  });
});

test.each([
  ["counts: the path of a message that left 66 days ago", VALID_DAYS - 1, "bounced"],
  ["is taken without effect, and is no guess: the path of one that left before", VALID_DAYS + 1, "sent"],
])("%s", async (_name, days, status) => {
  const { send } = await sender();
  const { paths, read } = await send();
  clock.advance(days * DAY_MS);
  const answer = await comesBack(paths[0] ?? "", dsn([UNKNOWN]));
  clock.advance(-days * DAY_MS);
  expect(answer).toBe(250);
  expect((await read()).status).toBe(status);
});

test("a message that left long after it was made bounces", async () => {
  const { key, address } = await sender();
  const in30Days = () => new Date(clock.now().getTime() + 30 * DAY_MS - 60_000).toISOString();
  const json = { to: ADA, text: "x", send_at: in30Days() };
  const { body } = await client.post<{ id: string }>(inboxPath(address, "/send"), json, { key });
  const taken = sink.received.length;
  for (let move = 0; move < 3; move += 1) {
    clock.advance(29 * DAY_MS);
    const moved = await client.patch(`/v1/messages/${body.id}`, { send_at: in30Days() }, { key });
    expect(moved.status).toBe(200);
  }
  clock.advance(30 * DAY_MS);
  await eventually(() => expect(sink.received.length).toBe(taken + 1));
  const read = async () => (await client.get<Message>(`/v1/messages/${body.id}`, { key })).body.status;
  await eventually(async () => expect(await read()).toBe("sent"));
  expect(await comesBack(sink.received.at(-1)?.from ?? "", dsn([UNKNOWN]))).toBe(250);
  expect(await read()).toBe("bounced");
  clock.advance(-117 * DAY_MS);
});

test("a recipient who reports by turns that it was delivered and that it bounced, bounces once", async () => {
  const { key, send } = await sender();
  const { paths, read } = await send();
  const delivered = { recipient: ADA, action: "delivered", status: "2.0.0" };
  const refused = { recipient: ADA, status: "5.7.1", diagnostic: "550 5.7.1 Refused" };
  for (let turn = 0; turn < 3; turn += 1) {
    for (const report of [delivered, refused]) {
      clock.advance(1_000);
      expect(await comesBack(paths[0] ?? "", dsn([report]))).toBe(250);
    }
  }
  expect((await read()).status).toBe("bounced");
  expect((await events(key)).map(({ event }) => event).sort()).toEqual(["message.bounced", "message.delivered"]);
});

test("452: a return path shares a mail with no other recipient", async () => {
  const { send, address } = await sender();
  const { paths, read } = await send();
  const both = relay.sendMail({ envelope: { from: "", to: [paths[0] ?? "", address] }, raw: dsn([UNKNOWN]) });
  expect((await both).rejected).toEqual([address]);
  expect((await read()).status).toBe("bounced");
});

describe("mail that is no report", () => {
  const answer = (headers: string, text = "Ada is at sea until the ninth.") =>
    `From: Ada <${ADA}>\nSubject: Re: x\n${headers}\n\n${text}\n`.replaceAll("\n", "\r\n");
  const received = async (key: string, address: string) =>
    (await client.get<Page<Received>>(`${inboxPath(address)}/messages?direction=inbound`, { key })).body.data;

  test.each([
    ["an absence note", "", "Message-ID: <n1@far.example>\nAuto-Submitted: auto-replied", "automatic"],
    ["a request to confirm", "", "Message-ID: <n2@far.example>\nAuto-Submitted: auto-generated", "automatic"],
    ["a receipt", "", "MIME-Version: 1.0\nContent-Type: message/disposition-notification", "automatic"],
    ["words of a person", ADA, "Message-ID: <n3@far.example>", "person"],
  ])("is in the mailbox that sent, and in the thread: %s", async (_what, from, headers, kind) => {
    const { key, address, send } = await sender();
    const { paths, read } = await send();
    expect(await comesBack(paths[0] ?? "", answer(headers), from)).toBe(250);
    expect(await comesBack(paths[0] ?? "", answer(headers), from)).toBe(250);
    const { status, thread_id } = await read();
    expect(status).toBe("sent");
    const messages = await received(key, address);
    const copies = headers.startsWith("Message-ID") ? 1 : 2;
    expect(messages).toHaveLength(copies);
    expect(messages[0]).toMatchObject({ from: ADA, kind, thread_id });
  });

  test("of a person who quotes the mail and writes from another address is no bounce", async () => {
    const { key, address, send } = await sender();
    const { paths, read } = await send();
    const quoted = `I moved, write here.\n\nFrom: Desk <${address}>\nTo: ${ADA}\nSubject: x\n\nx`;
    const raw = answer("Message-ID: <n4@far.example>", quoted).replace(ADA, "ada@home.example");
    expect(await comesBack(paths[0] ?? "", raw, "ada@home.example")).toBe(250);
    expect((await read()).status).toBe("sent");
    expect(await received(key, address)).toMatchObject([{ from: "ada@home.example", kind: "person" }]);
  });

  test("goes to the thread that its own headers name", async () => {
    const { key, address, send } = await sender();
    const [first, second] = [await send(), await send()];
    const own = (await first.read()).rfc_message_id;
    expect(await comesBack(second.paths[0] ?? "", answer(`In-Reply-To: <${own}>`))).toBe(250);
    expect((await received(key, address))[0]?.thread_id).toBe((await first.read()).thread_id);
  });

  test("is refused where the mailbox refuses its sender", async () => {
    const { key, send } = await sender();
    const { paths } = await send();
    const listed = await client.post("/v1/lists/receive/block", { entry: ADA }, { key });
    expect(listed.status).toBeLessThan(300);
    expect(await comesBack(paths[0] ?? "", answer(""), ADA)).toBe(550);
    expect(await comesBack(paths[0] ?? "", dsn([UNKNOWN]))).toBe(250);
  });

  test("is refused where the mailbox was deleted, and where the path has expired", async () => {
    const { key, address, send } = await sender();
    const { paths } = await send();
    clock.advance((VALID_DAYS + 1) * DAY_MS);
    const late = await comesBack(paths[0] ?? "", answer(""));
    clock.advance(-(VALID_DAYS + 1) * DAY_MS);
    expect(late).toBe(550);
    await client.call("DELETE", inboxPath(address), { key });
    expect(await comesBack(paths[0] ?? "", answer(""))).toBe(550);
  });

  test("is taken up to the size of other mail", async () => {
    const { key, address, send } = await sender();
    const { paths } = await send();
    const long = "A day at sea, and nothing else to report.\n".repeat(60_000);
    expect(await comesBack(paths[0] ?? "", answer("", long))).toBe(250);
    expect((await received(key, address))[0]?.size).toBeGreaterThan(2_000_000);
  });
});

test.each([
  ["machine part", dsn([UNKNOWN], { nested: "x".repeat(70).concat("\n").repeat(60_000) })],
  [
    "words",
    `From: MAILER-DAEMON@far.example\r\nSubject: failure notice\r\n\r\n<${ADA}>:\r\n550 5.1.1 User unknown\r\n\r\n--- Below this line is a copy of the message.\r\n\r\nReceived: by far.example\r\n\r\n${"TWFu".repeat(18).concat("\r\n").repeat(40_000)}`,
  ],
])("the %s before a returned mail of megabytes is read", async (_what, raw) => {
  const { key, address, send } = await sender();
  const { paths, read } = await send();
  expect(await comesBack(paths[0] ?? "", raw)).toBe(250);
  expect((await read()).recipients).toMatchObject([{ status: "bounced", enhanced_code: "5.1.1" }]);
  const { data } = (await client.get<Page<object>>(`${inboxPath(address)}/messages?direction=inbound`, { key })).body;
  expect(data).toEqual([]);
});
