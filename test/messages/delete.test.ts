// DELETE /v1/messages/{id}.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId, newId } from "#server/base/ids.ts";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
const { sql } = service.system;
afterAll(() => client.close().then(service.stop));

const PERMANENT = "?permanent=true";

type Summary = { id: string; thread_id: string; subject: string };

async function mailbox() {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  const list = async () => (await client.get<Page<Summary>>(inboxPath(address, "/messages"), { key })).body.data;
  const remove = (id: string | undefined, query = "") =>
    client.delete<{ id: string; deleted: true }>(`/v1/messages/${id}${query}`, { key });
  const receive = async (headers: { messageId?: string; inReplyTo?: string } = {}, subject = "x") => {
    await service.mail({ from: "w@else.example", to: address, subject, ...headers });
    const [newest] = await list();
    if (!newest) throw new Error("nothing came in");
    return newest;
  };
  return { ...organization, key, address, list, remove, receive };
}

/** What is stored of a message and its thread, table by table. */
async function traces(message: Summary) {
  const id = decodeId("msg", message.id) ?? "";
  const [counts] = await sql<[Record<string, number>]>`select
    (select count(*)::int from messages where id = ${id}) as messages,
    (select count(*)::int from raw_messages where message_id = ${id}) as raw,
    (select count(*)::int from attachments where message_id = ${id}) as attachments,
    (select count(*)::int from threads where id = ${decodeId("thr", message.thread_id) ?? ""}) as threads`;
  return counts;
}
const lastOf = async (threadId: string) => {
  const [row] = await sql<{ last_message_id: string }[]>`
    select last_message_id from threads where id = ${decodeId("thr", threadId) ?? ""}`;
  return row?.last_message_id;
};

describe("200", () => {
  test("permanently, an inbound mail: row, raw bytes and, with its last message, the thread", async () => {
    const { list, remove, receive } = await mailbox();
    const kept = await receive();
    const gone = await receive();
    expect(await traces(gone)).toEqual({ messages: 1, raw: 1, attachments: 0, threads: 1 });
    const { status, body } = await remove(gone.id, PERMANENT);
    expect([status, body]).toEqual([200, { id: gone.id, deleted: true }]);
    expect(await traces(gone)).toEqual({ messages: 0, raw: 0, attachments: 0, threads: 0 });
    expect(await traces(kept)).toEqual({ messages: 1, raw: 1, attachments: 0, threads: 1 });
    expect((await list()).map(({ id }) => id)).toEqual([kept.id]);
  });

  test("permanently, a queued one is withdrawn with its attachments; what it counted stays counted", async () => {
    const { key, address, remove } = await mailbox();
    const file = { filename: "a.txt", content_type: "text/plain", content_base64: "YQ==" };
    const json = { to: "a@else.example", text: "x", attachments: [file], idempotency_key: "once" };
    const send = async () => (await client.post<Sent>(inboxPath(address, "/send"), json, { key })).body;
    const sent = { subject: "", ...(await send()) };
    expect(await traces(sent)).toEqual({ messages: 1, raw: 0, attachments: 1, threads: 1 });
    expect((await remove(sent.id, PERMANENT)).status).toBe(200);
    expect(await traces(sent)).toEqual({ messages: 0, raw: 0, attachments: 0, threads: 0 });
    const { body } = await client.get<{ used: number }>(inboxPath(address, "/send-limit"), { key });
    expect(body.used).toBe(1);
    expect((await send()).id).not.toBe(sent.id);
  });

  test("the thread's newest message is the newest that is left", async () => {
    const { remove, receive } = await mailbox();
    const first = await receive({ messageId: "<one@else.example>" });
    const second = await receive({ messageId: "<two@else.example>", inReplyTo: "<one@else.example>" });
    const third = await receive({ inReplyTo: "<two@else.example>" });
    expect(new Set([first, second, third].map(({ thread_id }) => thread_id)).size).toBe(1);
    const last = () => lastOf(first.thread_id);
    expect(await last()).toBe(decodeId("msg", third.id));
    await remove(second.id);
    expect(await last()).toBe(decodeId("msg", third.id));
    await remove(third.id);
    expect(await last()).toBe(decodeId("msg", first.id));
    await remove(first.id);
    expect(await last()).toBeUndefined();
  });

  test("while a mail that joins the thread is not committed yet: it waits, and leaves the thread to it", async () => {
    const { remove, receive } = await mailbox();
    const message = await receive();
    const [id, threadId, joined] = [decodeId("msg", message.id), decodeId("thr", message.thread_id), newId()];
    const [written, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const joining = sql.begin(async (tx) => {
      await tx`insert into messages select (jsonb_populate_record(m, ${`{"id":"${joined}","duplicate_key":null}`}::text::jsonb)).*
        from messages m where id = ${id ?? ""}`;
      await tx`update threads set last_message_id = ${joined} where id = ${threadId ?? ""}`;
      written.resolve();
      await release.promise;
    });
    await written.promise;
    const removed = remove(message.id);
    await expect.poll(() => waitingForLocks(sql)).toBe(1);
    release.resolve();
    await joining;
    expect((await removed).status).toBe(200);
    expect(await lastOf(message.thread_id)).toBe(joined);
  });

  test("while mail joins the thread, again and again: it is always there, with its newest", async () => {
    const { address, list, remove, receive } = await mailbox();
    await receive({ messageId: "<0@else.example>" });
    for (let round = 1; round <= 5; round += 1) {
      const answer = { from: "w@else.example", to: address, inReplyTo: `<${round - 1}@else.example>` };
      const ids = [`<${round}@else.example>`, `<${round}.b@else.example>`, `<${round}.c@else.example>`];
      const before = await list();
      await Promise.all([
        ...before.map(({ id }) => remove(id)),
        ...ids.map((messageId) => service.mail({ ...answer, messageId } as Parameters<typeof service.mail>[0])),
      ]);
      const after = await list();
      expect(after).toHaveLength(ids.length);
      for (const { thread_id } of after) {
        const newest = after.find((each) => each.thread_id === thread_id);
        expect(await lastOf(thread_id)).toBe(decodeId("msg", newest?.id ?? ""));
      }
      const empty = await sql`select 1 from threads t where not exists (select from messages where thread_id = t.id)`;
      expect(empty).toHaveLength(0);
    }
  });
});

describe("404", () => {
  test("a second time, also for concurrent calls", async () => {
    const { remove, receive } = await mailbox();
    const message = await receive();
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => remove(message.id)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 404, 404, 404, 404, 404]);
  });

  test("unknown, another's, of another mailbox than the key's, of a deleted one", async () => {
    const { key, enrollmentKeyId, address, receive } = await mailbox();
    const [message, stranger] = [await receive(), await mailbox()];
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    const gone = await client.createInbox(key);
    await service.mail({ from: "w@else.example", to: gone.address });
    const { data } = (await client.get<Page<Summary>>(inboxPath(gone.address, "/messages"), { key })).body;
    await client.delete(inboxPath(gone.address), { key });
    for (const [id, as] of [
      [message.id, stranger.key],
      [message.id, restricted.key],
      [data[0]?.id, key],
      ["msg_01jd3m9v5sf0b8j3mgz7qk2x4c", key],
      [message.thread_id, key],
      ["x", key],
    ]) {
      const { status, body } = await client.delete(`/v1/messages/${id}`, { key: as });
      expect([id, status, body.error.code]).toEqual([id, 404, "message_not_found"]);
    }
    expect(await traces(message)).toMatchObject({ messages: 1, raw: 1, threads: 1 });
    expect(address).toBeTruthy();
  });
});
