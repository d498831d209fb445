// POST /v1/inboxes/{addr}/import: mail of another service, kept as it was, without any effect of mail that arrives.
import { afterAll, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { ownMessageId } from "#server/recipients/limits/correspondents.ts";
import { api, type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ STORAGE_QUOTA_PER_INBOX: "200000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Imported = { id: string; thread_id: string; received_at: string; repeated: boolean };
type Message = {
  id: string;
  thread_id: string;
  status: string;
  imported?: true;
  read: boolean;
  received_at: string;
  text: string | null;
  delivered_to: string | null;
  authentication: Record<string, unknown> | null;
  spam: unknown;
  security: { first_contact: boolean } | null;
};

type Fields = { id?: string; subject?: string; date?: string; from?: string; headers?: string[]; text?: string };
function mailOf(given: Fields = {}): string {
  const { id = "a1@old.example", subject = "Lunch", date = "Tue, 5 Mar 2019 10:00:00 +0100", headers = [] } = given;
  const { from = "Ann <ann@shop.example>", text = "At noon?" } = given;
  const all = [`From: ${from}`, "To: desk@old.example", `Subject: ${subject}`, `Date: ${date}`, ...headers];
  return [...all, `Message-ID: <${id}>`, "", text, ""].join("\r\n");
}

async function newMailbox() {
  const organization = await service.newOrganization();
  const { address } = await client.createInbox(organization.agentKey);
  const importMail = (body: string | Buffer, { by = organization.agentKey, query = "", to = address } = {}) =>
    client.call<Imported & Failure>("POST", `${inboxPath(to, "/import")}${query}`, {
      key: by,
      body,
      headers: { "content-type": "message/rfc822" },
    });
  const parsed = (id: string) =>
    eventually(async () => {
      const { body } = await client.get<Message>(`/v1/messages/${id}`, { key: organization.agentKey });
      expect(body.status).toBe("parsed");
      return body;
    });
  return { ...organization, key: organization.agentKey, address, importMail, parsed };
}

test("imported mail keeps its date, its octets and its text, and is marked", async () => {
  const box = await newMailbox();
  const raw = mailOf();
  const { status, body } = await box.importMail(raw);
  expect([status, body.repeated, body.received_at]).toEqual([200, false, "2019-03-05T09:00:00.000Z"]);
  const message = await box.parsed(body.id);
  expect(message).toMatchObject({ imported: true, read: true, received_at: body.received_at, delivered_to: null });
  expect(message.text?.trim()).toBe("At noon?");
  const none = { spf: "none", dkim: "none", dmarc: "none", arc: "none", aligned_from: false };
  expect([message.authentication, message.spam]).toEqual([none, null]);
  const stored = await client.call("GET", `/v1/messages/${body.id}/raw`, { key: box.key });
  expect(stored.text).toBe(raw);
  const list = await client.get<Page<Message>>(inboxPath(box.address, "/messages"), { key: box.key });
  expect(list.body.data).toMatchObject([{ id: body.id, imported: true }]);
});

test("the time of arrival counts before Date, and times outside 1990 to now do not", async () => {
  const box = await newMailbox();
  const hop = "Received: from a by b; Wed, 6 Mar 2019 08:00:00 +0000 (UTC)";
  const times = [
    [mailOf({ headers: [hop] }), /^2019-03-06T08:00/],
    [mailOf({ date: "Mon, 1 Jan 2120 00:00:00 +0000", headers: [hop] }), /^2019-03-06T08:00/],
    [mailOf({ date: "Mon, 1 Jan 2120 00:00:00 +0000" }), /^20[2-9]/],
    [mailOf({ date: "Mon, 1 Jan 1980 00:00:00 +0000" }), /^20[2-9]/],
    [mailOf({ date: "yesterday" }), /^20[2-9]/],
  ] as const;
  for (const [raw, expected] of times) {
    const { body } = await box.importMail(raw);
    expect(body.received_at).toMatch(expected);
    expect(Date.parse(body.received_at)).toBeLessThanOrEqual(Date.now());
  }
});

test("the same octets are stored once in a mailbox, also when they arrive together", async () => {
  const box = await newMailbox();
  const answers = await Promise.all(Array.from({ length: 5 }, () => box.importMail(mailOf())));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(answers.filter(({ body }) => !body.repeated)).toHaveLength(1);
  const storage = await client.get<{ used_bytes: number }>(inboxPath(box.address, "/storage"), { key: box.key });
  expect(storage.body.used_bytes).toBe(4_096);
  const other = await newMailbox();
  expect((await other.importMail(mailOf())).body.id).not.toBe(answers[0]?.body.id);
});

test("a conversation is one thread in whatever order its mails are imported", async () => {
  const box = await newMailbox();
  const refs = ["In-Reply-To: <t1@old.example>", "References: <t1@old.example>"];
  const later = ["In-Reply-To: <t2@old.example>", "References: <t1@old.example> <t2@old.example>"];
  const mails = [
    mailOf({ id: "t3@old.example", headers: later, date: "Thu, 7 Mar 2019 10:00:00 +0000" }),
    mailOf({ id: "t1@old.example" }),
    mailOf({ id: "t2@old.example", headers: refs, date: "Wed, 6 Mar 2019 10:00:00 +0000" }),
  ];
  const threads = new Set<string>();
  for (const raw of mails) threads.add((await box.importMail(raw)).body.thread_id);
  expect(threads.size).toBe(1);
  const [thread = ""] = threads;
  const found = await client.get<{ messages: Message[] }>(`/v1/threads/${thread}`, { key: box.key });
  expect(found.body.messages.map(({ received_at }) => received_at.slice(0, 10))).toEqual([
    "2019-03-05",
    "2019-03-06",
    "2019-03-07",
  ]);
});

test("mail that answers imported mail joins its thread", async () => {
  const box = await newMailbox();
  const { body } = await box.importMail(mailOf({ id: "joined@old.example" }));
  await service.mail({
    from: "ann@shop.example",
    to: box.address,
    subject: "Re: Lunch",
    headers: { "In-Reply-To": "<joined@old.example>" },
  });
  await eventually(async () => {
    const thread = await client.get<{ messages: Message[] }>(`/v1/threads/${body.thread_id}`, { key: box.key });
    expect(thread.body.messages).toHaveLength(2);
  });
});

test("an import is no event, no first contact, no correspondent, and ends no wait", async () => {
  const box = await newMailbox();
  const waiting = client.post<{ timed_out: boolean }>(
    inboxPath(box.address, "/wait"),
    { timeout_seconds: 1, after: "2000-01-01T00:00:00Z" },
    { key: box.key },
  );
  const { body } = await box.importMail(mailOf({ from: "ann@known.example" }));
  await box.parsed(body.id);
  expect((await waiting).body.timed_out).toBe(true);
  const events = await client.get<Page<{ event: string }>>("/v1/events", { key: box.key });
  expect(events.body.data.filter(({ event }) => event.startsWith("message."))).toEqual([]);
  await service.mail({ from: "ann@known.example", to: box.address, subject: "Now", text: "Hello" });
  const first = await eventually(async () => {
    const list = await client.get<Page<Message>>(`${inboxPath(box.address, "/messages")}?subject=Now`, {
      key: box.key,
    });
    expect(list.body.data).toHaveLength(1);
    return list.body.data[0]?.id ?? "";
  });
  const arrived = await box.parsed(first);
  expect([arrived.security?.first_contact, arrived.imported]).toEqual([true, undefined]);
  const limit = await client.get<{ used: number }>(inboxPath(box.address, "/send-limit"), { key: box.key });
  expect(limit.body.used).toBe(0);
});

test("a reply that imported mail quotes by our Message-ID unlocks no recipient", async () => {
  const box = await newMailbox();
  const to = "friend@away.example";
  const send = (subject: string) =>
    client.post<{ id: string }>(inboxPath(box.address, "/send"), { to, subject, text: "x" }, { key: box.key });
  const sent = await send("One");
  const [row] = await service.system.sql<
    { domain: string }[]
  >`select domain from inboxes where address = ${box.address}`;
  const id = ownMessageId(service.system.secrets, decodeId("msg", sent.body.id) ?? "", row?.domain ?? "");
  const { body } = await box.importMail(mailOf({ from: to, headers: [`In-Reply-To: <${id}>`] }));
  await box.parsed(body.id);
  await send("Two");
  const limit = await client.get<{ used: number }>(inboxPath(box.address, "/send-limit"), { key: box.key });
  expect(limit.body.used).toBe(2);
});

test("what is no mail, is too large or exceeds the storage is refused", async () => {
  const box = await newMailbox();
  expect((await box.importMail("")).body.error.code).toBe("invalid_request");
  expect((await box.importMail("\r\nno header")).body.error.code).toBe("invalid_request");
  const large = await box.importMail(mailOf({ text: "x".repeat(250_000) }));
  expect([large.status, large.body.error.code]).toEqual([409, "storage_quota_exceeded"]);
  const huge = await box.importMail(Buffer.alloc(26_214_401, "a"));
  expect([huge.status, huge.body.error.code]).toEqual([413, "payload_too_large"]);
  const list = await client.get<Page<Message>>(inboxPath(box.address, "/messages"), { key: box.key });
  expect(list.body.data).toEqual([]);
});

test("an organization imports at its own rate", async () => {
  const box = await newMailbox();
  const { importRates } = service.system;
  await box.importMail(mailOf());
  for (const bucket of importRates.values()) bucket.tokens = -100;
  const refused = await box.importMail(mailOf({ id: "b@old.example" }));
  expect([refused.status, refused.body.error.code, refused.headers["retry-after"]]).toEqual([429, "rate_limited", "1"]);
  const other = await newMailbox();
  expect((await other.importMail(mailOf())).status).toBe(200);
});

test("it needs the scope mailbox:import, and a mailbox of the organization", async () => {
  const box = await newMailbox();
  const narrow = await service.newAgentKey(box.enrollmentKeyId, { scopes: ["mailbox:read", "mailbox:send"] });
  expect((await box.importMail(mailOf(), { by: narrow.key })).body.error.code).toBe("insufficient_scope");
  const other = await newMailbox();
  const [foreign, unknown] = [
    await box.importMail(mailOf(), { to: other.address }),
    await box.importMail(mailOf(), { to: "nobody-here@mail.example" }),
  ];
  expect([foreign.status, foreign.body.error.message]).toEqual([404, unknown.body.error.message]);
});

test("an undo of the key moves what it imported to the trash", async () => {
  const box = await newMailbox();
  const issued = { scopes: ["mailbox:import"], name: "importer" };
  const { body: importer } = await client.post<{ id: string; key: string }>("/v1/keys", issued, { key: box.key });
  const since = new Date(Date.now() - 60_000).toISOString();
  const { body } = await box.importMail(mailOf(), { by: importer.key });
  const undone = await client.post<{ not_undone: object[] }>(
    `/v1/keys/${importer.id}/undo`,
    { since },
    { key: box.key },
  );
  expect([undone.status, undone.body.not_undone]).toEqual([200, []]);
  const trash = await client.get<Page<Message>>("/v1/trash", { key: box.key });
  expect(trash.body.data).toMatchObject([{ id: body.id }]);
  expect((await box.importMail(mailOf())).body.repeated).toBe(false);
});
