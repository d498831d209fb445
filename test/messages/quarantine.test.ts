// Quarantine of spam: what it is left out of, what asks for it, and what "not spam" does.
import { afterAll, beforeAll, expect, test } from "vitest";
import { pruneMessages } from "#server/messages/retention/prune.ts";
import { reportUnanswered } from "#server/sending/expected-replies.ts";
import { api, type Failure, inboxPath, type Page, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner, type Person } from "#test/support/team.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";

// Authenticated by SPF, when the mail comes from this machine.
const zone = { "proven.test": { TXT: [["v=spf1 ip4:127.0.0.1 -all"]] } };
const service = await startTestService({}, { zone });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = {
  id: string;
  thread_id: string;
  subject: string;
  quarantined: boolean;
  spam: { verdict: string };
  spam_verdict: string;
};
type Thread = { id: string; message_count: number; messages: Message[] };
type Waited = { timed_out: boolean; message: Message | null };

let organizationId = "";
let key = "";
let owner: Person;
beforeAll(async () => {
  const made = await service.newOrganization();
  organizationId = made.organizationId;
  key = made.agentKey;
  owner = await newOwner(service, organizationId);
});

const HOUR_MS = 3_600_000;
const PAST = "2020-01-01T00:00:00Z";
let made = 0;
async function newBox(policy?: "mark" | "quarantine") {
  made += 1;
  const { address } = await client.createInbox(key, { username: `box${made}` });
  if (policy) await owner.trpc.messages.setSpamPolicy.mutate({ inbox: address, policy });
  return address;
}

const spamBody =
  '<p>Verify your account within 24 hours: <a href="http://203.0.113.4/x">www.paypal.com</a></p><p>Claim your prize</p>';
/** A mail that is spam from any sender that the mailbox did not answer. */
const spamRaw = (from: string, subject: string, more = "") =>
  `From: "PayPal" <${from}>\r\n${more}Subject: ${subject}\r\nMessage-ID: <${subject}@x.example>\r\nContent-Type: text/html\r\n\r\n${spamBody}\r\n`;
const sendSpam = (to: string, subject: string, { from = "a@fraud.test", more = "" } = {}) =>
  service.mail({ from, to, raw: spamRaw(from, subject, more) });
const list = async (address: string, query = "") =>
  (await client.get<Page<Message>>(inboxPath(address, `/messages${query}`), { key })).body.data;
const quarantined = async (address: string) => (await list(address, "?quarantined=true")).map(({ subject }) => subject);
const wait = async (address: string, more: object = {}) =>
  (await client.post<Waited>(inboxPath(address, "/wait"), { after: PAST, timeout_seconds: 0, ...more }, { key })).body;

test("spam is left out of lists, search, threads, waits, events and unread counts, and counts as stored", async () => {
  const address = await newBox("quarantine");
  const before = (await client.get<{ data: object[] }>("/v1/events?limit=100", { key })).body.data.length;
  await sendSpam(address, "spam1");
  await expect.poll(() => quarantined(address)).toEqual(["spam1"]);
  expect(await list(address)).toEqual([]);
  expect(await list(address, "?q=prize")).toEqual([]);
  expect((await client.get<Page<Thread>>(inboxPath(address, "/threads"), { key })).body.data).toEqual([]);
  expect(await wait(address)).toMatchObject({ timed_out: true, message: null });
  expect((await client.get<{ data: object[] }>("/v1/events?limit=100", { key })).body.data.length).toBe(before);
  const [summary] = (await owner.trpc.inboxes.summaries.query({ addr: address })).data;
  expect(summary).toMatchObject({ unread: 0, last_message: null });
  const [held] = await list(address, "?include_spam=true&q=prize");
  expect(held).toMatchObject({ subject: "spam1", quarantined: true, spam_verdict: "spam" });
  expect((await client.get<Message>(`/v1/messages/${held?.id}`, { key })).body.quarantined).toBe(true);
  const { used_bytes } = (await client.get<{ used_bytes: number }>(inboxPath(address, "/storage"), { key })).body;
  expect(used_bytes).toBeGreaterThan(0);
});

