// Where the files of a message come from: base64, a URL, another message; and how they look to recipients.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const MAX_BYTES = 26_214_400;
const TO = "friend@else.example";
const PDF = Buffer.from("%PDF-1.7 a file");

type File = { id: string; filename: string | null; content_type: string; size: number; inline: boolean };
type Message = { id: string; inbox: string; html: string | null; attachments: File[] };
type Host = { url: string; port: number; asked: IncomingMessage[]; close(): void };

async function startHost(answer: (path: string, res: ServerResponse) => void): Promise<Host> {
  const asked: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    asked.push(req);
    answer(req.url ?? "", res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, port, asked, close };
}

const pdf = (res: ServerResponse, headers: object = {}) =>
  res.writeHead(200, { "content-type": "application/pdf", ...headers }).end(PDF);
const page = (res: ServerResponse) => res.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<p>");
const redirect = (res: ServerResponse, location: string) => res.writeHead(302, { location }).end("secret words");

function endless(res: ServerResponse): void {
  const more = () => {
    while (!res.destroyed && res.write(Buffer.alloc(1_048_576)));
  };
  res.writeHead(200);
  res.on("drain", more);
  more();
}

let service: TestService;
let client: ReturnType<typeof api>;
/** In the operator's allow list, and not in it. */
let host: Host;
let inner: Host;

/** Each path is one way to answer. */
const ANSWERS: Record<string, (res: ServerResponse) => void> = {
  "/named": (res) => pdf(res, { "content-disposition": `attachment; filename="../r\u00e9sum\u00e9.pdf"` }),
  "/moved": (res) => redirect(res, "/a%20b.pdf?x=1"),
  "/circle": (res) => redirect(res, "/circle"),
  "/inward": (res) => redirect(res, `${inner.url}/secret`),
  "/to-service": (res) => redirect(res, `${service.url}/health/live`),
  "/to-file": (res) => redirect(res, "file:///etc/passwd"),
  "/with-password": (res) => redirect(res, `http://user:word@127.0.0.1:${host.port}/a.pdf`),
  "/page.pdf": page,
  "/page": page,
  "/missing": (res) => res.writeHead(404).end("secret words"),
  "/packed": (res) => pdf(res, { "content-encoding": "gzip" }),
  "/silent": () => {},
  "/slow": (res) => res.writeHead(200).write("%PDF"),
  "/short": (res) => res.writeHead(200, { "content-length": "1000" }).write("%PDF", () => res.destroy()),
  "/claims": (res) => res.writeHead(200, { "content-length": String(MAX_BYTES + 1) }).write("%PDF"),
  "/endless": endless,
};

