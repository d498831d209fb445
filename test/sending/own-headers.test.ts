// Headers that the author of a message adds: how they leave, where they are shown, and which are refused.
import PostalMime, { decodeWords } from "postal-mime";
import { afterAll, describe, expect, test } from "vitest";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";

const TO = "ada@elsewhere.example";
const RETRY_MS = 3_600_000;
const clock = adjustableClock();
const sink = await startSmtpSink();
const service = await startTestService(
  { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url, SEND_CAP_RAMP: "1000", RATE_LIMIT_PER_SECOND: "1000" },
  { now: clock.now },
);
const client = api(service);
const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key);
afterAll(async () => {
  await client.close();
  await service.stop();
  await sink.close();
});

type Message = { status: string; error: string | null; headers: { name: string; value: string }[] };

const SEND = inboxPath(address, "/send");
const post = (json: object, path = SEND) =>
  client.post<Sent & Failure>(path, { to: TO, text: "Hello", ...json }, { key });
const send = async (json: object) => {
  const { status, body } = await post(json);
  expect([status, body.error?.message]).toEqual([202, undefined]);
  return body.id;
};
const read = async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
const shown = async (id: string) =>
  Object.fromEntries((await read(id)).headers.map(({ name, value }) => [name, value]));
const rawOf = async (id: string) => (await client.exchange("GET", `/v1/messages/${id}/raw`, { key })).text;
const leftWith = (subject: string) =>
  eventually(() => sink.received.find(({ raw }) => raw.includes(`Subject: ${subject}\r\n`))?.raw ?? expect.fail());

/** The header lines of a raw mail as they are, and unfolded. */
function headerOf(raw: Buffer | string) {
  const text = raw.toString().split("\r\n\r\n", 1)[0] ?? "";
  const lines = text.split("\r\n");
  const unfolded = text.split(/\r\n(?![ \t])/).map((line) => line.replaceAll("\r\n", ""));
  const fieldOf = (name: string) =>
    unfolded.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))?.slice(name.length + 2);
  return { lines, unfolded, fieldOf };
}

async function decoded(raw: Buffer | string, name: string) {
  const { headers } = await PostalMime.parse(raw);
  return headers.filter((each) => each.key === name.toLowerCase()).map(({ value }) => decodeWords(value));
}