test("other mail of such a mailbox is delivered after its verdict, to the webhooks that ask for it", async () => {
  const address = await newBox("quarantine");
  const hook = async (to: string) =>
    (
      await client.post<Webhook>(
        "/v1/webhooks",
        { url: "http://127.0.0.1:9/x", events: ["message.received"], address, filter: { to } },
        { key },
      )
    ).body.id;
  const [asked, other] = [await hook(address), await hook("+other@")];
  await service.mail({ from: "a@shop.example", to: address, subject: "plain", text: "hello" });
  const { message } = await wait(address, { timeout_seconds: 30 });
  expect(message).toMatchObject({ subject: "plain", quarantined: false });
  const count = async (id: string) =>
    (await client.get<Page<object>>(`/v1/webhooks/${id}/deliveries`, { key })).body.data.length;
  expect([await count(asked), await count(other)]).toEqual([1, 0]);
  const { data } = (await client.get<Page<Thread>>(inboxPath(address, "/threads"), { key })).body;
  expect(data).toMatchObject([{ id: message?.thread_id, message_count: 1 }]);
});

test("a mailbox with `mark` gets spam as other mail, and its own policy decides before that of the organization", async () => {
  const marked = await newBox("mark");
  const following = await newBox();
  await owner.trpc.messages.setSpamPolicy.mutate({ policy: "quarantine" });
  try {
    expect(await owner.trpc.messages.spamPolicy.query({ inbox: marked })).toEqual({
      own: "mark",
      organization: "quarantine",
    });
    await sendSpam(marked, "marked");
    await sendSpam(following, "following");
    expect(await wait(marked, { timeout_seconds: 30 })).toMatchObject({ message: { quarantined: false } });
    await expect.poll(() => quarantined(following)).toEqual(["following"]);
  } finally {
    await owner.trpc.messages.setSpamPolicy.mutate({ policy: "mark" });
  }
});

test("not spam delivers the message with its event, once, and trusts an authenticated sender", async () => {
  const address = await newBox("quarantine");
  await sendSpam(address, "first", { from: "a@proven.test" });
  await expect.poll(() => quarantined(address)).toEqual(["first"]);
  const [held] = await list(address, "?include_spam=true");
  const path = `/v1/messages/${held?.id}/not-spam`;
  const refused = await client.post<Failure>(`/v1/messages/${held?.id}/reply`, { text: "x" }, { key });
  expect(refused.body.error.code).toBe("reply_refused");
  const answers = await Promise.all([client.post<Message>(path, {}, { key }), client.post<Message>(path, {}, { key })]);
  expect(answers.map(({ status, body }) => [status, body.quarantined, body.spam.verdict])).toEqual(
    Array(2).fill([200, false, "ham"]),
  );
  expect((await list(address)).map(({ subject }) => subject)).toEqual(["first"]);
  expect(await wait(address)).toMatchObject({ message: { id: held?.id } });
  const events = (await client.get<{ data: { body?: unknown }[] }>(`/v1/events?inbox=${address}&limit=100`, { key }))
    .body;
  expect(events.data.length).toBe(1);
  const thread = (await client.get<Thread>(`/v1/threads/${held?.thread_id}`, { key })).body;
  expect(thread.messages.map(({ id }) => id)).toEqual([held?.id]);
  const listed = await client.get<Page<{ entry: string }>>(`/v1/lists/receive/trusted?inbox=${address}`, { key });
  expect(listed.body.data.map(({ entry }) => entry)).toEqual(["a@proven.test"]);
  // A forged mail of the sender is not trusted, and mail of others is not refused.
  await sendSpam(address, "second", { from: "a@proven.test" });
  await service.mail({ from: "b@else.example", to: address, subject: "third", text: "x" });
  await expect
    .poll(async () => (await list(address)).map(({ subject }) => subject).sort())
    .toEqual(["first", "second", "third"]);
  await service.mail({ from: "x@fraud.test", to: address, raw: spamRaw("a@proven.test", "forged") });
  await expect.poll(() => quarantined(address)).toEqual(["forged"]);
});

test("an unauthenticated sender is not trusted by `not spam`", async () => {
  const address = await newBox("quarantine");
  await sendSpam(address, "unproven");
  await expect.poll(() => quarantined(address)).toEqual(["unproven"]);
  const [held] = await list(address, "?include_spam=true");
  await owner.trpc.messages.notSpam.mutate({ id: held?.id ?? "" });
  const listed = await client.get<Page<object>>(`/v1/lists/receive/trusted?inbox=${address}`, { key });
  expect(listed.body.data).toEqual([]);
  await sendSpam(address, "again");
  await expect.poll(() => quarantined(address)).toEqual(["again"]);
});

