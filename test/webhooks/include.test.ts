// `include` of webhooks: deliveries of received mail with the message.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { createIncludedMessages } from "#server/messages/included.ts";
import { type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { type Delivery, startRig, verify } from "./rig.ts";

const rig = await startRig();
const { client, service } = rig;
afterAll(rig.close);

type Hook = Failure & { id: string; secret: string; include: string[] };
type Message = { id: string; text: string | null; safe_text: { marker: string } | null; omitted?: string };
type Body = { event: string; message: { id: string }; data?: { message: Message } };
const JSON_MAX_BYTES = 262_144;
const MIB = 1_048_576;

async function furnished(answer?: Parameters<typeof rig.endpoint>[0]) {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  const receiver = await rig.endpoint(answer);
  const register = async (more: object, as = key) => {
    const json = { url: receiver.url, events: ["message.received"], include: ["message"], ...more };
    const { status, body } = await client.post<Hook>("/v1/webhooks", json, { key: as });
    return { status, ...body };
  };
  const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as Body);
  const mail = (text: string, more: object = {}) =>
    service.mail({ from: "ann@shop.example", to: address, subject: "Hello", text, ...more });
  const read = async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
  return { ...organization, key, address, receiver, register, bodies, mail, read };
}

/** Each reading fences the text with another marker. */
const unfenced = ({ safe_text: _, ...message }: Message) => message;

describe("a delivery of a webhook with `include`", () => {
  test("has the message as GET gives it, beside the event as ever", async () => {
    const { register, receiver, bodies, mail, read } = await furnished();
    const { id: _id, secret } = await register({});
    await mail("Your code is 482915", { html: "<p>Your code is <b>482915</b></p>" });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [delivery, body] = [receiver.received[0], bodies()[0]];
    if (!delivery || !body?.data) throw new Error("no message");
    verify(delivery, secret);
    const { safe_text, ...included } = body.data.message;
    expect(safe_text).toMatchObject({ marker: expect.any(String), text: expect.stringContaining("482915") });
    const got = unfenced(await read(body.message.id));
    // The verdict on the sender may come after the words.
    expect({ ...included, authentication: null, security: null, status: null }).toEqual({
      ...got,
      authentication: null,
      security: null,
      status: null,
    });
    const { data: _data, ...event } = body;
    expect(Object.keys(event)).toEqual(["event", "inbox", "message"]);
  });

  test("that would be too large has only the id, also of a mail of 25 MB", async () => {
    const { register, receiver, bodies, mail } = await furnished();
    await register({});
    await mail("short", { attachments: [{ filename: "a.bin", content: Buffer.alloc(17 * MIB, 7) }] });
    await mail(`${"lorem ipsum ".repeat(80)}\n`.repeat(240), { subject: "long" });
    await mail("\u0001\u0002".repeat(30_000), { subject: "escaped" });
    await mail("x".repeat(70).concat("\n").repeat(800), { subject: "fits" });
    await eventually(() => expect(receiver.received).toHaveLength(4));
    const byText = (a: Body, b: Body) => String(a.data?.message.omitted).localeCompare(String(b.data?.message.omitted));
    for (const { data } of bodies().toSorted(byText)) {
      const whole = data?.message;
      if (whole?.omitted) expect(Object.keys(whole)).toEqual(["id", "omitted"]);
      else expect(Buffer.byteLength(JSON.stringify(whole))).toBeLessThanOrEqual(JSON_MAX_BYTES);
    }
    const omitted = bodies().filter(({ data }) => data?.message.omitted === "too_large");
    expect(omitted.length).toBeGreaterThanOrEqual(1);
    const texts = bodies().map(({ data }) => data?.message.text?.slice(0, 5));
    expect(texts).toEqual(expect.arrayContaining(["short", "xxxxx"]));
  });

  test("of a deleted message has only the id", async () => {
    const { register, receiver, bodies, mail, key } = await furnished();
    const { id } = await register({});
    await mail("secret of the past");
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const messageId = bodies()[0]?.message.id ?? "";
    await client.delete(`/v1/messages/${messageId}`, { key });
    const path = `/v1/webhooks/${id}/deliveries`;
    const [row] = (await client.get<Page<Delivery>>(path, { key })).body.data;
    await eventually(async () =>
      expect((await client.post(`${path}/${row?.id}/redeliver`, {}, { key })).status).toBe(202),
    );
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(bodies()[1]?.data).toEqual({ message: { id: messageId, omitted: "deleted" } });
    expect(receiver.received[1]?.body).not.toContain("secret of the past");
  });

  test("of another kind of event, and of a webhook without it, is as before", async () => {
    const { register, receiver, bodies, mail, address, key } = await furnished();
    const { id } = await register({ events: ["message.received", "message.sent"] });
    await client.post(inboxPath(address, "/send"), { to: "bob@else.example", text: "x" }, { key });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    expect(bodies()[0]).not.toHaveProperty("data");
    const changed = await client.patch<Hook>(`/v1/webhooks/${id}`, { include: [] }, { key });
    expect(changed.body.include).toEqual([]);
    await mail("later");
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(bodies()[1]).not.toHaveProperty("data");
    const again = await client.patch<Hook>(`/v1/webhooks/${id}`, { include: ["message"] }, { key });
    expect(again.body.include).toEqual(["message"]);
    const tested = await client.post<{ delivered: boolean }>(`/v1/webhooks/${id}/test`, {}, { key });
    expect(tested.body.delivered).toBe(true);
    expect(bodies()[2]?.data?.message).toEqual({ id: bodies()[2]?.message.id, omitted: "deleted" });
  });
});

