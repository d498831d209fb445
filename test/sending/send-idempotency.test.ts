// POST /v1/inboxes/{addr}/send: one idempotency key is one message.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

// Without a worker: a message is as it was queued.
const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const TO = "friend@else.example";

async function newSender() {
  const { agentKey: key } = await service.newOrganization();
  const inbox = await client.createInbox(key);
  const path = inboxPath(inbox.address, "/send");
  const send = (json: object, headers: Record<string, string> = {}) => client.post<Sent>(path, json, { key, headers });
  const refused = async (json: object, headers: Record<string, string> = {}) => {
    const { status, body } = await client.post(path, json, { key, headers });
    return [status, body.error?.code];
  };
  const count = async () =>
    (await client.get<Page<object>>(inboxPath(inbox.address, "/messages?limit=100"), { key })).body.data.length;
  const used = async () =>
    (await client.get<{ used: number }>(inboxPath(inbox.address, "/send-limit"), { key })).body.used;
  return { key, send, refused, count, used };
}

describe("idempotency", () => {
  const message = { to: TO, subject: "s", text: "t" };

  test("the same key and content is the same message, counted once", async () => {
    const { send, count, used } = await newSender();
    const first = await send({ ...message, idempotency_key: "k" });
    const again = await send({ idempotency_key: "k", text: "t", subject: "s", to: TO, cc: [] });
    const header = await send(message, { "idempotency-key": "k" });
    expect([first.status, again.status, header.status]).toEqual([202, 202, 202]);
    expect([again.body, header.body]).toEqual([first.body, first.body]);
    expect([await count(), await used()]).toEqual([1, 1]);
  });

  test("other content is 409 idempotency_conflict, in the same mailbox only", async () => {
    const { key, refused, send, count } = await newSender();
    await send({ ...message, idempotency_key: "k" });
    for (const other of [{ text: "u" }, { to: "x@else.example" }, { subject: "" }, { html: "h" }, { bcc: [TO] }]) {
      expect(await refused({ ...message, ...other, idempotency_key: "k" })).toEqual([409, "idempotency_conflict"]);
    }
    expect(await refused({ ...message, text: "v" }, { "idempotency-key": "k" })).toEqual([409, "idempotency_conflict"]);
    const sibling = await client.createInbox(key);
    const elsewhere = await client.post(
      inboxPath(sibling.address, "/send"),
      { ...message, idempotency_key: "k" },
      { key },
    );
    expect(elsewhere.status).toBe(202);
    expect(await count()).toBe(1);
  });

  test("a key of another organization has no effect, and sends without a key are separate", async () => {
    const [a, b] = [await newSender(), await newSender()];
    await a.send({ ...message, idempotency_key: "k" });
    expect((await b.send({ ...message, text: "other", idempotency_key: "k" })).status).toBe(202);
    await a.send(message);
    await a.send(message);
    expect(await a.count()).toBe(3);
  });

  test("a body's key goes before the header's", async () => {
    const { send, count } = await newSender();
    await send({ ...message, idempotency_key: "a" }, { "idempotency-key": "b" });
    await send({ ...message, idempotency_key: "b" });
    await send({ ...message, idempotency_key: "a" });
    expect(await count()).toBe(2);
  });

  test("a refused send does not use up its key", async () => {
    const { refused, send } = await newSender();
    expect(await refused({ to: "nobody", text: "t", idempotency_key: "k" })).toEqual([400, "invalid_request"]);
    expect((await send({ ...message, idempotency_key: "k" })).status).toBe(202);
  });

  test("bad keys are 400", async () => {
    const { refused } = await newSender();
    for (const idempotency_key of ["", "x".repeat(257), "a\nb", 5, {}]) {
      expect(await refused({ ...message, idempotency_key })).toEqual([400, "invalid_request"]);
    }
    for (const header of ["", "x".repeat(257)]) {
      expect(await refused(message, { "idempotency-key": header })).toEqual([400, "invalid_request"]);
    }
  });
});