test("not spam delivers mail of a sender that no list can have", async () => {
  const address = await newBox("quarantine");
  const from = `${"a".repeat(244)}@proven.test`;
  await service.mail({ from: "a@proven.test", to: address, raw: spamRaw(from, "long") });
  await expect.poll(() => quarantined(address)).toEqual(["long"]);
  const [held] = await list(address, "?include_spam=true");
  const { status } = await client.post(`/v1/messages/${held?.id}/not-spam`, {}, { key });
  expect(status).toBe(200);
  expect((await list(address)).map(({ subject }) => subject)).toEqual(["long"]);
});

test("spam in a thread does not count for it, and a deletion of the other messages leaves it in quarantine", async () => {
  const address = await newBox("quarantine");
  const raw = "From: a@shop.example\r\nSubject: root\r\nMessage-ID: <root@shop.example>\r\n\r\nhello\r\n";
  await service.mail({ from: "a@shop.example", to: address, raw });
  const { message } = await wait(address, { timeout_seconds: 30 });
  await sendSpam(address, "reply", { more: "In-Reply-To: <root@shop.example>\r\n" });
  await expect.poll(() => quarantined(address)).toEqual(["reply"]);
  const read = async (query = "") =>
    (await client.get<Thread>(`/v1/threads/${message?.thread_id}${query}`, { key })).body;
  expect(await read()).toMatchObject({ message_count: 1, messages: [{ subject: "root" }] });
  expect((await read("?include_spam=true")).messages.map(({ subject }) => subject)).toEqual(["root", "reply"]);
  await client.delete(`/v1/messages/${message?.id}`, { key });
  expect((await client.get<Failure>(`/v1/threads/${message?.thread_id}`, { key })).status).toBe(404);
  expect(await quarantined(address)).toEqual(["reply"]);
});

test("an authenticated answer to the mailbox is delivered whatever it says, a forged one is not", async () => {
  const address = await newBox("quarantine");
  const sent = await client.post<{ id: string }>(
    inboxPath(address, "/send"),
    { to: "a@proven.test", subject: "question", text: "x" },
    { key },
  );
  const own = (await client.get<{ rfc_message_id: string }>(`/v1/messages/${sent.body.id}`, { key })).body;
  const more = `In-Reply-To: <${own.rfc_message_id}>\r\n`;
  await sendSpam(address, "answer", { from: "a@proven.test", more });
  await sendSpam(address, "other", { from: "b@proven.test", more });
  await service.mail({ from: "x@fraud.test", to: address, raw: spamRaw("a@proven.test", "forged", more) });
  await expect.poll(async () => (await quarantined(address)).sort()).toEqual(["forged", "other"]);
  expect((await list(address, "?direction=inbound")).map(({ subject }) => subject)).toEqual(["answer"]);
});

test("spam with the Message-ID of a sent message takes neither its answers nor its place", async () => {
  const address = await newBox("quarantine");
  const question = { to: "a@proven.test", subject: "question", text: "x" };
  const sent = (await client.post<Message>(inboxPath(address, "/send"), question, { key })).body;
  const { rfc_message_id: id } = (await client.get<{ rfc_message_id: string }>(`/v1/messages/${sent.id}`, { key }))
    .body;
  const copy = spamRaw("b@fraud.test", "copy").replace("<copy@x.example>", `<${id}>`);
  await service.mail({ from: "b@fraud.test", to: address, raw: copy });
  await expect.poll(() => quarantined(address)).toEqual(["copy"]);
  await sendSpam(address, "answer", { from: "a@proven.test", more: `In-Reply-To: <${id}>\r\n` });
  expect(await wait(address, { timeout_seconds: 30 })).toMatchObject({
    message: { subject: "answer", thread_id: sent.thread_id },
  });
  const more = { ...question, in_reply_to: `<${id}>` };
  const { body } = await client.post<Message>(inboxPath(address, "/send"), more, { key });
  expect(body.thread_id).toBe(sent.thread_id);
  // Of a mail that the mailbox got only as spam, it has the Message-ID alone.
  await sendSpam(address, "unknown");
  await expect.poll(async () => (await quarantined(address)).length).toBe(2);
  const answer = { ...question, in_reply_to: "<unknown@x.example>" };
  expect((await client.post<Message>(inboxPath(address, "/send"), answer, { key })).status).toBe(202);
});