beforeAll(async () => {
  host = await startHost((path, res) => (ANSWERS[path] ?? pdf)(res));
  inner = await startHost((_, res) => pdf(res));
  service = await startTestService({
    ROLES: "web,smtp,worker",
    ATTACHMENT_ALLOWED_HOSTS: `127.0.0.1:${host.port}`,
    WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${inner.port}`,
    SEND_CAP_RAMP: "1000",
  });
  client = api(service);
});
afterAll(async () => {
  await client?.close();
  await service?.stop();
  host?.close();
  inner?.close();
});

async function newSender() {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  const send = (attachments: object[], more: object = {}, by = key) =>
    client.post<Sent & Failure>(inboxPath(address, "/send"), { to: TO, text: "x", attachments, ...more }, { key: by });
  const read = async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
  return {
    ...organization,
    key,
    address,
    send,
    read,
    async refused(attachments: object[]) {
      const { status, body } = await send(attachments);
      return [status, body.error?.code, body.error?.message];
    },
    async bytes(messageId: string, index = 0) {
      const id = (await read(messageId)).attachments[index]?.id;
      const answer = await fetch(`${service.url}/v1/messages/${messageId}/attachments/${id}`, {
        headers: { Authorization: `Bearer ${key}` },
      });
      return Buffer.from(await answer.arrayBuffer());
    },
    /** The newest mail in the mailbox. */
    async received() {
      return eventually(async () => {
        const path = inboxPath(address, "/messages?direction=inbound");
        const [first] = (await client.get<Page<{ id: string; status: string }>>(path, { key })).body.data;
        expect(first?.status).toBe("parsed");
        return read(first?.id ?? "");
      });
    },
  };
}

describe("a URL", () => {
  test("its file, type and name; what the caller says has priority", async () => {
    const { send, read, bytes } = await newSender();
    host.asked.splice(0);
    const { status, body } = await send([
      { url: `${host.url}/invoice.pdf?x=1` },
      { url: `${host.url}/named` },
      { url: `${host.url}/moved`, content_type: "text/plain", filename: "b.txt" },
      { url: `${host.url}/` },
    ]);
    expect(status).toBe(202);
    const files = (await read(body.id)).attachments.map(({ filename, content_type, size }) => {
      return [filename, content_type, size];
    });
    expect(files).toEqual([
      ["invoice.pdf", "application/pdf", PDF.length],
      ["résumé.pdf", "application/pdf", PDF.length],
      ["b.txt", "text/plain", PDF.length],
      ["attachment", "application/pdf", PDF.length],
    ]);
    expect(await bytes(body.id, 2)).toEqual(PDF);
    const names = host.asked.flatMap(({ headers }) => Object.keys(headers));
    expect([...new Set(names)].sort()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
  });

  test("a page is a file, unless its name says otherwise", async () => {
    const { send, refused } = await newSender();
    expect((await send([{ url: `${host.url}/page` }])).status).toBe(202);
    expect((await send([{ url: `${host.url}/page`, filename: "a.html" }])).status).toBe(202);
    const says = "The URL was not attached: its host answered with a web page.";
    const code = [422, "url_not_attached", `attachments.0.url: ${says}`];
    expect(await refused([{ url: `${host.url}/page.pdf` }])).toEqual(code);
    expect(await refused([{ url: `${host.url}/page`, filename: "a.pdf" }])).toEqual(code);
    expect(await refused([{ url: `${host.url}/page`, content_type: "application/pdf" }])).toEqual(code);
  });

  test("a repeated send fetches nothing, and is the same message", async () => {
    const { send } = await newSender();
    const attachments = [{ url: `${host.url}/once.pdf` }];
    host.asked.splice(0);
    const first = await send(attachments, { idempotency_key: "once" });
    const second = await send(attachments, { idempotency_key: "once" });
    expect([second.status, second.body]).toEqual([202, first.body]);
    expect(host.asked.length).toBe(1);
    const other = await send([{ url: `${host.url}/twice.pdf` }], { idempotency_key: "once" });
    expect(other.body.error.code).toBe("idempotency_conflict");
  });

  const why = (problem: string) => [
    422,
    "url_not_attached",
    `attachments.0.url: The URL was not attached: ${problem}.`,
  ];

  test.each([
    ["/missing", "its host answered 404"],
    ["/packed", "its host sent it compressed, which was not asked for"],
    ["/circle", "it redirects more than 3 times"],
    ["/short", "the connection failed"],
    ["/inward", "it redirects to a URL that is refused: its address is not on the public internet"],
    ["/to-service", "it redirects to a URL that is refused: it leads to this service itself"],
    ["/to-file", "it redirects to a URL that is refused: it is not an http or https URL with a host"],
    ["/with-password", "it redirects to a URL that is refused: it contains credentials"],
  ])("refused: %s, because %s", async (path, problem) => {
    const { refused } = await newSender();
    inner.asked.splice(0);
    host.asked.splice(0);
    expect(await refused([{ url: host.url + path }])).toEqual(why(problem));
    expect(inner.asked).toEqual([]);
    expect(host.asked.length).toBeLessThanOrEqual(4);
  });

  test("refused before anything is dialled: private addresses, hosts of webhooks, this service, passwords, other schemes", async () => {
    const { refused } = await newSender();
    inner.asked.splice(0);
    const { port } = new URL(service.url);
    const urls = [
      `${inner.url}/secret`,
      "http://169.254.169.254/latest/meta-data",
      "http://[::1]/a",
      "http://localhost/a",
      "http://2130706433/a",
      `http://127.0.0.1:${port}/health`,
      `http://user:word@127.0.0.1:${host.port}/a.pdf`,
      "ftp://files.example/a",
      "file:///etc/passwd",
      "http://smtp.example:25/a",
    ];
    for (const url of urls) expect((await refused([{ url }])).slice(0, 2)).toEqual([400, "invalid_request"]);
    expect(inner.asked).toEqual([]);
  });

  test("a file that never ends, and one that says it is larger than a message", async () => {
    const { refused } = await newSender();
    for (const path of ["/endless", "/claims"]) {
      expect((await refused([{ url: host.url + path }])).slice(0, 2)).toEqual([413, "payload_too_large"]);
    }
  });

  test("hosts that do not answer, or not to the end, end the send in time", async () => {
    const { send } = await newSender();
    const late = ["/silent", "/slow"].map(async (path) => (await send([{ url: host.url + path }])).body.error.message);
    const expected = "attachments.0.url: The URL was not attached: the whole file did not arrive within 10 seconds.";
    expect(await Promise.all(late)).toEqual([expected, expected]);
  });

  test("at most 10 in a message, 16 at a time and 60 in a burst of an organization", async () => {
    const { send, refused, key, address } = await newSender();
    const urls = (count: number, path: string) => Array.from({ length: count }, () => ({ url: host.url + path }));
    expect((await refused(urls(11, "/a.pdf"))).slice(0, 2)).toEqual([400, "invalid_request"]);
    const slow = [send(urls(8, "/silent")), send(urls(8, "/silent"))];
    await eventually(async () => {
      const { status, headers, body } = await client.post(
        inboxPath(address, "/send"),
        { to: TO, text: "x", attachments: urls(1, "/a.pdf") },
        { key },
      );
      expect([status, body.error?.code, headers["retry-after"]]).toEqual([429, "rate_limited", "2"]);
      expect(body.error.message).toBe("Too many URLs are being fetched at the moment.");
    });
    const other = await newSender();
    expect((await other.send(urls(10, "/a.pdf"))).status).toBe(202);
    await Promise.all(slow);
    await eventually(async () => {
      expect((await other.send(urls(10, "/a.pdf"))).body.error?.message).toContain("one URL per second");
    });
  });
});

