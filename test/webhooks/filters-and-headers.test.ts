// `filter` and `headers` of webhooks.
import { afterAll, describe, expect, test } from "vitest";
import { type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { status } from "./delivery/receiver.ts";
import { type Delivery, startRig, verify } from "./rig.ts";

const rig = await startRig();
const { client, service } = rig;
afterAll(rig.close);

type Hook = Failure & { id: string; secret: string; filter: object | null; headers: string[] };
const URL_OF_ALL = "https://agent.example/hooks";

async function furnished() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  return {
    key,
    address,
    mail: (from: string, subject: string) => service.mail({ from, to: address, subject }),
    send: (more: object) =>
      client.post<{ id: string }>(inboxPath(address, "/send"), { to: "ann@else.example", text: "x", ...more }, { key }),
    async register(more: object) {
      const receiver = await rig.endpoint();
      const json = { url: receiver.url, events: ["message.received"], ...more };
      const { status, body } = await client.post<Hook>("/v1/webhooks", json, { key });
      return { status, ...body, receiver };
    },
    subjects: (received: { body: Buffer | string }[]) =>
      received.map(({ body }) => (JSON.parse(String(body)) as { message: { subject: string } }).message.subject).sort(),
  };
}

describe("a filter", () => {
  test("of the sender and the subject means what it means in lists", async () => {
    const { mail, register, subjects, key, address } = await furnished();
    const [domain, whole, part, subject, both, none] = [
      await register({ filter: { from: "shop.example" } }),
      await register({ filter: { from: "Bob@eu.shop.example" } }),
      await register({ filter: { from: "bob" } }),
      await register({ filter: { subject: "INVOICE" } }),
      await register({ filter: { from: "shop.example", subject: "invoice" } }),
      await register({}),
    ];
    await mail("bob@eu.shop.example", "invoice 1");
    await mail("eve@notshop.example", "your invoice");
    await mail("ann@shop.example", "hello");
    await eventually(() => expect(none.receiver.received).toHaveLength(3));
    const got = [domain, whole, part, subject, both].map(({ receiver }) => subjects(receiver.received));
    const expected = [
      ["hello", "invoice 1"],
      ["invoice 1"],
      ["invoice 1"],
      ["invoice 1", "your invoice"],
      ["invoice 1"],
    ];
    await eventually(() => expect(domain.receiver.received).toHaveLength(2));
    expect(got).toEqual(expected);
    const listed = await client.get<Page<{ subject: string }>>(inboxPath(address, "/messages?from=shop.example"), {
      key,
    });
    expect(listed.body.data.map((row) => row.subject).sort()).toEqual(["hello", "invoice 1"]);
  });

  test("of a label selects sent mail by its labels", async () => {
    const { register, send } = await furnished();
    const { receiver } = await register({ events: ["message.sent", "inbox.deleted"], filter: { label: "orders" } });
    const other = await register({ events: ["message.sent"] });
    await send({ subject: "no label" });
    const { id } = (await send({ labels: ["orders", "x"] })).body;
    await eventually(() => expect(other.receiver.received).toHaveLength(2));
    await eventually(() => expect(receiver.received).toHaveLength(1));
    expect(JSON.parse(String(receiver.received[0]?.body))).toMatchObject({ event: "message.sent", message: { id } });
  });

  test("is shown, replaced as a whole, and removed by an empty one", async () => {
    const { register, key } = await furnished();
    const { id } = await register({ filter: { from: "a@b.example", kind: "person" } });
    const shown = (await client.get<Hook>(`/v1/webhooks/${id}`, { key })).body.filter;
    expect(shown).toEqual({ from: "a@b.example", kind: "person" });
    const changed = await client.patch<Hook>(`/v1/webhooks/${id}`, { filter: { subject: "x" } }, { key });
    expect(changed.body.filter).toEqual({ subject: "x" });
    expect((await client.patch<Hook>(`/v1/webhooks/${id}`, { filter: {} }, { key })).body.filter).toBe(null);
  });

  test("that can never match is refused, and says why", async () => {
    const { register, key } = await furnished();
    const bad: [object, RegExp][] = [
      [{ filter: { label: "orders" } }, /has no labels when it arrives/],
      [{ events: ["message.received", "message.sent"], filter: { kind: "person" } }, /sent mail has no kind/],
      [{ events: ["domain.lost"], filter: { from: "a" } }, /`events` has none/],
      [{ filter: { from: "a b" } }, /an address such as/],
      [{ filter: { from: "" } }, /filter.from/],
      [{ filter: { subject: "x".repeat(321) } }, /filter.subject/],
      [{ filter: { regex: ".*" } }, /regex/],
      [{ filter: "x" }, /filter/],
    ];
    for (const [more, words] of bad) {
      const { status, error } = await register(more);
      expect([more, status, JSON.stringify(error)]).toEqual([more, 400, expect.stringMatching(words)]);
    }
    const { id } = await register({ filter: { kind: "person" } });
    const { body } = await client.patch<Hook>(`/v1/webhooks/${id}`, { events: ["message.sent"] }, { key });
    expect(body.error.code).toBe("invalid_request");
  });
});

