// Events over WebSocket: the package agentmail gets them, and no client gets more of the service than its key allows.
import { connect, type Socket } from "node:net";
import { type AgentMail, AgentMailClient } from "agentmail";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { encodeId } from "#server/base/ids.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const SLOTS = 8;
/** More than the turns of one key, with those that may wait. */
const QUERIES = 300;
const service = await startTestService({
  COMPAT_APIS: "agentmail",
  MAX_WAITS_PER_KEY: String(SLOTS),
  DATABASE_READ_TIMEOUT_SECONDS: "30",
});
afterAll(() => service.stop());

const PATH = "/compat/agentmail/v0";
const at = (query = "", { url } = service) => `${url.replace("http", "ws")}${PATH}${query}`;
const clientOf = (apiKey: string, url = service.url) =>
  new AgentMailClient({ apiKey, baseUrl: `${url}/compat/agentmail`, maxRetries: 0 });

const theirs = await service.newOrganization();
const foreign = await clientOf(theirs.agentKey).inboxes.create({ username: "foreign" });

/** An organization with two inboxes. */
async function withInboxes() {
  const organization = await service.newOrganization();
  const client = clientOf(organization.agentKey);
  const [first, second] = await Promise.all([client.inboxes.create(), client.inboxes.create()]);
  return { ...organization, key: organization.agentKey, client, first: first.inboxId, second: second.inboxId };
}

const mail = (to: string, subject: string) =>
  service.mail({ from: "ann@shop.example", to, subject, text: `About ${subject}` });

type Got = { type: string; eventType?: string; message?: AgentMail.Message; name?: string };

/** A socket of the package, subscribed. */
async function subscribe(client: AgentMailClient, wanted: Partial<AgentMail.Subscribe> = {}) {
  const socket = await client.websockets.connect({ reconnectAttempts: 0 });
  onTestFinished(() => socket.close());
  const got: Got[] = [];
  const closed = Promise.withResolvers<number>();
  socket.on("message", (message) => void got.push(message as Got));
  socket.on("close", ({ code }) => closed.resolve(code));
  const ask = async (more: Partial<AgentMail.Subscribe>) => {
    const answers = () => got.filter(({ type }) => type !== "event");
    const before = answers().length;
    socket.sendSubscribe({ type: "subscribe", ...more });
    return eventually(() => {
      const answer = answers()[before];
      if (!answer) throw new Error("no answer");
      return answer;
    });
  };
  const answer = await ask(wanted);
  const subjects = () => got.flatMap(({ message }) => (typeof message === "object" ? [message.subject] : []));
  return { got, answer, ask, subjects, closed: closed.promise };
}

/** A socket that breaks the rules. `closed`: the code that it closes with, or the status of the refusal. */
async function open(query: string, headers: Record<string, string> = {}, url = at(query)) {
  const ws = new WebSocket(url, { headers });
  onTestFinished(() => ws.terminate());
  const texts: string[] = [];
  ws.on("message", (data) => void texts.push(data.toString()));
  ws.on("error", () => undefined);
  const refused = Promise.withResolvers<number>();
  const opened = new Promise<number>((resolve) => ws.once("open", () => resolve(101)));
  ws.on("unexpected-response", (_, answer) => {
    answer.resume();
    refused.resolve(answer.statusCode ?? 0);
  });
  const closed = new Promise<number>((resolve) => ws.once("close", resolve));
  return { ws, texts, closed, status: await Promise.race([opened, refused.promise]) };
}
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

