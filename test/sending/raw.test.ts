// GET /v1/messages/{id}/raw of sent mail: the mail as it left.
import { afterAll, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
const { agentKey: key } = await service.newOrganization();
const stranger = await service.newOrganization();
const [from, to] = [await client.createInbox(key, { display_name: "Zoë" }), await client.createInbox(key)];
afterAll(async () => {
  await client.close();
  await service.stop();
});

const rawOf = (id: string, as = key) => client.exchange("GET", `/v1/messages/${id}/raw`, { key: as });

async function send(more: object = {}) {
  const json = { to: to.address, subject: "Grüße", text: "Hello\n.\nFrom here", ...more };
  return (await client.post<Sent>(inboxPath(from.address, "/send"), json, { key })).body;
}

test("Sent mail has the bytes that its recipient got, each time.", async () => {
  const sent = await send({
    html: "<p>Hello</p>",
    cc: "cc@else.example",
    bcc: "hidden@else.example",
    in_reply_to: "<unknown@else.example>",
    attachments: [{ filename: "ä.bin", content_type: "application/pdf", content_base64: "AAECAw==" }],
  });
  const { data } = await eventually(async () => {
    const { body } = await client.get<Page<{ id: string }>>(inboxPath(to.address, "/messages"), { key });
    expect(body.data).toHaveLength(1);
    return body;
  });
  const received = await rawOf(data[0]?.id ?? "");
  const { status, text } = await rawOf(sent.id);
  expect(status).toBe(200);
  expect(text).toMatch(/^In-Reply-To: <unknown@else.example>$/m);
  expect(received.text.endsWith(text)).toBe(true);
  expect((await rawOf(sent.id)).text).toBe(text);
  expect(text).not.toContain("hidden@else.example");
});

test("The unsubscribe link is in it.", async () => {
  const { id } = await send({ list_unsubscribe: true });
  expect((await rawOf(id)).text).toMatch(/^List-Unsubscribe: <http/m);
});

test("Mail that has not left, and that of another organization, has none.", async () => {
  const scheduled = await send({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
  expect(await rawOf(scheduled.id)).toMatchObject({ status: 404, text: expect.stringContaining("has not left") });
  const { id } = await send();
  const withoutId = ({ text }: { text: string }) => text.replace(/"request_id":"[^"]*"/, "");
  const [foreign, unknown] = [
    await rawOf(id, stranger.agentKey),
    await rawOf("msg_01jd3m9v5sf0b8j3mgz7qk2x4c", stranger.agentKey),
  ];
  expect([foreign.status, withoutId(foreign)]).toEqual([404, withoutId(unknown)]);
});
