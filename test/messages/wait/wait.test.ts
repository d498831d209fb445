// POST /v1/inboxes/{addr}/wait: what it hands over, and when.
import { afterAll, describe, expect, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { api, inboxPath, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { slowMail } from "#test/support/slow-mail.ts";
import { mailboxThatWaits, NOTHING, untilOpen } from "./waiter.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));
const withInbox = () => mailboxThatWaits(service, client);

/** Resolves once the clock has left this millisecond. */
const untilAfter = (time: string) => eventually(() => expect(new Date().toISOString() > time).toBe(true));

async function newestEvent(key: string) {
  const { body } = await client.get<{ data: { id: string }[] }>("/v1/events", { key });
  return body.data.at(-1) ?? { id: "none" };
}

describe("200", () => {
  test("blocks until mail comes, and hands it over whole, with its code and link", async () => {
    const { wait, mail, key } = await withInbox();
    const waiting = wait();
    await untilOpen(service, 1);
    const text = "Your verification code is 481 207.\nOr open https://else.example/verify?token=x1 to sign in.";
    await mail("Sign in to Else", { from: "Else <no-reply@else.example>", text });
    const { cursor, ...answer } = await waiting;
    expect(answer).toMatchObject({
      timed_out: false,
      message: { subject: "Sign in to Else", from: "no-reply@else.example", status: "parsed", text: `${text}\n` },
      extracted: { otp: "481207", link: "https://else.example/verify?token=x1", link_host_matches_sender: true },
    });
    expect(answer.extracted.confidence).toBeGreaterThan(0.5);
    expect(answer.event_id).toBe((await newestEvent(key)).id);
    expect(cursor).toMatch(/^\S{10,100}$/);
  });

  test("times out: no message, nothing extracted, but a cursor", async () => {
    const { wait, mail } = await withInbox();
    await mail("before the call");
    const { message } = await wait({ timeout_seconds: 0 });
    const { cursor, ...answer } = await wait({ timeout_seconds: 0, after: message?.id });
    const earlier = { count: 1, newest_id: message?.id, received_at: expect.stringMatching(/Z$/) };
    expect(answer).toEqual({ timed_out: true, message: null, event_id: null, extracted: NOTHING, earlier });
    await mail("between two calls");
    expect((await wait({ after: cursor, timeout_seconds: 0 })).message?.subject).toBe("between two calls");
  });

  test("waits that continue at the cursor miss no message and repeat none", async () => {
    const { wait, mail } = await withInbox();
    let { cursor } = await wait({ timeout_seconds: 0 });
    const sending = (async () => {
      for (let i = 0; i < 20; i += 1) await mail(`${i}`);
    })();
    const seen: (string | undefined)[] = [];
    while (seen.length < 20) {
      const answer = await wait({ after: cursor, timeout_seconds: 5 });
      cursor = answer.cursor;
      seen.push(answer.message?.subject);
    }
    await sending;
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => `${i}`));
    expect((await wait({ after: cursor, timeout_seconds: 0 })).timed_out).toBe(true);
  });

  test("after a message, a sent message, or a time: later mail, oldest first, immediately", async () => {
    const { wait, mail, inbox, key } = await withInbox();
    const start = new Date().toISOString();
    await untilAfter(start);
    await mail("one");
    const sent = await client.post<Sent>(inboxPath(inbox.address, "/send"), { to: "x@y.example", text: "x" }, { key });
    await untilAfter(new Date().toISOString());
    await mail("two");
    const first = await wait({ after: start });
    expect(first.message?.subject).toBe("one");
    expect((await wait({ after: first.message?.id })).message?.subject).toBe("two");
    expect((await wait({ after: sent.body.id })).message?.subject).toBe("two");
    expect((await wait({ after: new Date(Date.now() + 1_000).toISOString(), timeout_seconds: 0 })).timed_out).toBe(
      true,
    );
  });

  test("after a sent message: the answer, also when it came before the message was known as delivered", async () => {
    const idle = await startTestService({ ROLES: "web,smtp" });
    const own = api(idle);
    const { wait, mail, inbox, key } = await mailboxThatWaits(idle, own);
    const { address: to } = await own.createInbox(key);
    const { id } = (await own.post<Sent>(inboxPath(inbox.address, "/send"), { to, text: "x" }, { key })).body;
    await mail("the answer");
    const worker = await startTestService({ ROLES: "worker" }, { database: idle.database });
    const known = async () => (await own.get<{ data: { event: string }[] }>("/v1/events", { key })).body.data;
    await eventually(async () => expect((await known()).map(({ event }) => event)).toContain("message.delivered"));
    expect((await wait({ after: id })).message?.subject).toBe("the answer");
    await worker.stop();
    await own.close().then(idle.stop);
  });

  test("only what matches: sender, domain, subject, pattern", async () => {
    const { wait, mail } = await withInbox();
    const { cursor } = await wait({ timeout_seconds: 0 });
    await mail("Newsletter", { from: "news@shop.example", text: "Nothing for you" });
    await mail("Fake", { from: "x@notbank.example", text: "code 111111" });
    await mail("Hello", { from: "Alerts@sub.Bank.example", text: "Transfer of 5 EUR" });
    await mail("Your CODE", { from: "otp@bank.example", text: "It is\n424242" });
    const first = async (json: object) => (await wait({ after: cursor, timeout_seconds: 0, ...json })).message?.subject;
    expect(await first({ from: "otp@bank.example" })).toBe("Your CODE");
    expect(await first({ from: "OTP@BANK.EXAMPLE" })).toBe("Your CODE");
    expect(await first({ from: "bank.example" })).toBe("Hello");
    expect(await first({ from: "@bank.example" })).toBe("Hello");
    expect(await first({ from: "ank.example" })).toBe(undefined);
    expect(await first({ subject: "code" })).toBe("Your CODE");
    expect(await first({ match: "\\b\\d{6}\\b" })).toBe("Fake");
    expect(await first({ match: "\\b\\d{6}\\b", from: "bank.example" })).toBe("Your CODE");
    expect(await first({ match: "(?i)^your code\\nit is" })).toBe("Your CODE");
    expect(await first({ match: "^your code" })).toBe(undefined);
  });

  test("with `thread_id`, only answers in that thread; a sent message shows the Message-ID that they name", async () => {
    const { wait, mail, inbox, key } = await withInbox();
    const json = { to: "ann@else.example", subject: "Question", text: "x" };
    const sent = (await client.post<Sent>(inboxPath(inbox.address, "/send"), json, { key })).body;
    const { body } = await client.get<{ rfc_message_id: string }>(`/v1/messages/${sent.id}`, { key });
    await mail("Re: Question, by another");
    const raw = `From: ann@else.example\r\nTo: ${inbox.address}\r\nSubject: Re: Question\r\nMessage-ID: <answer@else.example>\r\nIn-Reply-To: <${body.rfc_message_id}>\r\n\r\nYes`;
    await service.mail({ from: "ann@else.example", to: inbox.address, raw: Buffer.from(raw) });
    const answer = await wait({ thread_id: sent.thread_id, timeout_seconds: 5 });
    expect(answer.message).toMatchObject({ subject: "Re: Question", rfc_message_id: "answer@else.example" });
    expect((await wait({ thread_id: sent.thread_id, timeout_seconds: 0 })).timed_out).toBe(true);
  });

  test("a waiter passes over what it does not want, and takes the next", async () => {
    const { wait, mail } = await withInbox();
    const waiting = wait({ match: "code \\d+" });
    await untilOpen(service, 1);
    await mail("no", { text: "nothing here" });
    await mail("yes", { text: "code 12345" });
    expect((await waiting).message?.subject).toBe("yes");
  });

  test("a pattern that would block other engines", async () => {
    const { wait, mail } = await withInbox();
    const { cursor } = await wait({ timeout_seconds: 0 });
    await mail("long", { text: `${"a".repeat(100_000)}!` });
    const match = "^(a+)+$|(a|aa)+$|(x+x+)+y";
    expect((await wait({ after: cursor, timeout_seconds: 0, match })).timed_out).toBe(true);
  });

  test("only this mailbox's mail, and all of its waiters get it", async () => {
    const { wait, mail, key } = await withInbox();
    const other = await client.createInbox(key);
    const waiting = [wait(), wait(), wait()];
    await untilOpen(service, 3);
    await service.mail({ from: "a@else.example", to: other.address, subject: "not here" });
    await mail("here");
    expect((await Promise.all(waiting)).map(({ message }) => message?.subject)).toEqual(["here", "here", "here"]);
  });

  test("a mail whose body takes the parser longer than one load waits, and cannot be read, is handed over, unparsed", async () => {
    const { wait, inbox } = await withInbox();
    await service.mail({ from: "a@else.example", to: inbox.address, raw: slowMail("Subject: odd\r\n") });
    const { message, extracted } = await wait({ timeout_seconds: 120 });
    expect([message?.subject, message?.status, message?.text, extracted]).toEqual(["odd", "unparsed", null, NOTHING]);
  });
});