describe("the package agentmail", () => {
  test("A subscription is confirmed, and brings whole messages of its inboxes.", async () => {
    const { client, first, second } = await withInboxes();
    const { got, answer, subjects } = await subscribe(client, { inboxIds: [first] });
    expect(answer).toMatchObject({ type: "subscribed", inboxIds: [first] });
    await mail(second, "elsewhere");
    await mail(first, "here");
    await eventually(() => expect(subjects()).toEqual(["here"]));
    expect(got.at(-1)).toMatchObject({
      type: "event",
      eventType: "message.received",
      eventId: expect.stringMatching(/^evt_/),
      message: { inboxId: first, from: "ann@shop.example", text: expect.stringContaining("About here") },
      thread: { inboxId: first, messageCount: 1 },
    });
    expect(got.at(-1)?.message?.timestamp).toBeInstanceOf(Date);
  });

  test("Several inboxes, or all, can be followed.", async () => {
    const { client, first, second } = await withInboxes();
    const [both, all] = [await subscribe(client, { inboxIds: [first, second] }), await subscribe(client)];
    const third = (await client.inboxes.create()).inboxId;
    await mail(third, "third");
    await mail(first, "one");
    await mail(second, "two");
    await eventually(() => expect(all.subjects()).toEqual(["third", "one", "two"]));
    await eventually(() => expect(both.subjects()).toEqual(["one", "two"]));
  });

  test("Event types choose what comes.", async () => {
    const { client, first } = await withInboxes();
    const { got } = await subscribe(client, { eventTypes: ["message.sent"] });
    await mail(first, "not chosen");
    const sent = await client.inboxes.messages.send(first, { to: "bob@else.example", subject: "Hello", text: "Hi" });
    await eventually(() => expect(got.filter(({ type }) => type === "event")).toHaveLength(1));
    expect(got.at(-1)).toMatchObject({ eventType: "message.sent", send: { messageId: sent.messageId } });
  });

  test("The pod is the organization.", async () => {
    const { client, first } = await withInboxes();
    const [pod] = (await client.pods.list()).pods;
    const { subjects } = await subscribe(client, { podIds: [pod?.podId ?? ""] });
    await mail(first, "in the pod");
    await eventually(() => expect(subjects()).toEqual(["in the pod"]));
  });

  test("The next subscription replaces the one before it.", async () => {
    const { client, first, second } = await withInboxes();
    const { ask, subjects } = await subscribe(client, { inboxIds: [first] });
    expect(await ask({ inboxIds: [second] })).toMatchObject({ type: "subscribed", inboxIds: [second] });
    await mail(first, "one");
    await mail(second, "two");
    await eventually(() => expect(subjects()).toEqual(["two"]));
  });

  test("What is not there is refused, and the subscription stays.", async () => {
    const { client, first } = await withInboxes();
    const { ask, subjects } = await subscribe(client, { inboxIds: [first] });
    const [unknown, another] = [
      await ask({ inboxIds: ["none@mail.example"] }),
      await ask({ inboxIds: [foreign.inboxId] }),
    ];
    expect(unknown).toMatchObject({ type: "error", name: "NotFoundError" });
    expect(another).toEqual(unknown);
    expect(await ask({ podIds: [encodeId("org", theirs.organizationId)] })).toMatchObject({ name: "NotFoundError" });
    expect(await ask({ eventTypes: ["message.opened"] })).toMatchObject({ name: "ValidationError" });
    expect(await ask({ inboxIds: [] })).toMatchObject({ name: "ValidationError" });
    await mail(first, "still");
    await eventually(() => expect(subjects()).toEqual(["still"]));
  });

  test("Another organization's mail does not come.", async () => {
    const { client, first } = await withInboxes();
    const { subjects } = await subscribe(client);
    await mail(foreign.inboxId, "foreign");
    await mail(first, "own");
    await eventually(() => expect(subjects()).toEqual(["own"]));
  });

  test("A key for one inbox gets its mail alone.", async () => {
    const { enrollmentKeyId, first, second } = await withInboxes();
    const narrow = await service.newAgentKey(enrollmentKeyId, { inboxes: [second] });
    const { ask, subjects } = await subscribe(clientOf(narrow.key));
    expect(await ask({ inboxIds: [first] })).toMatchObject({ type: "error", name: "NotFoundError" });
    await mail(first, "one");
    await mail(second, "two");
    await eventually(() => expect(subjects()).toEqual(["two"]));
  });

  test("A key that may not read gets nothing.", async () => {
    const { enrollmentKeyId } = await withInboxes();
    const sender = await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:send"] });
    expect((await subscribe(clientOf(sender.key))).answer).toMatchObject({ type: "error", name: "ForbiddenError" });
  });

  test("A service that stops closes with 1001.", async () => {
    const own = await startTestService({ COMPAT_APIS: "agentmail" }, { database: service.database });
    const { key } = await withInboxes();
    const { closed } = await subscribe(clientOf(key, own.url));
    const idle = await open(`?api_key=${key}`, {}, at(`?api_key=${key}`, own));
    await own.stop();
    expect([await closed, await idle.closed]).toEqual([1001, 1001]);
  });
});

