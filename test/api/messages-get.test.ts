// GET /v1/messages/{id}.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { describeKeyed } from "./keyed.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = { id: string; direction: string; status: string; [field: string]: unknown };

const newest = async (key: string, address: string) => {
  const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages?limit=1"), { key })).body;
  return data[0]?.id ?? "";
};
const read = (key: string, id: string) => client.get<Message>(`/v1/messages/${id}`, { key });

describe("200", () => {
  test("an inbound mail, whole", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    await service.mail({
      from: "Wríter <writer@else.example>",
      to: address,
      subject: "Grüße",
      text: "Hallo Zoë",
      html: "<p>Hallo Zoë</p>",
      attachments: [{ filename: "ü.pdf", content: Buffer.from("%PDF"), contentType: "application/pdf" }],
    });
    const id = await newest(key, address);
    const { status, body } = await read(key, id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      inbox: address,
      direction: "inbound",
      status: "parsed",
      from: "writer@else.example",
      from_name: "Wríter",
      to: [address],
      cc: [],
      reply_to: [],
      subject: "Grüße",
      text: expect.stringContaining("Hallo Zoë"),
      html: expect.stringContaining("<p>Hallo Zoë</p>"),
      attachments: [
        { id: expect.stringMatching(/^att_/), filename: "ü.pdf", content_type: "application/pdf", size: 4 },
      ],
    });
    expect(body.headers).toContainEqual({ name: "MIME-Version", value: "1.0" });
    expect(body).not.toHaveProperty("bcc");
    expect((await read(key, id)).body).toEqual(body);
  });

  test("an outbound one, with what became of it", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const json = { to: "a@else.example", bcc: ["b@else.example"], text: "x" };
    const sent = await client.post<Sent>(inboxPath(address, "/send"), json, { key });
    await expect.poll(async () => (await read(key, sent.body.id)).body.status, { timeout: 10_000 }).toBe("sent");
    expect((await read(key, sent.body.id)).body).toMatchObject({
      direction: "outbound",
      bcc: ["b@else.example"],
      sent_at: expect.stringMatching(/Z$/),
      error: null,
      recipients: [
        { address: "a@else.example", outcome: "captured" },
        { address: "b@else.example", outcome: "captured" },
      ],
    });
  });

  test("for a key restricted to its mailbox", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const [a, b] = [await client.createInbox(agentKey), await client.createInbox(agentKey)];
    await service.mail({ from: "w@else.example", to: [a.address, b.address] });
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [a.address], scopes: ["mailbox:read"] });
    expect((await read(key, await newest(agentKey, a.address))).status).toBe(200);
    expect((await read(key, await newest(agentKey, b.address))).status).toBe(404);
  });
});

describe("404", () => {
  test("unknown, another's, of a deleted mailbox, or no id at all", async () => {
    const { agentKey: key } = await service.newOrganization();
    const stranger = await service.newOrganization();
    const [mine, foreign] = [await client.createInbox(key), await client.createInbox(stranger.agentKey)];
    await service.mail({ from: "w@else.example", to: [mine.address, foreign.address] });
    const [id, theirs] = [await newest(key, mine.address), await newest(stranger.agentKey, foreign.address)];
    await client.delete(inboxPath(mine.address), { key });
    const junk = [
      "x",
      "msg_",
      "%",
      "%00",
      "..",
      mine.id,
      id.toUpperCase(),
      id.slice(4),
      `${id}x`,
      "msg_8zzzzzzzzzzzzzzzzzzzzzzzzz",
    ];
    for (const name of [id, theirs, id.slice(0, -1), ...junk]) {
      const { status, body } = await client.get(`/v1/messages/${name}`, { key });
      expect([name, status, body.error.code]).toEqual([name, 404, "message_not_found"]);
    }
  });
});

const path = "/v1/messages/msg_01jd3m9v5sf0b8j3mgz7qk2x4c";
describeKeyed(service, client, { method: "GET", path, allow: "GET, HEAD", scope: "mailbox:read" });