describe("400", () => {
  test("invalid times, patterns and senders, and values of another type, answer invalid_request", async () => {
    const { refused } = await withInbox();
    const bad: [string, unknown][] = [
      ["timeout_seconds", -1],
      ["timeout_seconds", 121],
      ["timeout_seconds", 1.5],
      ["timeout_seconds", "five"],
      ["timeout_seconds", true],
      ["claim", "yes"],
      ["claim", 1],
      ["match", "("],
      ["match", "[a"],
      ["match", "(?=look)"],
      ["match", "a{1001}"],
      ["match", "\\1"],
      ["match", ""],
      ["match", "a".repeat(501)],
      ["match", "a\0"],
      ["from", "two words"],
      ["from", "@"],
      ["from", "a@b@"],
      ["subject", ""],
      ["subject", 5],
      ["after", 5],
    ];
    for (const [path, value] of bad) {
      const { status, body } = await refused({ timeout_seconds: 0, [path]: value });
      expect([path, value, status, body.error.code]).toEqual([path, value, 400, "invalid_request"]);
      expect(body.error.issues?.[0]?.path).toBe(path);
    }
  });

  test("invalid_cursor: of another mailbox, forged, another's message; invalid_request: no time", async () => {
    const { refused, wait } = await withInbox();
    const other = await withInbox();
    await other.mail("theirs");
    const theirs = await other.wait({ after: "2026-01-01T00:00:00Z" });
    const { cursor } = await wait({ timeout_seconds: 0 });
    const forged = (cursor[0] === "A" ? "B" : "A") + cursor.slice(1);
    for (const after of [theirs.cursor, forged, theirs.message?.id, encodeId("msg", newId())]) {
      const { status, body } = await refused({ timeout_seconds: 0, after });
      expect([after, status, body.error.code]).toEqual([after, 400, "invalid_cursor"]);
    }
    for (const after of ["x", "", "2026-99-99T00:00:00Z"]) {
      const { status, body } = await refused({ timeout_seconds: 0, after });
      expect([after, status, body.error.code]).toEqual([after, 400, "invalid_request"]);
    }
  });

  test("invalid_request: a time of no zone, which is another time in another place", async () => {
    const { refused } = await withInbox();
    for (const after of ["2026-01-01T00:00:00", "2026-01-01T00:00:00.000", "2026-01-01", "2026-01-01T00:00:00 Z"]) {
      const { status, body } = await refused({ timeout_seconds: 0, after });
      expect([after, status, body.error.code]).toEqual([after, 400, "invalid_request"]);
      expect(body.error.message).toContain("`Z` or an offset");
    }
  });
});
