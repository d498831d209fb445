// The trash: deleted mail that can return.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { pruneTrash } from "#server/messages/move-to-trash.ts";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
const { sql } = service.system;
afterAll(() => client.close().then(service.stop));

type Message = {
  id: string;
  thread_id: string;
  subject: string;
  status: string;
  labels: string[];
  error?: string | null;
};
type Trashed = { id: string; inbox: string; subject: string; preview: string; deleted_at: string; expires_at: string };

async function mailbox() {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  const get = (path: string, as = key) => client.get<never>(path, { key: as });
  const list = async () => (await client.get<Page<Message>>(inboxPath(address, "/messages"), { key })).body.data;
  const trash = async (query = "", as = key) =>
    (await client.get<Page<Trashed>>(`/v1/trash?${query}`, { key: as })).body;
  const remove = (id: string, query = "", as = key) =>
    client.delete<{ deleted: true; error: { code: string } }>(`/v1/messages/${id}?${query}`, { key: as });
  const restore = (id: string, as = key) => client.post<Message>(`/v1/messages/${id}/restore`, undefined, { key: as });
  const receive = async (mail: { subject?: string; text?: string; messageId?: string; inReplyTo?: string } = {}) => {
    await service.mail({ from: "ana@else.example", to: address, subject: "x", ...mail });
    const [newest] = await list();
    if (!newest) throw new Error("nothing came in");
    return newest;
  };
  return { ...organization, key, address, get, list, trash, remove, restore, receive };
}
const USUAL = ["mailbox:create", "mailbox:read", "mailbox:send", "mailbox:delete"];

describe("DELETE", () => {
  test("moves a message to the trash: no list, no search, no thread, no file has it", async () => {
    const { get, list, trash, remove, receive } = await mailbox();
    const message = await receive({ subject: "invoice", text: "See the total." });
    await get(`/v1/messages/${message.id}`);
    expect((await remove(message.id)).body).toEqual({ id: message.id, deleted: true });
    expect(await list()).toEqual([]);
    for (const path of [
      `/v1/messages/${message.id}`,
      `/v1/messages/${message.id}/raw`,
      `/v1/threads/${message.thread_id}`,
      `/v1/threads/${message.thread_id}/digest`,
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    const [entry, ...more] = (await trash()).data;
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ id: message.id, subject: "invoice", preview: "See the total." });
    const days = (Date.parse(entry?.expires_at ?? "") - Date.parse(entry?.deleted_at ?? "")) / 86_400_000;
    expect(days).toBe(30);
    expect((await remove(message.id)).status).toBe(404);
  });

  test("of a thread moves all its messages, and the last deleted is first in the trash", async () => {
    const { key, address, trash, receive } = await mailbox();
    const first = await receive({ subject: "one", messageId: "<1@else.example>" });
    await receive({ subject: "two", inReplyTo: "<1@else.example>" });
    const other = await receive({ subject: "other" });
    await client.delete(`/v1/threads/${first.thread_id}`, { key });
    await client.delete(`/v1/messages/${other.id}`, { key });
    const page = await trash(`inbox=${address}&limit=1`);
    expect(page.data.map(({ subject }) => subject)).toEqual(["other"]);
    const rest = await trash(`inbox=${address}&cursor=${page.next_cursor}`);
    expect(rest.data.map(({ subject }) => subject).sort()).toEqual(["one", "two"]);
    expect(rest.next_cursor).toBeNull();
  });

  test("permanent=true erases, also what is in the trash, and needs the scope", async () => {
    const { enrollmentKeyId, key, remove, receive, trash, restore } = await mailbox();
    const [one, two] = [await receive(), await receive()];
    await remove(one.id);
    const usual = await service.newAgentKey(enrollmentKeyId, { scopes: USUAL });
    const { status, body } = await remove(two.id, "permanent=true", usual.key);
    expect([status, body.error.code]).toEqual([403, "insufficient_scope"]);
    for (const { id } of [one, two]) {
      expect((await remove(id, "permanent=true", key)).status).toBe(200);
      expect((await remove(id, "permanent=true", key)).status).toBe(404);
      const left = await sql`select message_id from raw_messages where message_id = ${decodeId("msg", id) ?? ""}`;
      expect(left).toHaveLength(0);
      expect((await restore(id)).status).toBe(404);
    }
    expect((await trash()).data).toEqual([]);
  });
});