describe("a file of another message", () => {
  test("of mail that came in, and of mail that was sent; also in replies, forwards and drafts", async () => {
    const sender = await newSender();
    const { address, key, send, read, received, bytes } = sender;
    await service.mail({
      from: "a@else.example",
      to: address,
      attachments: [{ filename: "a.pdf", content: PDF, contentType: "application/pdf" }],
    });
    const mail = await received();
    const reference = { message_id: mail.id, attachment_id: mail.attachments[0]?.id };
    const first = await send([reference]);
    expect(first.status).toBe(202);
    expect(await bytes(first.body.id)).toEqual(PDF);
    const again = { message_id: first.body.id, attachment_id: (await read(first.body.id)).attachments[0]?.id };
    const attachments = [{ ...again, filename: "b.pdf" }];
    const reply = await client.post<Sent>(`/v1/messages/${mail.id}/reply`, { text: "x", attachments }, { key });
    expect((await read(reply.body.id)).attachments[0]).toMatchObject({ filename: "b.pdf", size: PDF.length });
    const forward = await client.post<Sent>(`/v1/messages/${mail.id}/forward`, { to: TO, attachments }, { key });
    expect((await read(forward.body.id)).attachments.map(({ filename }) => filename)).toEqual(["a.pdf", "b.pdf"]);
    const draft = await client.post<{ id: string }>("/v1/drafts", { inbox: address, to: TO, attachments }, { key });
    expect(draft.body).toMatchObject({ attachments: [{ filename: "b.pdf", size: PDF.length }] });
    const changed = { revision: 1, text: "x", attachments: [{ url: `${host.url}/c.pdf` }] };
    expect((await client.patch(`/v1/drafts/${draft.body.id}`, changed, { key })).body).toMatchObject({
      attachments: [{ filename: "c.pdf" }],
    });
    const sent = await client.post<Sent>(`/v1/drafts/${draft.body.id}/send`, { revision: 2 }, { key });
    expect(await bytes(sent.body.id)).toEqual(PDF);
  });

  test("refused: of another organization, of a mailbox that the key may not read, without the scope to read", async () => {
    const theirs = await newSender();
    const stranger = await newSender();
    const { key, address, send, read, enrollmentKeyId } = theirs;
    const { id } = (await send([{ filename: "a", content_base64: PDF.toString("base64") }])).body;
    const reference = { message_id: id, attachment_id: (await read(id)).attachments[0]?.id };
    expect((await stranger.send([reference])).body.error.code).toBe("message_not_found");
    const other = await client.createInbox(key);
    const { key: narrow } = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    const body = { to: TO, text: "x", attachments: [reference] };
    const narrowly = await client.post(inboxPath(other.address, "/send"), body, { key: narrow });
    expect(narrowly.body.error.code).toBe("message_not_found");
    const { key: blind } = await service.newAgentKey(enrollmentKeyId, { handle: "blind", scopes: ["mailbox:send"] });
    expect((await client.post(inboxPath(address, "/send"), body, { key: blind })).body.error.code).toBe(
      "insufficient_scope",
    );
    expect((await send([{ ...reference, attachment_id: "att_1" }])).body.error.code).toBe("attachment_not_found");
    expect((await send(Array.from({ length: 11 }, () => reference))).status).toBe(400);
  });
});

