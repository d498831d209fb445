// PATCH /v1/messages/{id}.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = { id: string; read: boolean; labels: string[]; [field: string]: unknown };

async function received() {
  const { agentKey: key, enrollmentKeyId } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  await service.mail({ from: "w@else.example", to: address, text: "Hello" });
  const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body;
  const path = `/v1/messages/${data[0]?.id}`;
  const change = (json?: unknown) => client.patch<Message>(path, json, { key });
  const read = async () => (await client.get<Message>(path, { key })).body;
  return { key, enrollmentKeyId, address, path, change, read };
}
const stable = ({ safe_text: _fresh, ...rest }: Message) => rest;

describe("200", () => {
  test("read and labels, each alone, and the whole message as the answer", async () => {
    const { change, read } = await received();
    const before = await read();
    expect([before.read, before.labels]).toEqual([false, []]);
    const marked = await change({ read: true });
    expect([marked.status, stable(marked.body)]).toEqual([200, stable({ ...before, read: true })]);
    const labelled = (await change({ labels: ["todo", "Ärger 1"] })).body;
    expect(stable(labelled)).toEqual(stable({ ...before, read: true, labels: ["todo", "Ärger 1"] }));
    expect(stable((await change({ read: false, labels: [] })).body)).toEqual(stable(before));
    expect(stable(await read())).toEqual(stable(before));
  });

  test("labels take the place of those there were, trimmed, each once, in their order; kept when the mail is parsed after", async () => {
    const { change, read } = await received();
    await change({ labels: ["old"] });
    const { body } = await change({ labels: [" b ", "a", "b", "B", "a", "ü".repeat(100)] });
    expect(body.labels).toEqual(["b", "a", "B", "ü".repeat(100)]);
    expect((await read()).labels).toEqual(body.labels);
    const most = Array.from({ length: 50 }, (_, i) => `label ${50 - i}`);
    expect((await change({ labels: most })).body.labels).toEqual(most);
  });

  test("labels are added to and removed from those there are, also concurrently", async () => {
    const { change, read } = await received();
    await change({ labels: ["a", "b"] });
    expect((await change({ add_labels: ["c", "a"], remove_labels: ["b", "none"] })).body.labels).toEqual(["a", "c"]);
    expect((await change({ labels: ["x"], add_labels: ["y"], remove_labels: ["x"] })).body.labels).toEqual(["y"]);
    const names = Array.from({ length: 20 }, (_, i) => `label ${i}`);
    await Promise.all(names.map((name) => change({ add_labels: [name] })));
    expect((await read()).labels.toSorted()).toEqual(["y", ...names].toSorted());
    const refused = await change({ add_labels: Array.from({ length: 50 }, (_, i) => `more ${i}`) });
    expect([refused.status, (await read()).labels.length]).toEqual([400, 21]);
  });

  test("an empty body, no body, and null fields change nothing", async () => {
    const { change } = await received();
    const before = stable((await change({ labels: ["x"] })).body);
    for (const json of [undefined, {}, { read: null }, { read: null, labels: null }]) {
      expect(stable((await change(json)).body)).toEqual(before);
    }
  });

  test("what was sent, too", async () => {
    const { key, address } = await received();
    const sent = await client.post<Sent>(inboxPath(address, "/send"), { to: "a@else.example", text: "x" }, { key });
    const { body } = await client.patch<Message>(
      `/v1/messages/${sent.body.id}`,
      { read: false, labels: ["s"] },
      { key },
    );
    expect([body.read, body.labels]).toEqual([false, ["s"]]);
  });
});

describe("400", () => {
  test("values of another type and invalid labels are refused", async () => {
    const { change, read } = await received();
    const bad: [string, unknown[]][] = [
      ["read", ["no", "yes", 0, 1, [], {}]],
      ["labels", [{}, 5, [5], [null], [""], ["  "], ["a\nb"], ["\0"], ["\ud800"], ["x".repeat(101)], [["a"]]]],
      ["labels", [Array.from({ length: 51 }, (_, i) => `${i}`)]],
    ];
    for (const [field, values] of bad) {
      for (const value of values) {
        const { status, body } = await change({ [field]: value });
        expect([value, status, (body as unknown as { error: { code: string } }).error.code]).toEqual([
          value,
          400,
          "invalid_request",
        ]);
      }
    }
    expect([(await read()).read, (await read()).labels]).toEqual([false, []]);
  });
});

describe("404", () => {
  test("unknown, another's, of another mailbox than the key's, of a deleted one", async () => {
    const { key, enrollmentKeyId, address, path, read } = await received();
    const stranger = await received();
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    for (const json of [{ read: true, labels: ["taken"] }, {}]) {
      for (const [name, as] of [
        [path, stranger.key],
        [path, restricted.key],
        ["/v1/messages/msg_01jd3m9v5sf0b8j3mgz7qk2x4c", key],
        ["/v1/messages/x", key],
      ] as const) {
        const { status, body } = await client.patch(name, json, { key: as });
        expect([status, body.error.code]).toEqual([404, "message_not_found"]);
      }
    }
    expect([(await read()).read, (await read()).labels]).toEqual([false, []]);
    await client.delete(inboxPath(address), { key });
    expect((await client.patch(path, { read: true }, { key })).status).toBe(404);
  });
});

describe("PATCH /v1/messages", () => {
  type Updated = { updated: string[]; missing: string[] };
  const idOf = ({ path }: { path: string }) => path.split("/").at(-1) ?? "";
  const many = (key: string, json: object) => client.patch<Updated>("/v1/messages", json, { key });

  test("marks several messages in one call, and names those that the key has not", async () => {
    const own = await received();
    await service.mail({ from: "w@else.example", to: own.address, subject: "Two" });
    const { data } = (await client.get<Page<{ id: string }>>(inboxPath(own.address, "/messages"), own)).body;
    const ids = data.map(({ id }) => id);
    const foreign = await received();
    const unknown = [idOf(foreign), `msg_${"0".repeat(26)}`];
    const { status, body } = await many(own.key, {
      ids: [...ids, ...ids, ...unknown],
      read: true,
      labels: ["b", "a", "b"],
    });
    expect([status, body]).toEqual([200, { updated: ids, missing: unknown }]);
    for (const id of ids) {
      const { read, labels } = (await client.get<Message>(`/v1/messages/${id}`, own)).body;
      expect([read, labels]).toEqual([true, ["b", "a"]]);
    }
    expect(await foreign.read()).toMatchObject({ read: false, labels: [] });
    expect((await many(own.key, { ids })).body.updated).toEqual(ids);
    expect(await own.read()).toMatchObject({ read: true, labels: ["b", "a"] });
  });

  test("a key that is restricted to other mailboxes changes nothing", async () => {
    const { key, enrollmentKeyId, path, read } = await received();
    const { address } = await client.createInbox(key);
    const narrow = await service.newAgentKey(enrollmentKeyId, { inboxes: [address] });
    const { body } = await many(narrow.key, { ids: [idOf({ path })], read: true });
    expect(body).toEqual({ updated: [], missing: [idOf({ path })] });
    expect((await read()).read).toBe(false);
  });

  test("none, more than 100, and what is no id are refused", async () => {
    const { key, path } = await received();
    const id = idOf({ path });
    for (const ids of [[], Array.from({ length: 101 }, () => id), [id, 7], {}]) {
      expect((await many(key, { ids, read: true })).status).toBe(400);
    }
  });
});