describe("restore", () => {
  test("returns the message with its id, thread, labels, text and files", async () => {
    const { key, address, get, list, remove, restore } = await mailbox();
    const attachments = [{ filename: "a.txt", content: Buffer.from("a note") }];
    await service.mail({
      from: "ana@else.example",
      to: address,
      subject: "order",
      text: "the code is 4711",
      attachments,
    });
    const [message] = await list();
    const { id = "", thread_id } = message ?? {};
    await client.patch(`/v1/messages/${id}`, { labels: ["kept"], read: true }, { key });
    const before = (await get(`/v1/messages/${id}`)).body as Record<string, unknown>;
    await remove(id);
    const restored = await restore(id);
    expect(restored.status).toBe(200);
    const same = ({ safe_text: _, ...rest }: Record<string, unknown>) => rest;
    expect(same(restored.body as never)).toEqual(same(before));
    expect((await list()).map((each) => each.id)).toEqual([id]);
    expect(((await get(`/v1/threads/${thread_id}`)).body as { message_count: number }).message_count).toBe(1);
    expect((await get(`/v1/messages/${id}/raw`)).status).toBe(200);
    const [file] = before.attachments as { id: string }[];
    expect((await get(`/v1/messages/${id}/attachments/${file?.id}`)).text).toBe("a note");
    expect(((await get("/v1/messages?q=4711")).body as Page<Message>).data).toHaveLength(1);
    expect((await restore(id)).status).toBe(404);
  });

  test("into a thread that went on", async () => {
    const { remove, restore, receive, get } = await mailbox();
    const first = await receive({ messageId: "<1@else.example>" });
    await receive({ messageId: "<2@else.example>", inReplyTo: "<1@else.example>" });
    await remove(first.id);
    const third = await receive({ inReplyTo: "<2@else.example>" });
    await restore(first.id);
    const { body } = await get(`/v1/threads/${first.thread_id}`);
    expect(body).toMatchObject({ message_count: 3, last_message_id: third.id });
  });

  test("mail that waited to be sent is not sent: it returns as failed, and its idempotency key is free", async () => {
    const { key, address, remove, restore } = await mailbox();
    const json = {
      to: "b@else.example",
      text: "x",
      idempotency_key: "once",
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const send = async () => (await client.post<Sent>(inboxPath(address, "/send"), json, { key })).body;
    const sent = await send();
    await remove(sent.id);
    const again = await send();
    expect(again.id).not.toBe(sent.id);
    const { body } = await restore(sent.id);
    expect(body).toMatchObject({ id: sent.id, status: "failed", recipients: [{ status: "failed" }] });
    expect(body.error).toContain("deleted");
    const queued = (await client.post<Sent>(inboxPath(address, "/send"), { to: "b@else.example", text: "x" }, { key }))
      .body;
    await remove(queued.id);
    expect((await restore(queued.id)).body).toMatchObject({ status: "failed", recipients: [{ status: "failed" }] });
  });

  test("the same mail can arrive again meanwhile", async () => {
    const { address, list, remove, restore } = await mailbox();
    const mail = { from: "ana@else.example", to: address, subject: "same", messageId: "<same@else.example>" };
    await service.mail(mail);
    const [first] = await list();
    await remove(first?.id ?? "");
    await service.mail(mail);
    expect((await restore(first?.id ?? "")).status).toBe(200);
    expect(await list()).toHaveLength(2);
  });

  test("of concurrent ones exactly one succeeds", async () => {
    const { remove, restore, receive, list } = await mailbox();
    const { id } = await receive();
    await remove(id);
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => restore(id)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect(await list()).toHaveLength(1);
  });

  test("404 for another organization, a key of another mailbox, after the mailbox is deleted", async () => {
    const { key, enrollmentKeyId, address, remove, restore, receive, trash } = await mailbox();
    const { id } = await receive();
    await remove(id);
    const stranger = await mailbox();
    const other = await client.createInbox(key);
    const narrow = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    for (const as of [stranger.key, narrow.key]) {
      expect((await restore(id, as)).status).toBe(404);
      expect((await trash("", as)).data).toEqual([]);
    }
    expect((await trash()).data.map((each) => each.id)).toEqual([id]);
    await client.delete(inboxPath(address), { key });
    expect((await restore(id)).status).toBe(404);
    expect((await trash()).data).toEqual([]);
  });
});

describe("the trash", () => {
  test("counts against the storage quota until it is emptied", async () => {
    const { address, key, remove, receive } = await mailbox();
    const used = async () =>
      (await client.get<{ used_bytes: number }>(inboxPath(address, "/storage"), { key })).body.used_bytes;
    const { id } = await receive({ text: "x".repeat(50_000) });
    const before = await used();
    await remove(id);
    expect(await used()).toBe(before);
    await remove(id, "permanent=true");
    expect(await used()).toBe(0);
  });

  test("is emptied of what was deleted 30 days ago, and of what is past the retention of its mailbox", async () => {
    const { remove, receive, trash, organizationId: organization } = await mailbox();
    const [old, expired, kept] = [await receive(), await receive(), await receive()];
    for (const { id } of [old, expired, kept]) await remove(id);
    await sql`update trashed_messages set deleted_at = now() - interval '31 days' where id = ${decodeId("msg", old.id) ?? ""}`;
    await sql`update trashed_messages set created_at = now() - interval '8 days' where id = ${decodeId("msg", expired.id) ?? ""}`;
    await sql`insert into retention_policies (organization_id, inbox_id, message_days)
      values (${decodeId("org", organization) ?? ""}, '00000000-0000-0000-0000-000000000000', 7)`;
    await pruneTrash(service.system);
    expect((await trash()).data.map(({ id }) => id)).toEqual([kept.id]);
    const ids = [old, expired].map(({ id }) => decodeId("msg", id) ?? "");
    expect(await sql`select 1 from raw_messages where message_id = any(${ids}::uuid[])`).toHaveLength(0);
  });

  test("is emptied by a member of what it had when it was counted, and of no other organization's", async () => {
    const { organizationId, remove, receive, trash } = await mailbox();
    const other = await mailbox();
    const { trpc } = await newMember(service, await newOwner(service, organizationId), "member");
    expect(await trpc.trash.size.query()).toEqual({ count: 0, deleted_until: null });
    const foreign = await other.receive();
    await other.remove(foreign.id);
    for (const { id } of [await receive(), await receive()]) await remove(id);
    const { count, deleted_until } = await trpc.trash.size.query();
    expect([count, deleted_until]).toEqual([2, (await trash()).data[0]?.deleted_at]);
    const later = await receive();
    await remove(later.id);
    const late = new Date(Date.parse(deleted_until ?? "") + 1);
    await sql`update trashed_messages set deleted_at = ${late} where id = ${decodeId("msg", later.id) ?? ""}`;
    const emptied = await trpc.trash.empty.mutate({ deleted_until: deleted_until ?? "" });
    expect(emptied).toEqual({ erased: 2, more: false });
    expect((await trash()).data.map(({ id }) => id)).toEqual([later.id]);
    await trpc.trash.empty.mutate({ deleted_until: "2100-01-01T00:00:00Z" });
    expect((await trash()).data).toEqual([]);
    expect((await other.trash()).data.map(({ id }) => id)).toEqual([foreign.id]);
  });
});