describe("headers", () => {
  test("are in each delivery, and nowhere else", async () => {
    const { register, mail, key } = await furnished();
    const { receiver, ...answer } = await register({
      headers: { Authorization: "Bearer classified", "X-Tenant": "7" },
    });
    await mail("a@b.example", "x");
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [delivery] = receiver.received;
    expect(delivery?.headers).toMatchObject({ authorization: "Bearer classified", "x-tenant": "7" });
    if (delivery) verify(delivery, answer.secret);
    const path = `/v1/webhooks/${answer.id}`;
    await eventually(async () => {
      const [row] = (await client.get<Page<Delivery>>(`${path}/deliveries`, { key })).body.data;
      const log = await client.get<{ attempts: object[] }>(`${path}/deliveries/${row?.id}`, { key });
      expect(log.body.attempts).toHaveLength(1);
      expect(JSON.stringify(log.body)).toContain('{"name":"Authorization","value":"(hidden)"}');
      expect(JSON.stringify(log.body)).not.toContain("classified");
    });
    const shown = await client.get<Hook>(path, { key });
    expect(shown.body.headers).toEqual(["Authorization", "X-Tenant"]);
    expect(JSON.stringify([answer, shown.body])).not.toContain("classified");
    const { sql } = service.system;
    const [row] = await sql<{ headers: Buffer }[]>`select headers from webhooks where header_names is not null`;
    expect(row?.headers.toString("latin1")).not.toContain("classified");
    expect((await client.patch<Hook>(path, { headers: {} }, { key })).body.headers).toEqual([]);
  });

  test("do not go to another server", async () => {
    const { register, key } = await furnished();
    const { id, receiver } = await register({ headers: { Authorization: "Bearer classified" } });
    const path = `/v1/webhooks/${id}`;
    const moved = await client.patch<Hook>(path, { url: URL_OF_ALL }, { key });
    expect([moved.status, moved.body.error.code]).toEqual([400, "invalid_request"]);
    expect((await client.patch<Hook>(path, { url: `${receiver.url}/other` }, { key })).status).toBe(200);
    await client.patch(path, { active: false }, { key });
    const enabled = await client.patch<Hook>(path, { url: URL_OF_ALL, active: true }, { key });
    expect([enabled.status, enabled.body.error.code]).toEqual([400, "invalid_request"]);
    const again = { url: URL_OF_ALL, headers: { Authorization: "Bearer 2" } };
    expect((await client.patch<Hook>(path, again, { key })).body.headers).toEqual(["Authorization"]);
  });

  test("do not go to a server that is tested while they are set", async () => {
    const { register, key, mail } = await furnished();
    const { id } = await register({});
    const path = `/v1/webhooks/${id}`;
    await client.patch(path, { active: false }, { key });
    const elsewhere = await rig.endpoint((response) => {
      answer = () => response.end();
    });
    let answer: () => void = () => undefined;
    const moved = client.patch<Hook>(path, { url: elsewhere.url, active: true }, { key });
    await eventually(() => expect(elsewhere.received).toHaveLength(1));
    await client.patch(path, { headers: { Authorization: "Bearer classified" } }, { key });
    elsewhere.answer = status(200);
    answer();
    expect([(await moved).status, (await moved).body.error?.code]).toEqual([409, "webhook_test_failed"]);
    const shown = await client.get<{ url: string; active: boolean }>(path, { key });
    expect(shown.body.url).not.toBe(elsewhere.url);
    await mail("a@b.example", "x");
    expect(JSON.stringify(elsewhere.received)).not.toContain("classified");
  });

  test("that are not allowed are refused", async () => {
    const { register } = await furnished();
    const names = ["Host", "content-type", "Content-Length", "User-Agent", "X-Service-Signature", "x-service-event"];
    names.push("webhook-id", "svix-signature", "Transfer-Encoding", "Connection", "Proxy-Authorization", "traceparent");
    const bad: object[] = names.map((name) => ({ [name]: "x" }));
    bad.push(
      { "X-A": "a\r\nX-B: b" },
      { "X-A": "a\nb" },
      { "X-A\r\nX-B": "b" },
      { "X A": "b" },
      { "": "b" },
      { "X-A": "" },
    );
    bad.push(
      { "X-A": "\u00e4" },
      { "X-A": " a" },
      { "X-A": "x".repeat(1_025) },
      { "x-a": "1", "X-A": "2" },
      { "X-A": 1 },
    );
    bad.push(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, "x"])));
    bad.push(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`X-${i}`, "x".repeat(1_000)])));
    for (const headers of bad) {
      const { status, error } = await register({ headers });
      expect([headers, status, error?.code]).toEqual([headers, 400, "invalid_request"]);
    }
  });
});