test("spam is no reply that a message expects", async () => {
  const address = await newBox("quarantine");
  const reply_by = new Date(Date.now() + HOUR_MS).toISOString();
  const mail = { to: "a@proven.test", subject: "question", text: "x", reply_by };
  const { id } = (await client.post<{ id: string }>(inboxPath(address, "/send"), mail, { key })).body;
  const own = (await client.get<{ rfc_message_id: string }>(`/v1/messages/${id}`, { key })).body;
  await sendSpam(address, "no-reply", { more: `In-Reply-To: <${own.rfc_message_id}>\r\n` });
  await expect.poll(() => quarantined(address)).toEqual(["no-reply"]);
  const later = new Date(Date.now() + 2 * HOUR_MS);
  await reportUnanswered({ ...service.system, now: () => later });
  const { data } = (await client.get<{ data: object[] }>("/v1/events?events=message.unanswered", { key })).body;
  expect(JSON.stringify(data)).toContain("message.unanswered");
});

test("spam does not answer a verification, and the mail after it does", async () => {
  const { agentKey, organizationId: id } = await service.newOrganization();
  const other = await newOwner(service, id);
  await other.trpc.messages.setSpamPolicy.mutate({ policy: "quarantine" });
  const { body } = await client.post<{ address: string; wait_url: string }>("/v1/verifications", {}, { key: agentKey });
  const path = `${new URL(body.wait_url).pathname}?timeout_seconds=20`;
  const code = "<p>Your verification code is 111222</p>";
  const raw = spamRaw("a@fraud.test", "spam").replace("<p>Verify", `${code}<p>Verify`);
  await service.mail({ from: "a@fraud.test", to: body.address, raw });
  await expect
    .poll(
      async () => (await client.get<Page<object>>("/v1/messages?quarantined=true", { key: agentKey })).body.data.length,
    )
    .toBe(1);
  await service.mail({
    from: "a@shop.example",
    to: body.address,
    subject: "Code",
    text: "Your verification code is 482915",
  });
  expect((await client.get<{ otp: string }>(path)).body).toMatchObject({ otp: "482915" });
});

test("a deleted thread leaves its quarantined mail, which retention erases", async () => {
  const address = await newBox("quarantine");
  const raw = "From: a@shop.example\r\nSubject: kept\r\nMessage-ID: <kept@shop.example>\r\n\r\nhello\r\n";
  await service.mail({ from: "a@shop.example", to: address, raw });
  const { message } = await wait(address, { timeout_seconds: 30 });
  await sendSpam(address, "hidden", { more: "In-Reply-To: <kept@shop.example>\r\n" });
  await expect.poll(() => quarantined(address)).toEqual(["hidden"]);
  expect((await client.delete(`/v1/threads/${message?.thread_id}`, { key })).status).toBe(200);
  expect(await quarantined(address)).toEqual(["hidden"]);
  const { used_bytes: before } = (await client.get<{ used_bytes: number }>(inboxPath(address, "/storage"), { key }))
    .body;
  expect(
    await pruneMessages({ ...service.system, settings: { ...service.settings, RETENTION_DAYS_MESSAGES: 0 } }),
  ).toBeGreaterThan(0);
  expect(await quarantined(address)).toEqual([]);
  const { used_bytes: after } = (await client.get<{ used_bytes: number }>(inboxPath(address, "/storage"), { key }))
    .body;
  expect(after).toBeLessThan(before);
});

test("quarantined mail can be deleted, and a restore returns it to quarantine without an event", async () => {
  const address = await newBox("quarantine");
  await sendSpam(address, "deleted");
  await expect.poll(() => quarantined(address)).toEqual(["deleted"]);
  const [held] = await list(address, "?include_spam=true");
  const restored = async () =>
    (await client.get<{ data: object[] }>("/v1/events?events=message.restored", { key })).body.data;
  expect((await client.delete(`/v1/messages/${held?.id}`, { key })).status).toBe(200);
  expect(await quarantined(address)).toEqual([]);
  expect((await client.post(`/v1/messages/${held?.id}/restore`, {}, { key })).status).toBe(200);
  expect(await quarantined(address)).toEqual(["deleted"]);
  expect((await client.get<Page<Thread>>(inboxPath(address, "/threads"), { key })).body.data).toEqual([]);
  expect(await restored()).toEqual([]);
});

