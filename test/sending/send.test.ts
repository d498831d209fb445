// POST /v1/inboxes/{addr}/send: what is accepted and what is refused. Beside it: send-recipients.test.ts, send-idempotency.test.ts, send-cap.test.ts.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

// Without a worker: a message is as it was queued.
const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = Record<string, unknown> & { attachments: { id: string; size: number }[] };

const TO = "friend@else.example";

async function newSender(more: object = {}) {
  const { agentKey: key } = await service.newOrganization();
  const inbox = await client.createInbox(key, more);
  const path = inboxPath(inbox.address, "/send");
  const send = (json: object, headers: Record<string, string> = {}) => client.post<Sent>(path, json, { key, headers });
  const read = async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
  const refused = async (json: object, headers: Record<string, string> = {}) => {
    const { status, body } = await client.post(path, json, { key, headers });
    return [status, body.error?.code];
  };
  const count = async () =>
    (await client.get<Page<object>>(inboxPath(inbox.address, "/messages?limit=100"), { key })).body.data.length;
  return { key, inbox, path, send, read, refused, count };
}

describe("202", () => {
  test("the least there can be", async () => {
    const { inbox, send, read } = await newSender();
    const { status, body } = await send({ to: TO, text: "Hello" });
    expect([status, body]).toEqual([
      202,
      { id: expect.stringMatching(/^msg_/), status: "queued", thread_id: expect.stringMatching(/^thr_/) },
    ]);
    expect(await read(body.id)).toMatchObject({
      id: body.id,
      thread_id: body.thread_id,
      inbox: inbox.address,
      direction: "outbound",
      status: "queued",
      from: inbox.address,
      from_name: null,
      to: [TO],
      subject: "",
      text: "Hello",
      html: null,
      cc: [],
      bcc: [],
      reply_to: [],
      attachments: [],
      sent_at: null,
    });
  });

  test("everything there can be", async () => {
    const { send, read } = await newSender({ display_name: "Sender" });
    const bytes = Buffer.from([0, 1, 2, 255]);
    const { body } = await send({
      to: ["One <one@else.example>", '"Two, the \\"second\\"" <two@ELSE.example>', "three+tag@else.example"],
      cc: ["four@bücher.example"],
      bcc: ["five@else.example"],
      reply_to: "Desk <desk@else.example>",
      subject: "Grüße 👋 “quoted” & <b>",
      text: "a\r\nb\n\t.\n.\r\n",
      html: "<p>a</p>",
      attachments: [
        { filename: 'ä/ö "x".bin', content_type: "application/octet-stream", content_base64: bytes.toString("base64") },
        { filename: "empty", content_type: "text/plain", content_base64: "" },
      ],
    });
    expect(await read(body.id)).toMatchObject({
      from_name: "Sender",
      to: ["one@else.example", "two@else.example", "three+tag@else.example"],
      cc: ["four@xn--bcher-kva.example"],
      bcc: ["five@else.example"],
      reply_to: ["desk@else.example"],
      subject: "Grüße 👋 “quoted” & <b>",
      text: "a\r\nb\n\t.\n.\r\n",
      html: "<p>a</p>",
      attachments: [
        {
          id: expect.stringMatching(/^att_/),
          filename: 'ä/ö "x".bin',
          content_type: "application/octet-stream",
          size: 4,
          inline: false,
        },
        { filename: "empty", size: 0 },
      ],
    });
  });

  test("html alone; a string or a list; 50 recipients in all", async () => {
    const { send } = await newSender();
    const some = (n: number, name: string) => Array.from({ length: n }, (_, i) => `${name}${i}@else.example`);
    expect((await send({ to: [TO], html: "<p>x" })).status).toBe(202);
    const full = { to: some(20, "t"), cc: some(20, "c"), bcc: some(10, "b"), text: "x" };
    expect((await send(full)).status).toBe(202);
  });

  test("a large attachment within the limit", async () => {
    const { send, read } = await newSender();
    const content = Buffer.alloc(12_000_000, 7);
    const attachments = [{ filename: "big", content_type: "a/b", content_base64: content.toString("base64") }];
    const { status, body } = await send({ to: TO, text: "x", attachments });
    expect(status).toBe(202);
    expect((await read(body.id)).attachments[0]?.size).toBe(12_000_000);
  });

  test("by the inbox id too", async () => {
    const { key, inbox, send, count } = await newSender();
    const json = { to: TO, text: "x" };
    expect((await client.post<Sent>(`/v1/inboxes/${inbox.id}/send`, json, { key })).status).toBe(202);
    expect((await send({ to: TO, text: "x" })).status).toBe(202);
    expect(await count()).toBe(2);
  });
});

