// DELETE /v1/threads/{id}.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId, encodeId, newId } from "#server/base/ids.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
const { sql } = service.system;
afterAll(() => client.close().then(service.stop));

type Summary = { id: string; thread_id: string; subject: string };

/** A mailbox with a thread of two mails, and a third mail beside it. */
async function mailbox() {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  const mail = (more: object) => service.mail({ from: "w@else.example", to: address, ...more });
  await mail({ subject: "one", messageId: "<one@else.example>" });
  await mail({ subject: "two", messageId: "<two@else.example>", inReplyTo: "<one@else.example>" });
  await mail({ subject: "aside" });
  const list = async () => (await client.get<Page<Summary>>(inboxPath(address, "/messages"), { key })).body.data;
  const thread = (await list())[1]?.thread_id ?? "";
  const remove = (id = thread, query = "") =>
    client.delete<{ id: string; deleted: true }>(`/v1/threads/${id}${query}`, { key });
  return { ...organization, key, address, thread, mail, list, remove };
}

describe("200", () => {
  test("permanently, the thread and all its messages with their raw bytes, and nothing else", async () => {
    const { thread, list, remove, key } = await mailbox();
    const gone = (await list()).filter(({ thread_id }) => thread_id === thread).map(({ id }) => decodeId("msg", id));
    expect(gone).toHaveLength(2);
    const { status, body } = await remove(thread, "?permanent=true");
    expect([status, body]).toEqual([200, { id: thread, deleted: true }]);
    expect((await list()).map(({ subject }) => subject)).toEqual(["aside"]);
    const raw = await sql`select 1 from raw_messages where message_id = any(${gone as string[]}::uuid[])`;
    expect(raw).toHaveLength(0);
    expect((await client.get(`/v1/threads/${thread}`, { key })).status).toBe(404);
  });

  test("a reply to a deleted thread starts a new thread", async () => {
    const { thread, mail, list, remove } = await mailbox();
    await remove();
    await mail({ subject: "late", inReplyTo: "<two@else.example>" });
    const [late] = await list();
    expect(late?.subject).toBe("late");
    expect(late?.thread_id).not.toBe(thread);
  });

  test("once the worker that holds one of its messages releases it", async () => {
    const { list, thread, remove } = await mailbox();
    const message = (await list()).find(({ thread_id }) => thread_id === thread);
    const id = decodeId("msg", message?.id ?? "") ?? "";
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = sql.begin(async (tx) => {
      await tx`select 1 from messages where id = ${id} for update`;
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const removed = remove();
    await expect.poll(async () => (await list()).length).toBe(2);
    release.resolve();
    await holder;
    expect((await removed).status).toBe(200);
    expect(await list()).toHaveLength(1);
  });

  test("by two concurrent calls, beside deletes of its messages", async () => {
    const { list, thread, remove, key } = await mailbox();
    const messages = (await list()).filter(({ thread_id }) => thread_id === thread);
    const answers = await Promise.all([
      remove(),
      remove(),
      ...messages.map(({ id }) => client.delete(`/v1/messages/${id}`, { key })),
    ]);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    expect(await list()).toHaveLength(1);
    expect(await sql`select 1 from threads where id = ${decodeId("thr", thread) ?? ""}`).toHaveLength(0);
  });
});

describe("404", () => {
  test("a second time; unknown, another's, of another mailbox than the key's", async () => {
    const { key, enrollmentKeyId, thread, list, remove } = await mailbox();
    const stranger = await mailbox();
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    for (const [name, as] of [
      [thread, stranger.key],
      [thread, restricted.key],
      [encodeId("thr", newId()), key],
      ["x", key],
    ]) {
      const { status, body } = await client.delete(`/v1/threads/${name}`, { key: as });
      expect([name, status, body.error.code]).toEqual([name, 404, "thread_not_found"]);
    }
    expect(await list()).toHaveLength(3);
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(404);
  });
});