describe("the handshake", () => {
  test("The key may be in the query or in the header.", async () => {
    const { key } = await withInboxes();
    expect((await open(`?api_key=${key}`)).status).toBe(101);
    expect((await open("", bearer(key))).status).toBe(101);
    expect((await open(`?api_key=${key}`, bearer("mb_agent_unknown"))).status).toBe(101);
  });

  test("Without a valid key it is refused with 401.", async () => {
    const { key } = await withInboxes();
    expect((await open("")).status).toBe(401);
    expect((await open("?api_key=mb_agent_unknown")).status).toBe(401);
    expect((await open("?api_key=mb_agent_unknown", bearer(key))).status).toBe(401);
  });

  test("It offers no compression.", async () => {
    const { key } = await withInboxes();
    expect((await open("", bearer(key))).ws.extensions).toBe("");
  });

  test("On other paths it is answered as HTTP.", async () => {
    const { key } = await withInboxes();
    for (const [path, status] of [
      ["/compat/agentmail/v0/socket", 404],
      ["/compat/resend/v0", 404],
      ["/v1/auth/me", 200],
    ] as const) {
      expect([path, (await open("", bearer(key), at("").replace(PATH, path))).status]).toEqual([path, status]);
    }
    const answer = await fetch(`${service.url}${PATH}`, { headers: bearer(key) });
    expect(answer.status).toBe(404);
  });

  test("Where the API is off there is none.", async () => {
    const own = await startTestService({ COMPAT_APIS: "resend" }, { database: service.database });
    onTestFinished(own.stop);
    const { key } = await withInboxes();
    expect((await open("", bearer(key), at("", own))).status).toBe(404);
  });

  test("Sockets and subscriptions share the limit of open waits.", async () => {
    const { key } = await withInboxes();
    const opened = await Promise.all(Array.from({ length: SLOTS }, () => open("", bearer(key))));
    expect(opened.map(({ status }) => status)).toEqual(Array(SLOTS).fill(101));
    expect((await open("", bearer(key))).status).toBe(429);
    opened[0]?.ws.send('{"type":"subscribe"}');
    await eventually(() => expect(opened[0]?.texts).toEqual([expect.stringContaining("RateLimitError")]));
    for (const { ws } of opened) ws.terminate();
    await eventually(async () => expect((await open("", bearer(key))).status).toBe(101));
  });
});