describe("what a caller may say of a file", () => {
  const content_base64 = PDF.toString("base64");

  test("a file that HTML names is shown in it, and others are not", async () => {
    const { address, send, received, read } = await newSender();
    const html = '<p><img src="cid:logo@a.example"></p>';
    const logo = { filename: "logo.png", content_base64, content_id: "logo@a.example" };
    const { body } = await send([logo, { filename: "a.pdf", content_base64 }], { to: address, html });
    expect((await read(body.id)).attachments).toMatchObject([
      { filename: "logo.png", content_type: "image/png", inline: true },
      { filename: "a.pdf", content_type: "application/pdf", inline: false },
    ]);
    const mail = await received();
    expect(mail.attachments).toMatchObject([
      { filename: "logo.png", inline: true },
      { filename: "a.pdf", inline: false },
    ]);
    expect(mail.html).toContain("cid:logo@a.example");
  });

  test.each([
    ["no source", [{ filename: "a" }]],
    ["two sources", [{ filename: "a", content_base64, url: "https://a.example" }]],
    ["an attachment without its message", [{ attachment_id: "att_1" }]],
    ["a message without its attachment", [{ message_id: "msg_1", upload_id: "upl_1" }]],
    ["base64 without a name", [{ content_base64 }]],
    ["a content id with a line break", [{ filename: "a", content_base64, content_id: "a\r\nBcc: b@c.example" }]],
    ["a content id with an angle bracket", [{ filename: "a", content_base64, content_id: "a>" }]],
  ])("refused: %s", async (_, attachments) => {
    const { refused } = await newSender();
    expect((await refused(attachments)).slice(0, 2)).toEqual([400, "invalid_request"]);
  });

  test("files of more than 25 MiB together, before any is read", async () => {
    const { key, send } = await newSender();
    const body = Buffer.alloc(14_000_000);
    const upload = await client.call<{ id: string }>("POST", "/v1/uploads?filename=a", { key, body });
    const twice = [{ upload_id: upload.body.id }, { upload_id: upload.body.id }];
    expect((await send(twice)).body.error.code).toBe("payload_too_large");
    expect((await send(twice.slice(1))).status).toBe(202);
  });

  test("files in memory are given back when the message is stored or refused", async () => {
    const { key, send } = await newSender();
    const upload = await client.call<{ id: string }>("POST", "/v1/uploads?filename=a", { key, body: PDF });
    await send([{ upload_id: upload.body.id }]);
    await send([{ upload_id: upload.body.id }, { url: `${host.url}/missing` }]);
    await send([{ upload_id: upload.body.id }], { send_at: "2020-01-01T00:00:00Z" });
    await client.post(
      `/v1/drafts`,
      { inbox: "nobody@mail.example", attachments: [{ upload_id: upload.body.id }] },
      { key },
    );
    expect(service.system.attaching.used).toBe(0);
  });
});