describe("400", () => {
  test("neither text nor html", async () => {
    const { refused } = await newSender();
    for (const json of [
      {},
      { text: "" },
      { html: "" },
      { text: null },
      { text: 5 },
      { html: ["x"] },
      { subject: "x" },
    ]) {
      expect([json, ...(await refused({ to: TO, ...json }))]).toEqual([json, 400, "invalid_request"]);
    }
  });

  test("no CR, LF or NUL reaches a header, by any field", async () => {
    const { refused, count } = await newSender();
    for (const evil of ["\r\n", "\n", "\r", "\0", "\r\n\r\n", "\u0085"]) {
      const text = `x${evil}Bcc: victim@else.example`;
      const address = `a@else.example${evil}Bcc: victim@else.example`;
      const named = `A${evil}B <a@else.example>`;
      for (const json of [
        { subject: text },
        { to: address },
        { to: [named] },
        { cc: [address] },
        { bcc: [named] },
        { reply_to: address },
        { reply_to: named },
        { idempotency_key: text },
        { attachments: [{ filename: text, content_type: "a/b", content_base64: "" }] },
        { attachments: [{ filename: "x", content_type: `a/b${evil}`, content_base64: "" }] },
      ]) {
        expect([json, ...(await refused({ to: TO, text: "x", ...json }))]).toEqual([json, 400, "invalid_request"]);
      }
    }
    expect(await refused({ to: TO, text: "a\0b" })).toEqual([400, "invalid_request"]);
    expect(await refused({ to: TO, html: "\ud800" })).toEqual([400, "invalid_request"]);
    expect(await count()).toBe(0);
  });

  test("subjects and attachments out of form", async () => {
    const { refused } = await newSender();
    for (const subject of [5, [], "x".repeat(999)]) {
      expect(await refused({ to: TO, text: "x", subject })).toEqual([400, "invalid_request"]);
    }
    const good = { filename: "x", content_type: "text/plain", content_base64: "eA==" };
    const bad = [
      {},
      { ...good, filename: "" },
      { ...good, content_type: "text" },
      { ...good, content_base64: "!" },
      { ...good, content_base64: "eA" },
      { ...good, content_base64: 5 },
    ];
    for (const attachments of [...bad.map((one) => [one]), "x", {}, [null], Array(101).fill(good)]) {
      expect(await refused({ to: TO, text: "x", attachments })).toEqual([400, "invalid_request"]);
    }
  });
});

describe("404", () => {
  test("unknown, deleted and other organizations' mailboxes are not found, and nothing is queued", async () => {
    const [mine, stranger] = [await newSender(), await newSender()];
    await client.delete(inboxPath(mine.inbox.address), { key: mine.key });
    for (const name of [mine.inbox.address, stranger.inbox.address, stranger.inbox.id, "nobody@mail.example", TO]) {
      const { status, body } = await client.post(inboxPath(name, "/send"), { to: TO, text: "x" }, { key: mine.key });
      expect([name, status, body.error.code]).toEqual([name, 404, "inbox_not_found"]);
    }
    expect(await stranger.count()).toBe(0);
  });
});