describe("headers of a send", () => {
  test("They leave with the mail, in its raw bytes and in the message.", async () => {
    const headers = {
      "X-Order": "1042",
      "X-JSON": '{"a":[1,"b"]}',
      "List-Id": "Weekly news <news.shop.example>",
      "Feedback-ID": "a:b:c",
      "auto-submitted": "auto-generated",
      Precedence: "bulk",
    };
    const id = await send({ subject: "Plain headers", headers });
    const header = headerOf(await leftWith("Plain headers"));
    for (const [name, value] of Object.entries(headers)) expect([name, header.fieldOf(name)]).toEqual([name, value]);
    expect(await shown(id)).toEqual(headers);
    expect(headerOf(await rawOf(id)).unfolded).toEqual(expect.arrayContaining(header.unfolded.slice(-1)));
    expect(headerOf(await rawOf(id)).fieldOf("X-Order")).toBe("1042");
  });

  test("Words outside ASCII are encoded, and the address of a list stays readable.", async () => {
    const headers = {
      "X-Note": "Grüße aus 東京 🐟, bis bald",
      "List-Id": "Wöchentliche Post <post.shop.example>",
      "X-Looks": "=?utf-8?Q?x?= and  two blanks",
      Keywords: "é".repeat(998),
    };
    const id = await send({ subject: "Encoded headers", headers });
    const raw = await leftWith("Encoded headers");
    const header = headerOf(raw);
    expect(header.lines.filter((line) => !/^[\x20-\x7e\t]*$/.test(line) || line.length > 998)).toEqual([]);
    expect(header.lines.filter((line) => line.trim() === "")).toEqual([]);
    expect(header.fieldOf("List-Id")).toMatch(/^=\?UTF-8\?Q\?.*\?= Post <post\.shop\.example>$/);
    for (const [name, value] of Object.entries(headers))
      expect([name, await decoded(raw, name)]).toEqual([name, [value]]);
    expect(await shown(id)).toEqual(headers);
  });

  test("A long value is folded between its words, and none is lost.", async () => {
    const value = Array.from({ length: 90 }, (_, n) => `word-${n}`).join(" ");
    await send({ subject: "Folded headers", headers: { "X-Long": value, "X-Word": "w".repeat(900) } });
    const header = headerOf(await leftWith("Folded headers"));
    expect(Math.max(...header.lines.map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(header.lines.filter((line) => /^ word-\d/.test(line)).length).toBeGreaterThan(3);
    expect([header.fieldOf("X-Long"), header.fieldOf("X-Word")]).toEqual([value, "w".repeat(900)]);
  });

  test("Every attempt has them.", async () => {
    sink.faults.data = { code: 451, text: "4.3.0 Try later" };
    const id = await send({ subject: "Tried again", headers: { "X-Try": "each" } });
    await eventually(async () => expect((await read(id)).error).toContain("451"));
    sink.faults.data = undefined;
    clock.advance(RETRY_MS);
    service.system.signals.raise("outbound");
    expect(headerOf(await leftWith("Tried again")).fieldOf("X-Try")).toBe("each");
  });

  test("Of sends that arrive together, each has its own.", async () => {
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    const ids = await Promise.all(
      numbers.map((n) => send({ subject: `Together ${n}`, ...(n % 2 === 0 && { headers: { "X-Number": `${n}` } }) })),
    );
    const all = await Promise.all(ids.map(shown));
    expect(all).toEqual(numbers.map((n) => (n % 2 === 0 ? { "X-Number": `${n}` } : {})));
    for (const n of numbers)
      expect(headerOf(await leftWith(`Together ${n}`)).fieldOf("X-Number")).toBe(n % 2 === 0 ? `${n}` : undefined);
  });

  test("A reply has them; a scheduled message too.", async () => {
    const asked = await send({ subject: "Question" });
    const headers = { "X-Ticket": "7" };
    const reply = await post({ to: undefined, headers }, `/v1/messages/${asked}/reply`);
    expect([reply.status, await shown(reply.body.id)]).toEqual([202, headers]);
    expect(headerOf(await leftWith("Re: Question")).fieldOf("X-Ticket")).toBe("7");
    const send_at = new Date(clock.now().getTime() + RETRY_MS).toISOString();
    await send({ subject: "Later", send_at, headers });
    clock.advance(2 * RETRY_MS);
    expect(headerOf(await leftWith("Later")).fieldOf("X-Ticket")).toBe("7");
  });

  test("They belong to what an idempotency key names.", async () => {
    const json = { idempotency_key: "own-headers", subject: "Once", headers: { "X-A": "1" } };
    const [first, again] = [await post(json), await post(json)];
    expect(again.body.id).toBe(first.body.id);
    const other = await post({ ...json, headers: { "X-A": "2" } });
    expect([other.status, other.body.error?.code]).toEqual([409, "idempotency_conflict"]);
  });

  test("A received message has the headers that it arrived with, and the sender's among them.", async () => {
    const local = await startTestService();
    const there = api(local);
    const { agentKey } = await local.newOrganization();
    const [from, to] = [await there.createInbox(agentKey), await there.createInbox(agentKey)];
    const json = { to: to.address, text: "x", headers: { "X-Note": "Zoë", "Auto-Submitted": "auto-generated" } };
    expect((await there.post(inboxPath(from.address, "/send"), json, { key: agentKey })).status).toBe(202);
    const arrived = await eventually(async () => {
      const { body } = await there.get<Page<{ id: string; status: string; kind: string }>>(
        inboxPath(to.address, "/messages"),
        { key: agentKey },
      );
      expect(body.data[0]?.status).toBe("parsed");
      return body.data[0];
    });
    expect(arrived?.kind).toBe("automatic");
    const { headers } = (await there.get<Message>(`/v1/messages/${arrived?.id}`, { key: agentKey })).body;
    expect(decodeWords(headers.find(({ name }) => name === "X-Note")?.value ?? "")).toBe("Zoë");
    await there.close();
    await local.stop();
  });
});

describe("headers that are refused", () => {
  const REFUSED: [string, RegExp][] = [
    ["From", /the mailbox is the sender/],
    ["to", /use the field `to`/],
    ["BCC", /use the field `bcc`/],
    ["Reply-To", /use the field `reply_to`/],
    ["In-Reply-To", /use the field `in_reply_to`/],
    ["References", /follows from the message/],
    ["Sender", /mail servers on the way/],
    ["Date", /mail servers on the way/],
    ["Message-ID", /mail servers on the way/],
    ["DKIM-Signature", /mail servers on the way/],
    ["Received", /mail servers on the way/],
    ["Return-Path", /mail servers on the way/],
    ["Return-Receipt-To", /mail servers on the way/],
    ["Resent-Bcc", /mail servers on the way/],
    ["MIME-Version", /mail servers on the way/],
    ["Content-Type", /mail servers on the way/],
    ["content-transfer-encoding", /mail servers on the way/],
    ["ARC-Seal", /mail servers on the way/],
    ["Disposition-Notification-To", /the headers that can be set are X-…/],
    ["Apparently-To", /the headers that can be set are X-…/],
    ["X-SMTPAPI", /mail services take orders/],
    ["x-ses-configuration-set", /mail services take orders/],
    ["X-Mailgun-Variables", /mail services take orders/],
    ["X-PM-Metadata-a", /mail services take orders/],
    ["X-MC-Template", /mail services take orders/],
    ["X-MSYS-API", /mail services take orders/],
    ["X-Mailjet-Campaign", /mail services take orders/],
    ["X-MJ-CustomID", /mail services take orders/],
    ["X-Mailin-Tag", /mail services take orders/],
    ["X-Resend-Id", /mail services take orders/],
    ["X-Spam-Status", /spam filters/],
    ["X-Spam", /spam filters/],
    ["X-", /the headers that can be set are X-…/],
    ["", /begins with a letter/],
    ["X Note", /begins with a letter/],
    ["X-Note:", /begins with a letter/],
    ["X-Note\r\nBcc", /begins with a letter/],
    ["X-Größe", /begins with a letter/],
    ["1-X", /begins with a letter/],
    [`X-${"a".repeat(75)}`, /1 to 76/],
  ];

  test.each(REFUSED)("The header %j is refused, with the reason.", async (name, reason) => {
    const { status, body } = await post({ headers: { [name]: "1" } });
    expect([status, body.error?.code]).toEqual([400, "invalid_request"]);
    expect(body.error?.issues?.[0]).toMatchObject({
      path: expect.stringMatching(/^headers/),
      message: expect.stringMatching(reason),
    });
  });

  test("Values are one line of 1 to 998 characters.", async () => {
    const values = [
      "",
      "   ",
      "a\r\nBcc: eve@evil.example",
      "a\nb",
      "a\0b",
      "a\tb",
      "\u0085",
      "\ud800",
      "x".repeat(999),
      1,
      null,
      ["a"],
    ];
    for (const value of values)
      expect([value, (await post({ headers: { "X-A": value } })).status]).toEqual([value, 400]);
    for (const value of ["x".repeat(998), " kept without blanks around it "])
      expect((await shown(await send({ headers: { "X-A": value } })))["X-A"]).toBe(value.trim());
  });

  test("There are at most 20, each once whatever its case, of 8 KiB in all.", async () => {
    const some = (count: number, value = "1") =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${String(n).padStart(2, "0")}`, value]));
    expect((await post({ headers: some(20) })).status).toBe(202);
    const refusals: [object, RegExp][] = [
      [some(21), /at most 20/],
      [{ "X-A": "1", "x-a": "2" }, /upper and lower case/],
      [some(9, "x".repeat(907)), /8192 bytes/],
      [some(5, "é".repeat(900)), /8192 bytes/],
      [["X-A: 1"], /./],
      ["X-A: 1" as never, /./],
    ];
    for (const [headers, message] of refusals) {
      const { status, body } = await post({ headers });
      expect([status, body.error?.message]).toEqual([400, expect.stringMatching(message)]);
    }
    expect((await post({ headers: some(9, "x".repeat(906)) })).status).toBe(202);
  });

  test("`list_unsubscribe` writes its headers alone.", async () => {
    for (const name of ["List-Unsubscribe", "list-unsubscribe-post"]) {
      const { status, body } = await post({ list_unsubscribe: true, headers: { [name]: "<https://shop.example/u>" } });
      expect([status, body.error?.message]).toEqual([400, expect.stringMatching(/list_unsubscribe/)]);
    }
    const headers = {
      "List-Unsubscribe": "<https://shop.example/u>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    };
    await send({ subject: "Own unsubscribe", headers });
    expect(headerOf(await leftWith("Own unsubscribe")).fieldOf("List-Unsubscribe")).toBe("<https://shop.example/u>");
    await send({ subject: "Ours and List-Id", list_unsubscribe: true, headers: { "List-Id": "<a.shop.example>" } });
    expect(headerOf(await leftWith("Ours and List-Id")).fieldOf("List-Unsubscribe")).toMatch(/^<http/);
  });

  test("A dry run and a reply refuse the same, and a forward has none.", async () => {
    const dry = await post({ headers: { Bcc: TO } }, `${SEND}?dry_run=true`);
    expect([dry.status, dry.body.error?.issues?.[0]?.path]).toEqual([400, "headers.Bcc"]);
    const fine = await client.post(`${SEND}?dry_run=true`, { to: TO, text: "x", headers: { "X-A": "1" } }, { key });
    expect(fine.body).toMatchObject({ would_send: true });
    const both = await post(
      { list_unsubscribe: true, headers: { "List-Unsubscribe": "<a:b>" } },
      `${SEND}?dry_run=true`,
    );
    expect(both.status).toBe(400);
    const id = await send({ subject: "For a forward" });
    const reply = await post({ to: undefined, headers: { Bcc: TO } }, `/v1/messages/${id}/reply`);
    expect([reply.status, reply.body.error?.issues?.[0]?.path]).toEqual([400, "headers.Bcc"]);
    expect((await post({ headers: { "X-A": "1" } }, `/v1/messages/${id}/forward`)).status).toBe(400);
  });

  test("Mail that says that it is automatic counts against the cap.", async () => {
    const used = async () => (await client.get<{ used: number }>(inboxPath(address, "/send-limit"), { key })).body.used;
    const before = await used();
    await send({ headers: { "Auto-Submitted": "auto-generated", Precedence: "bulk" } });
    expect(await used()).toBe(before + 1);
  });
});
