// GET /v1/messages/{id}/raw and GET /v1/messages/{id}/attachments/{attachment_id}.
import { parse } from "content-disposition";
import { afterAll, describe, expect, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

type File = { id: string; filename: string | null; content_type: string; size: number; inline: boolean };
type Message = { id: string; status: string; size: number; attachments: File[] };
type Attached = { filename: string; content: Buffer; contentType?: string };

const UNTRUSTED = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "cache-control": "no-store",
};

async function withMail(mail: { raw?: string | Buffer; attachments?: Attached[] }) {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const inbox = await client.createInbox(key);
  await service.mail({ from: "a@else.example", to: inbox.address, ...mail });
  const [first] = (await client.get<Page<{ id: string }>>(inboxPath(inbox.address, "/messages"), { key })).body.data;
  const path = `/v1/messages/${first?.id}`;
  const message = (await client.get<Message>(path, { key })).body;
  return { ...organization, key, inbox, path, message };
}

/** The bytes, not through the client's text. */
async function download(path: string, key: string) {
  const answer = await fetch(service.url + path, { headers: { Authorization: `Bearer ${key}` } });
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}
/** What a browser would save the file as. */
function savedAs(headers: Record<string, string>): unknown {
  const { type, parameters } = parse(headers["content-disposition"] ?? "");
  return [type, parameters.filename];
}

describe("200, raw", () => {
  test("exactly the bytes received, binary ones too, under a name to save it by", async () => {
    const body = Buffer.from([...Array(256).keys()].filter((byte) => ![0x0a, 0x0d, 0].includes(byte)));
    const raw = Buffer.concat([Buffer.from("Subject: odd\r\n\r\n"), body, Buffer.from("\r\n")]);
    const { path, key, message } = await withMail({ raw });
    const { status, headers, bytes } = await download(`${path}/raw`, key);
    expect([status, headers]).toMatchObject([
      200,
      {
        ...UNTRUSTED,
        "content-type": "message/rfc822",
        "content-length": `${bytes.length}`,
      },
    ]);
    expect(savedAs(headers)).toEqual(["attachment", `${message.id}.eml`]);
    expect(bytes.subarray(-raw.length).equals(raw)).toBe(true);
    expect(bytes.length).toBe(message.size);
  });

  test("a mail of several MiB, whole", async () => {
    const content = Buffer.alloc(3_500_000, "0123456789abcdef");
    const { path, key, message } = await withMail({ attachments: [{ filename: "big.bin", content }] });
    const { bytes } = await download(`${path}/raw`, key);
    expect(bytes.length).toBe(message.size);
    const file = await download(`${path}/attachments/${message.attachments[0]?.id}`, key);
    expect(file.bytes.equals(content)).toBe(true);
  });

  test("HEAD: the headers alone; over tRPC: the same in base64", async () => {
    const { path, key, message } = await withMail({});
    const head = await client.exchange("HEAD", `${path}/raw`, { key });
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", `${message.size}`]);
    const { bytes } = await download(`${path}/raw`, key);
    const input = encodeURIComponent(JSON.stringify({ id: message.id }));
    const trpc = await client.exchange("GET", `/trpc/messages.raw?input=${input}`, { key });
    expect(JSON.parse(trpc.text).result.data).toEqual({
      content_type: "message/rfc822",
      filename: `${message.id}.eml`,
      size: bytes.length,
      content_base64: bytes.toString("base64"),
    });
  });
});