test("an undo returns a message to quarantine, and says what was delivered", async () => {
  const address = await newBox("quarantine");
  await sendSpam(address, "undone", { from: "b@proven.test" });
  await expect.poll(() => quarantined(address)).toEqual(["undone"]);
  const [held] = await list(address, "?include_spam=true");
  const agent = await service.newEnrollment(organizationId);
  const since = new Date(Date.now() - 1_000).toISOString();
  await client.post(`/v1/messages/${held?.id}/not-spam`, {}, { key: agent.agentKey });
  expect((await list(address)).map(({ subject }) => subject)).toEqual(["undone"]);
  const agents = (await owner.trpc.keys.agents.query({ id: agent.enrollmentKeyId })).data;
  const undone = await owner.trpc.keys.undo.mutate({ id: agents[0]?.keys[0]?.id ?? "", since });
  expect(undone.not_undone).toMatchObject([
    { kind: "message", id: held?.id, reason: "Its event and webhooks were delivered." },
  ]);
  expect(await quarantined(address)).toEqual(["undone"]);
  expect(await list(address)).toEqual([]);
  expect((await client.get<Message>(`/v1/messages/${held?.id}`, { key })).body.spam.verdict).toBe("spam");
  const listed = await client.get<Page<object>>(`/v1/lists/receive/trusted?inbox=${address}`, { key });
  expect(listed.body.data).toEqual([]);
  expect(await wait(address)).toMatchObject({ message: null });
});

test("after the undo, no delivery includes the message", async () => {
  const address = await newBox("quarantine");
  const receiver = await startReceiver();
  try {
    const hook = { url: receiver.url, events: ["message.received"], address, include: ["message"] };
    const { id } = (await client.post<Webhook>("/v1/webhooks", hook, { key })).body;
    await sendSpam(address, "shown");
    await expect.poll(() => quarantined(address)).toEqual(["shown"]);
    const [held] = await list(address, "?include_spam=true");
    const agent = await service.newEnrollment(organizationId);
    const since = new Date(Date.now() - 1_000).toISOString();
    await client.post(`/v1/messages/${held?.id}/not-spam`, {}, { key: agent.agentKey });
    await expect.poll(() => receiver.received.length).toBe(1);
    expect(receiver.received[0]?.body).toContain("Claim your prize");
    const agents = (await owner.trpc.keys.agents.query({ id: agent.enrollmentKeyId })).data;
    await owner.trpc.keys.undo.mutate({ id: agents[0]?.keys[0]?.id ?? "", since });
    const path = `/v1/webhooks/${id}/deliveries`;
    const [row] = (await client.get<Page<{ id: string }>>(path, { key })).body.data;
    await expect.poll(async () => (await client.post(`${path}/${row?.id}/redeliver`, {}, { key })).status).toBe(202);
    await expect.poll(() => receiver.received.length).toBe(2);
    expect(receiver.received[1]?.body).not.toContain("Claim your prize");
  } finally {
    await receiver.close();
  }
});

test("a key that reaches only its own inboxes reaches only their quarantine", async () => {
  const address = await newBox("quarantine");
  await sendSpam(address, "foreign");
  await expect.poll(() => quarantined(address)).toEqual(["foreign"]);
  const [held] = await list(address, "?include_spam=true");
  const { agentKey } = await service.newEnrollment(organizationId, { inboxAccess: "own" });
  const all = await client.get<Page<Message>>("/v1/messages?quarantined=true", { key: agentKey });
  expect(all.body.data).toEqual([]);
  const notSpam = (id: string | undefined) =>
    client.post<Failure>(`/v1/messages/${id}/not-spam`, {}, { key: agentKey });
  const [refused, unknown] = [await notSpam(held?.id), await notSpam("msg_00000000000000000000000000")];
  expect([refused.status, refused.body.error.code]).toEqual([404, "message_not_found"]);
  expect({ ...refused.body.error, request_id: "" }).toEqual({ ...unknown.body.error, request_id: "" });
  expect(await quarantined(address)).toEqual(["foreign"]);
});

test("only admins set the policy, and only keys with list:manage say that mail is not spam", async () => {
  const member = await newMember(service, owner, "member");
  await expect(member.trpc.messages.setSpamPolicy.mutate({ policy: "mark" })).rejects.toThrow();
  const reader = await service.newEnrollment(organizationId, { scopes: ["mailbox:read"] });
  const refused = await client.post<Failure>("/v1/messages/msg_x/not-spam", {}, { key: reader.agentKey });
  expect(refused.body.error.code).toBe("insufficient_scope");
});