describe("a client that breaks the rules", () => {
  test("A message that is too large closes the socket.", async () => {
    const { ws, closed } = await open("", bearer((await withInboxes()).key));
    ws.send("x".repeat(16_385));
    expect(await closed).toBe(1009);
  });

  test("A binary message closes the socket.", async () => {
    const { ws, closed } = await open("", bearer((await withInboxes()).key));
    ws.send(Buffer.from("{}"));
    expect(await closed).toBe(1008);
  });

  test("A message that is no subscription is refused.", async () => {
    const { ws, texts } = await open("", bearer((await withInboxes()).key));
    for (const text of ["{", "[]", '{"type":"publish"}', '{"type":"subscribe","more":1}']) ws.send(text);
    await eventually(() => expect(texts).toHaveLength(4));
    expect(texts.map((text) => JSON.parse(text))).toEqual(
      Array(4).fill({ type: "error", name: "ValidationError", message: expect.any(String) }),
    );
  });

  test("Many messages at a time close the socket.", async () => {
    const { ws, closed } = await open("", bearer((await withInboxes()).key));
    for (let i = 0; i < 50; i += 1) ws.send('{"type":"subscribe"}');
    expect(await closed).toBe(1008);
  });

  test("Pings without an end close the socket.", async () => {
    const { ws, closed } = await open("", bearer((await withInboxes()).key));
    for (let i = 0; i < 1_000; i += 1) ws.ping("x".repeat(100));
    expect(await closed).toBe(1008);
  });

  test("Subscriptions count against the rate limit.", async () => {
    const own = await startTestService(
      { COMPAT_APIS: "agentmail", RATE_LIMIT_BURST: "5", RATE_LIMIT_PER_SECOND: "1" },
      { database: service.database },
    );
    onTestFinished(own.stop);
    const { key, first, second } = await withInboxes();
    const { ws, texts } = await open("", bearer(key), at("", own));
    const both = JSON.stringify({ type: "subscribe", inbox_ids: [first, second] });
    for (let i = 0; i < 2; i += 1) ws.send(both);
    await eventually(() => expect(texts).toHaveLength(2));
    expect(texts[1]).toContain("RateLimitError");
  });

  test("A subscription that finds no place leaves the one before it.", async () => {
    // The socket has one place, and its subscription another.
    const settings = { COMPAT_APIS: "agentmail", MAX_WAITS_PER_KEY: "2" };
    const own = await startTestService(settings, { database: service.database });
    onTestFinished(own.stop);
    const { key, first, second } = await withInboxes();
    const { ws, texts } = await open("", bearer(key), at("", own));
    ws.send(JSON.stringify({ type: "subscribe", inbox_ids: [first] }));
    await eventually(() => expect(texts).toHaveLength(1));
    ws.send(JSON.stringify({ type: "subscribe", inbox_ids: [second] }));
    await eventually(() => expect(texts).toHaveLength(2));
    expect(texts[1]).toContain("error");
    await own.mail({ from: "a@else.example", to: first, subject: "still here" });
    await eventually(() => expect(texts[2]).toContain("still here"));
  });

  test("An event whose message its key has no turn to read comes without what a read gives.", async () => {
    const { key, first } = await withInboxes();
    const { ws, texts } = await open("", bearer(key));
    ws.send('{"type":"subscribe"}');
    await eventually(() => expect(texts).toHaveLength(1));
    const [locked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    onTestFinished(() => over.resolve());
    const holding = service.system.sql.begin(async (sql) => {
      await sql`lock table drafts in access exclusive mode`;
      locked.resolve();
      await over.promise;
    });
    await locked.promise;
    const reading = Array.from({ length: QUERIES }, async () => {
      const answer = await fetch(`${service.url}/v1/drafts`, { headers: bearer(key) });
      return answer.text();
    });
    expect(await Promise.race(reading)).toContain("queries waiting");
    await service.mail({ from: "ann@shop.example", to: first, subject: "no turn", text: "x" });
    await eventually(() => expect(texts).toHaveLength(2));
    over.resolve();
    await Promise.all([holding, ...reading]);
    const { message, thread } = JSON.parse(texts[1] ?? "");
    expect(message).toMatchObject({ subject: "no turn", from: "ann@shop.example", to: [first] });
    expect([message.size, thread.size, thread.message_count]).toEqual(Array(3).fill(undefined));
  });

  test("A revoked key gets no further event.", async () => {
    const { enrollmentKeyId, first, client } = await withInboxes();
    const other = await service.newAgentKey(enrollmentKeyId);
    const { subjects, closed } = await subscribe(clientOf(other.key));
    await mail(first, "seen");
    await eventually(() => expect(subjects()).toEqual(["seen"]));
    await revokeAgentKey(service.system, other.id);
    await eventually(() => expect(clientOf(other.key).auth.me()).rejects.toThrow());
    await mail(first, "unseen");
    expect(await closed).toBe(1008);
    expect(subjects()).toEqual(["seen"]);
    await client.auth.me();
  });

  test.concurrent("A revoked key closes a socket without a subscription.", async ({ onTestFinished: finished }) => {
    const { enrollmentKeyId } = await withInboxes();
    const other = await service.newAgentKey(enrollmentKeyId);
    const ws = new WebSocket(at(`?api_key=${other.key}`));
    finished(() => ws.terminate());
    const closed = new Promise<number>((resolve) => ws.once("close", resolve));
    await new Promise((resolve) => ws.once("open", resolve));
    await revokeAgentKey(service.system, other.id);
    expect(await closed).toBe(1008);
  });

  test.concurrent("A client that answers no ping is disconnected.", async ({ onTestFinished: finished }) => {
    const { key } = await withInboxes();
    const silent = await dumb(key);
    finished(() => void silent.destroy());
    await new Promise((resolve) => silent.once("close", resolve));
  });
});

/** A connection that finishes the handshake, and then sends nothing. */
async function dumb(key: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  const handshake = [
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${"A".repeat(22)}==`,
  ];
  socket.write(
    `${[`GET ${PATH}?api_key=${key} HTTP/1.1`, "Host: mailberth.example", ...handshake].join("\r\n")}\r\n\r\n`,
  );
  const [head] = await new Promise<[Buffer]>((resolve) => socket.once("data", (data: Buffer) => resolve([data])));
  expect(head.toString()).toMatch(/^HTTP\/1\.1 101 /);
  socket.resume();
  return socket;
}