describe("refused", () => {
  test("to a key that may not read mail, at each change", async () => {
    const { register, enrollmentKeyId, key } = await furnished();
    const blind = (await service.newAgentKey(enrollmentKeyId, { scopes: ["webhook:write"] })).key;
    const refused = await register({}, blind);
    expect([refused.status, refused.error.code]).toEqual([403, "insufficient_scope"]);
    const plain = await register({ include: [] }, blind);
    expect(plain.status).toBe(201);
    const patched = await client.patch<Hook>(`/v1/webhooks/${plain.id}`, { include: ["message"] }, { key: blind });
    expect([patched.status, patched.body.error.code]).toEqual([403, "insufficient_scope"]);
    const { id } = await register({}, key);
    for (const change of [{ url: "https://other.example/hook" }, { include: [] }]) {
      expect((await client.patch(`/v1/webhooks/${id}`, change, { key: blind })).status).toBe(403);
    }
  });

  test("where it can have no effect, or is unknown", async () => {
    const { register, key } = await furnished();
    const bad = [{ events: ["message.sent"] }, { format: "resend" }, { include: ["raw"] }];
    for (const more of bad) {
      const { status, error } = await register(more);
      expect([more, status, error?.code]).toEqual([more, 400, "invalid_request"]);
    }
    const { id } = await register({});
    expect((await client.patch(`/v1/webhooks/${id}`, { events: ["message.sent"] }, { key })).status).toBe(400);
  });
});

test("messages in memory are limited, and one organization leaves room for another", async () => {
  const [greedy, other] = [await furnished(), await furnished()];
  const hooks = [await greedy.register({}), await other.register({})];
  expect(hooks.map(({ status }) => status)).toEqual([201, 201]);
  await greedy.mail(`${"y".repeat(70)}\n`.repeat(800));
  await other.mail("small");
  await eventually(() => expect([greedy, other].map(({ receiver }) => receiver.received.length)).toEqual([1, 1]));
  const readMessage = createIncludedMessages(service.system, () => service.system);
  const wantedOf = ({ bodies, organizationId }: typeof greedy) => ({
    id: decodeId("msg", bodies()[0]?.message.id ?? "") ?? "",
    organizationId: decodeId("org", organizationId) ?? "",
  });
  const [large, small] = [wantedOf(greedy), wantedOf(other)];
  const taken: { json: string; release(): void }[] = [];
  let refusals = 0;
  while (refusals === 0 && taken.length < 2_000) {
    const included = await readMessage(large);
    if (included && "json" in included) taken.push(included);
    else refusals += 1;
  }
  const held = taken.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
  expect(refusals).toBe(1);
  expect(held).toBeLessThanOrEqual(32 * MIB);
  expect(held).toBeGreaterThan(8 * MIB);
  expect(await readMessage(small)).toHaveProperty("json");
  for (const { release } of taken) release();
  expect(await readMessage(large)).toHaveProperty("json");
  expect(await readMessage({ ...large, organizationId: small.organizationId })).toEqual({ omitted: "deleted" });
});