describe("200, attachments", () => {
  test("the bytes, with their type and name, of mail that came in and mail that went out", async () => {
    const content = Buffer.from([0, 1, 2, 255, 254]);
    const attachment = { filename: "Résumé – final.pdf", content, contentType: "application/pdf" };
    const { path, key, message, inbox } = await withMail({ attachments: [attachment] });
    const json = {
      to: "x@y.example",
      text: "x",
      attachments: [
        { filename: "a.bin", content_type: "application/x-thing", content_base64: content.toString("base64") },
      ],
    };
    const sent = (await client.post<Sent>(inboxPath(inbox.address, "/send"), json, { key })).body;
    const out = (await client.get<Message>(`/v1/messages/${sent.id}`, { key })).body;
    const received = await download(`${path}/attachments/${message.attachments[0]?.id}`, key);
    expect(received.bytes.equals(content)).toBe(true);
    expect(received.headers).toMatchObject({
      ...UNTRUSTED,
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="R?sum? ? final.pdf"; filename*=UTF-8''R%C3%A9sum%C3%A9%20%E2%80%93%20final.pdf`,
    });
    const stored = await download(`/v1/messages/${sent.id}/attachments/${out.attachments[0]?.id}`, key);
    expect(stored.bytes.equals(content)).toBe(true);
    expect(stored.headers["content-type"]).toBe("application/x-thing");
  });

  test("names that play tricks are made harmless; none at all gets one", async () => {
    const names: [string, string][] = [
      ["../../etc/passwd", "passwd"],
      ["..\\..\\windows\\win.ini", "win.ini"],
      ["/absolute/.bashrc", "bashrc"],
      ["C:\\x\\evil.exe", "evil.exe"],
      ["..", "attachment"],
      ["a\u202Efdp.exe", "a_fdp.exe"],
      ['q"uo<te>|.txt', "q_uo_te_.txt"],
      ["", "attachment"],
    ];
    const attachments = names.map(([filename], i) => ({
      filename,
      content: Buffer.from(`${i}`),
      contentType: "text/plain",
    }));
    const { path, key, message } = await withMail({ attachments });
    expect(message.attachments.length).toBe(names.length);
    for (const [i, { id }] of message.attachments.entries()) {
      const { headers, bytes } = await download(`${path}/attachments/${id}`, key);
      const [given, harmless] = names[i] as [string, string];
      if (given !== "") expect([given, savedAs(headers)]).toEqual([given, ["attachment", harmless]]);
      expect(bytes.toString()).toBe(`${i}`);
    }
  });

  test("types that could run or break a header are bytes and no more", async () => {
    const types = [
      "text/html",
      "image/svg+xml",
      "not a type",
      "text/html; charset=utf-8",
      "x".repeat(200),
      "a/b\u00e9",
    ];
    const parts = types.map(
      (type) => `--b\r\nContent-Type: ${type}\r\nContent-Disposition: attachment\r\n\r\n<script>1</script>\r\n`,
    );
    const raw = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join("")}--b--\r\n`;
    const { path, key, message } = await withMail({ raw });
    expect(message.attachments.length).toBe(types.length);
    for (const { id } of message.attachments) {
      const { status, headers } = await download(`${path}/attachments/${id}`, key);
      expect([status, headers]).toMatchObject([200, UNTRUSTED]);
      expect(headers["content-type"]).toMatch(/^[\w.+-]+\/[\w.+-]+$/);
      expect(headers["content-disposition"]).toMatch(/^attachment/);
    }
  });

  test("200 of them, without names, each its own", async () => {
    const parts = Array.from(
      { length: 200 },
      (_, i) => `--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment\r\n\r\npart ${i}\r\n`,
    );
    const { path, key, message } = await withMail({
      raw: `Subject: many\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join("")}--b--\r\n`,
    });
    expect([message.status, message.attachments.length]).toEqual(["parsed", 200]);
    expect(new Set(message.attachments.map(({ id }) => id)).size).toBe(200);
    for (const place of [0, 1, 99, 199]) {
      const { bytes, headers } = await download(`${path}/attachments/${message.attachments[place]?.id}`, key);
      expect(bytes.toString().trim()).toBe(`part ${place}`);
      expect(savedAs(headers)).toEqual(["attachment", "attachment"]);
    }
  });
});

describe("404", () => {
  const code = async (path: string, key: string) => {
    const { status, body } = await client.get<Failure>(path, { key });
    return [status, body.error.code];
  };

  test("a message that is unknown, another's, out of reach, or deleted", async () => {
    const { path, key, message, inbox, enrollmentKeyId } = await withMail({
      attachments: [{ filename: "a", content: Buffer.from("a") }],
    });
    const stranger = await withMail({});
    const other = await client.createInbox(key);
    const restricted = (await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] })).key;
    const file = `/attachments/${message.attachments[0]?.id}`;
    for (const rest of ["/raw", file]) {
      expect(await code(`/v1/messages/${encodeId("msg", newId())}${rest}`, key)).toEqual([404, "message_not_found"]);
      for (const by of [stranger.key, restricted])
        expect(await code(path + rest, by)).toEqual([404, "message_not_found"]);
    }
    expect((await client.delete(path, { key })).status).toBe(200);
    for (const rest of ["/raw", file]) expect(await code(path + rest, key)).toEqual([404, "message_not_found"]);
    expect((await client.get(inboxPath(inbox.address), { key })).status).toBe(200);
  });

  test("an unknown attachment, and one of another message, are not found", async () => {
    const { key, inbox, path, message } = await withMail({
      attachments: [{ filename: "a", content: Buffer.from("a") }],
    });
    const send = { to: "x@y.example", text: "x" };
    const sent = (await client.post<Sent>(inboxPath(inbox.address, "/send"), send, { key })).body;
    const file = message.attachments[0]?.id;
    expect(await code(`/v1/messages/${sent.id}/attachments/${file}`, key)).toEqual([404, "attachment_not_found"]);
    for (const name of [encodeId("att", newId()), message.id, "x"]) {
      expect(await code(`${path}/attachments/${name}`, key)).toEqual([404, "attachment_not_found"]);
    }
  });
});
