// The activity of a key, and its undo: everything is as before, except for what is listed.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { eraseDeleted } from "#server/messages/erase.ts";
import { api, inboxPath, type Page, withoutRequest } from "#test/support/api.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";
import { exportOf, newRig } from "./rig.ts";

const service = await startTestService({
  ROLES: "web,smtp",
  SEND_CAP_RAMP: "1000",
  STORAGE_QUOTA_PER_INBOX: "10000000",
});
const client = api(service);
afterAll(() => client.close().then(service.stop));
const rig = (mails?: number) => newRig(service, client, mails);
const HOUR_MS = 3_600_000;
const SENDS = 40;
/** As server/recipients/lists/owner.ts has it. */
const LISTS_LOCK = 0x6c7374;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const file = (text: string) => ({ filename: "a.txt", content_type: "text/plain", content_base64: btoa(text) });

describe("activity", () => {
  test("has each change with what it was and is, and no read", async () => {
    const { key, messages, activity, address } = await rig();
    const [first] = await messages();
    await client.get(`/v1/messages/${first?.id}`, { key });
    const { headers } = await client.patch(`/v1/messages/${first?.id}`, { labels: ["a"], read: true }, { key });
    await client.patch(`/v1/messages/${first?.id}`, { read: true }, { key });
    const [entry, ...more] = await activity();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      verb: "messages.update",
      request_id: headers["x-request-id"],
      inbox: address,
      change_count: 1,
      changes: [
        { kind: "message", id: first?.id, before: { read: false, labels: [] }, after: { read: true, labels: ["a"] } },
      ],
    });
  });

  test("is for members, the key itself and the keys above it", async () => {
    const { key, keyId, parent, organizationId, enrollmentKeyId, activity } = await rig();
    const { trpc } = await newOwner(service, organizationId);
    expect(await activity(key)).toEqual(await activity(parent));
    expect((await trpc.keys.activity.query({ id: keyId })).data).toEqual(await activity());
    const other = await service.newOrganization();
    const sibling = await service.newAgentKey(enrollmentKeyId);
    const unknown = `akey_${"0".repeat(26)}`;
    const asked = async (as: string, id: string) => {
      const { status, body } = await client.get(`/v1/keys/${id}/activity`, { key: as });
      return [status, withoutRequest(body)];
    };
    expect(await asked(other.agentKey, keyId)).toEqual(await asked(other.agentKey, unknown));
    expect((await asked(other.agentKey, keyId))[0]).toBe(404);
    expect((await asked(sibling.key, keyId))[0]).toBe(404);
    const stranger = await newOwner(service, other.organizationId);
    await expect(stranger.trpc.keys.activity.query({ id: keyId })).rejects.toThrow("There is no agent key");
    await expect(stranger.trpc.keys.undo.mutate({ id: keyId, since: inHours(-1) })).rejects.toThrow("no agent key");
  });

  test("names mail only to keys that may read it", async () => {
    const { enrollmentKeyId, messages, activity } = await rig(1);
    const [message] = await messages();
    const blind = await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:delete"] });
    expect((await client.delete(`/v1/messages/${message?.id}`, { key: blind.key })).status).toBe(200);
    const [own] = await activity(blind.key, blind.id);
    expect(own?.changes).toMatchObject([{ kind: "message", id: message?.id, name: null }]);
    const { trpc } = await newOwner(service, (await client.get<{ org_id: string }>("/v1/auth/me", blind)).body.org_id);
    const [seen] = (await trpc.keys.activity.query({ id: blind.id })).data;
    expect(seen?.changes).toMatchObject([{ name: "Mail 0" }]);
  });

  test("pages, and records calls over MCP and tRPC too", async () => {
    const { keyId, parent, key, address } = await rig(0);
    for (const entry of ["a.example", "b.example", "c.example"]) {
      await client.post("/v1/lists/send/block", { entry, inbox: address }, { key });
    }
    type Entries = Page<{ changes: { after: { entry: string } }[] }>;
    const first = await client.get<Entries>(`/v1/keys/${keyId}/activity?limit=2`, { key: parent });
    const rest = await client.get<Entries>(`/v1/keys/${keyId}/activity?cursor=${first.body.next_cursor}`, {
      key: parent,
    });
    const named = [...first.body.data, ...rest.body.data].map(({ changes }) => changes[0]?.after.entry);
    expect(named).toEqual(["c.example", "b.example", "a.example"]);
  });
});

describe("undo", () => {
  test("returns everything to what it was", async () => {
    const { key, keyId, parent, organizationId, address, messages, undo, activity } = await rig(6);
    await service.mail({ from: "x@else.example", to: address, subject: "gone already" });
    const before = await messages();
    await client.get(`/v1/messages/${before[0]?.id}`, { key: parent });
    const [trashed, m1, m2, , m4] = before.map(({ id }) => id);
    await client.delete(`/v1/messages/${trashed}`, { key: parent });
    const draft = (
      await client.post<{ id: string }>(
        "/v1/drafts",
        { inbox: address, text: "first", labels: ["kept"], attachments: [file("one")] },
        { key: parent },
      )
    ).body;
    const gone = (
      await client.post<{ id: string }>(
        "/v1/drafts",
        { inbox: address, text: "second", attachments: [file("two")] },
        { key: parent },
      )
    ).body;
    const posted = (
      await client.post<{ id: string }>(
        "/v1/drafts",
        { inbox: address, to: "p@else.example", text: "third" },
        { key: parent },
      )
    ).body;
    const hook = (
      await client.post<{ id: string }>(
        "/v1/webhooks",
        { url: "https://a.example/1", events: ["message.received"] },
        { key: parent },
      )
    ).body;
    const changed = (
      await client.post<{ id: string }>(
        "/v1/webhooks",
        { url: "https://a.example/2", events: ["message.received"] },
        { key: parent },
      )
    ).body;
    await client.post("/v1/lists/send/block", { entry: "a.example" }, { key: parent });
    await client.post("/v1/suppressions", { address: "s@else.example" }, { key: parent });
    const later = (
      await client.post<{ id: string }>(
        inboxPath(address, "/send"),
        { to: "q@else.example", text: "x", send_at: inHours(5) },
        { key: parent },
      )
    ).body;
    const was = await exportOf(service, organizationId, keyId);
    const since = new Date().toISOString();

    const did = async (call: Promise<{ status: number; text: string }>) => {
      const { status, text } = await call;
      expect([status, text]).toEqual([expect.toSatisfy((code: number) => code < 300), text]);
    };
    await did(client.patch(`/v1/messages/${m1}`, { labels: ["x"], read: true }, { key }));
    await did(client.patch(`/v1/messages/${m1}`, { labels: ["y"] }, { key }));
    await did(client.patch("/v1/messages", { ids: [m1, m2], add_labels: ["z"] }, { key }));
    await did(client.delete(`/v1/messages/${m2}`, { key }));
    await did(client.delete(`/v1/threads/${before[3]?.thread_id}`, { key }));
    await did(client.post(`/v1/messages/${trashed}/restore`, undefined, { key }));
    await did(client.patch(`/v1/messages/${trashed}`, { labels: ["back"] }, { key }));
    await did(client.delete(`/v1/messages/${trashed}`, { key }));
    await did(client.post(inboxPath(address, "/send"), { to: "a@else.example", text: "x" }, { key }));
    await did(
      client.post(inboxPath(address, "/send"), { to: "b@else.example", text: "x", send_at: inHours(1) }, { key }),
    );
    await did(client.post(`/v1/messages/${m4}/reply`, { text: "x" }, { key }));
    await did(client.patch(`/v1/messages/${later.id}`, { send_at: inHours(9) }, { key }));
    await did(client.patch(`/v1/drafts/${draft.id}`, { revision: 1, text: "changed", labels: [] }, { key }));
    await did(client.patch(`/v1/drafts/${draft.id}`, { revision: 2, attachments: [file("other")] }, { key }));
    await did(client.delete(`/v1/drafts/${gone.id}`, { key }));
    await did(client.post(`/v1/drafts/${posted.id}/send`, { revision: 1 }, { key }));
    await did(client.post("/v1/drafts", { inbox: address, text: "new" }, { key }));
    await did(client.delete(`/v1/webhooks/${hook.id}`, { key }));
    await did(client.patch(`/v1/webhooks/${changed.id}`, { url: "https://b.example/2" }, { key }));
    await did(client.post("/v1/webhooks", { url: "https://c.example", events: ["message.received"] }, { key }));
    await did(client.delete("/v1/lists/send/block?entry=a.example", { key }));
    await did(client.post("/v1/lists/send/block", { entry: "b.example" }, { key }));
    await did(client.delete("/v1/suppressions/s%40else.example", { key }));
    await did(client.post("/v1/suppressions", { address: "t@else.example" }, { key }));
    await did(client.patch(inboxPath(address), { display_name: "Changed", metadata: { a: 1 } }, { key }));
    await did(client.post("/v1/inboxes", {}, { key }));
    const child = (await client.post<{ key: string }>("/v1/keys", { scopes: ["mailbox:read"] }, { key })).body.key;
    await did(client.patch(`/v1/messages/${m4}`, { read: true }, { key: child }));
    expect(await exportOf(service, organizationId, keyId)).not.toEqual(was);

    const statuses = () => service.system.sql`
      select id, status, labels from messages where organization_id = ${decodeId("org", organizationId) ?? ""} order by id`;
    const stored = [...(await statuses())];
    const dry = await undo({ since, dry_run: true });
    expect(dry.body).toMatchObject({ dry_run: true, revoked: false, not_undone: [], more: false });
    expect((await client.get("/v1/auth/me", { key })).status).toBe(200);
    expect([...(await statuses())]).toEqual(stored);
    const { status, body } = await undo({ since });
    expect(status).toBe(200);
    expect(body).toMatchObject({ dry_run: false, revoked: true, not_undone: [], not_undone_count: 0 });
    expect(body.operations).toEqual(dry.body.operations);
    expect(await exportOf(service, organizationId, keyId)).toEqual(was);
    for (const revoked of [key, child]) {
      await expect.poll(async () => (await client.get("/v1/auth/me", { key: revoked })).status).toBe(401);
    }
    expect((await activity()).every(({ undone_at }) => undone_at !== null)).toBe(true);
    expect((await undo({ since })).body).toEqual(body);
    expect(await exportOf(service, organizationId, keyId)).toEqual(was);
  });

  test("lists what stays, with the reason", async () => {
    const { key, parent, address, messages, undo } = await rig(3);
    const [m1, m2] = (await messages()).map(({ id }) => id);
    const doomed = await client.createInbox(parent);
    await client.delete(`/v1/messages/${m1}?permanent=true`, { key });
    await client.patch(`/v1/messages/${m2}`, { labels: ["mine"] }, { key });
    await client.patch(`/v1/messages/${m2}`, { labels: ["theirs"] }, { key: parent });
    await client.delete(inboxPath(doomed.address), { key });
    const left = (
      await client.post<{ id: string }>(inboxPath(address, "/send"), { to: "a@else.example", text: "x" }, { key })
    ).body.id;
    await service.system
      .sql`update messages set status = 'sent', sent_at = now(), attempts = 1 where direction = 'outbound'`;
    const created = await client.createInbox(key);
    await service.mail({ from: "w@else.example", to: created.address });
    const dry = (await undo({ dry_run: true })).body;
    const { not_undone } = (await undo()).body;
    expect(not_undone).toEqual(dry.not_undone);
    const reasons = not_undone.map(({ kind, id, reason }) => [kind, id, reason]);
    expect(reasons).toEqual(
      expect.arrayContaining([
        ["inbox", created.id, "It received mail. Delete it if you do not need the mail."],
        ["send", left, "It left: its status is `sent`."],
        ["inbox", doomed.id, "The mailbox was deleted with its mail."],
        ["message", m2, "Another caller changed it since."],
        ["message", m1, "The message was erased permanently."],
      ]),
    );
    expect(reasons).toHaveLength(5);
    expect((await messages()).find(({ id }) => id === m2)?.labels).toEqual(["theirs"]);
  });

  test("lists a mailbox that the key created and deleted, with or without mail", async () => {
    const { key, parent, address, undo } = await rig(0);
    const busy = await client.createInbox(key);
    await service.mail({ from: "guest@else.example", to: busy.address, subject: "For the new mailbox" });
    const empty = await client.createInbox(key);
    const kept = await client.createInbox(key);
    const { body } = await client.post<{ id: string }>(
      inboxPath(busy.address, "/send"),
      { to: address, text: "x" },
      { key },
    );
    for (const gone of [busy, empty]) await client.delete(inboxPath(gone.address), { key });
    await service.system.sql`delete from messages where id = ${decodeId("msg", body.id) ?? ""}`;
    const dry = (await undo({ dry_run: true })).body;
    const { not_undone, not_undone_count } = (await undo()).body;
    expect(not_undone).toEqual(dry.not_undone);
    expect(not_undone.map(({ id, verb, reason }) => [id, verb, reason])).toEqual([
      [empty.id, "inboxes.remove", "The mailbox was deleted with its mail."],
      [busy.id, "inboxes.remove", "The mailbox was deleted with its mail."],
      [body.id, "messages.send", "It was erased. Whether it left is not known any more."],
    ]);
    expect(not_undone_count).toBe(3);
    expect((await client.get(inboxPath(kept.address), { key: parent })).status).toBe(404);
  });

  test("returns what another caller changed and the key, which had created it, deleted", async () => {
    const { key, parent, organizationId, address, undo } = await rig(0);
    const url = "https://a.example/hook";
    const made = async (path: string, json: object) => {
      const { status, body } = await client.post<{ id: string }>(path, json, { key });
      expect(status, JSON.stringify(body)).toBe(201);
      return body.id;
    };
    const [own, changed] = [
      await made("/v1/webhooks", { url, events: ["message.received"] }),
      await made("/v1/webhooks", { url: `${url}/2`, events: ["message.received"] }),
    ];
    const owner = await newOwner(service, organizationId);
    await owner.trpc.webhooks.update.mutate({ id: changed, url: `${url}/theirs` });
    const draft = await made("/v1/drafts", { inbox: address, text: "mine" });
    const theirs = { text: "theirs", revision: 1 };
    expect((await client.patch(`/v1/drafts/${draft}`, theirs, { key: parent })).status).toBe(200);
    for (const id of [own, changed]) await client.delete(`/v1/webhooks/${id}`, { key });
    await client.delete(`/v1/drafts/${draft}`, { key });
    expect((await undo()).body.not_undone).toEqual([]);
    const webhooks = (await owner.trpc.webhooks.list.query({})).data.map(({ id, url }) => [id, url]);
    expect(webhooks).toEqual([[changed, `${url}/theirs`]]);
    expect((await client.get<{ text: string }>(`/v1/drafts/${draft}`, { key: parent })).body.text).toBe("theirs");
  });

  test("returns a field to what another caller left between two changes", async () => {
    const { key, parent, messages, undo } = await rig(1);
    const [message] = await messages();
    for (const [labels, by] of [
      ["a", key],
      ["b", parent],
      ["c", key],
    ] as const) {
      await client.patch(`/v1/messages/${message?.id}`, { labels: [labels] }, { key: by });
    }
    expect((await undo()).body.not_undone).toEqual([]);
    expect((await messages())[0]?.labels).toEqual(["b"]);
  });

  test("takes back only what happened since then", async () => {
    const { key, messages, undo } = await rig(1);
    const [message] = await messages();
    await client.patch(`/v1/messages/${message?.id}`, { labels: ["early"] }, { key });
    const since = new Date(Date.now() + 1).toISOString();
    await expect.poll(() => new Date().toISOString() > since).toBe(true);
    await client.patch(`/v1/messages/${message?.id}`, { labels: ["late"] }, { key });
    await undo({ since });
    expect((await messages())[0]?.labels).toEqual(["early"]);
    await undo();
    expect((await messages())[0]?.labels).toEqual([]);
  });

  test("is refused to the key itself, to keys beside it, and to members without the role", async () => {
    const { key, keyId, organizationId, enrollmentKeyId, undo } = await rig(0);
    expect((await undo({}, key)).status).toBe(403);
    expect((await undo({}, (await service.newAgentKey(enrollmentKeyId)).key)).status).toBe(404);
    const owner = await newOwner(service, organizationId);
    const member = await newMember(service, owner, "member");
    await expect(member.trpc.keys.undo.mutate({ id: keyId, since: inHours(-1) })).rejects.toThrow("needs the role");
    expect((await owner.trpc.keys.undo.mutate({ id: keyId, since: inHours(-1) })).revoked).toBe(true);
    expect((await undo({ since: inHours(1) })).status).toBe(400);
  });

  test("is refused to members and keys of another organization", async () => {
    const { key, keyId, undo } = await rig(0);
    const other = await service.newOrganization();
    const owner = await newOwner(service, other.organizationId);
    const call = { id: keyId, since: inHours(-1) };
    await expect(owner.trpc.keys.undo.mutate(call)).rejects.toThrow("There is no agent key");
    await expect(owner.trpc.keys.undo.mutate({ ...call, dry_run: true })).rejects.toThrow("There is no agent key");
    expect((await undo({}, other.agentKey)).status).toBe(404);
    expect((await client.get("/v1/auth/me", { key })).status).toBe(200);
  });
});

describe("at the same time", () => {
  test("a second undo changes nothing more", async () => {
    const { key, keyId, organizationId, address, messages, undo } = await rig(5);
    const was = await exportOf(service, organizationId, keyId);
    for (const { id } of await messages()) await client.patch(`/v1/messages/${id}`, { labels: ["a"] }, { key });
    await client.post("/v1/lists/send/block", { entry: "a.example", inbox: address }, { key });
    const [first, second] = await Promise.all([undo(), undo()]);
    expect([first?.status, second?.status]).toEqual([200, 200]);
    expect(first?.body).toEqual(second?.body);
    expect(await exportOf(service, organizationId, keyId)).toEqual(was);
  });

  test("no send of the key outlives the undo, also not one that was running", async () => {
    const { key, address, undo } = await rig(0);
    const child = (await client.post<{ key: string }>("/v1/keys", { scopes: ["mailbox:send"] }, { key })).body.key;
    const send = (as: string) =>
      client.post<{ id: string }>(inboxPath(address, "/send"), { to: "a@else.example", text: "x" }, { key: as });
    await send(key);
    const sends = Array.from({ length: SENDS }, (_, n) => send(n % 2 ? key : child));
    const { body } = await undo();
    const late = await Promise.all([send(key), send(child), ...sends]);
    expect(late.slice(0, 2).map(({ status }) => status)).toEqual([401, 401]);
    expect(new Set(late.map(({ status }) => status)).isSubsetOf(new Set([202, 401]))).toBe(true);
    expect(body.not_undone).toEqual([]);
    const ids = late.filter(({ status }) => status === 202).map((answer) => decodeId("msg", answer.body.id) ?? "");
    const left = await service.system.sql`
      select id from messages where id = any(${ids}::uuid[]) and status <> 'rejected'`;
    expect(left).toEqual([]);
  });

  test("a call that began before the undo changes nothing after it", async () => {
    const { key, parent, organizationId, undo } = await rig(0);
    const { sql } = service.system;
    const [isLocked, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // The call waits for the lock of the lists.
    const holding = sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${LISTS_LOCK}::int, hashtext(${decodeId("org", organizationId) ?? ""}))`;
      isLocked.resolve();
      await isOver.promise;
    });
    await isLocked.promise;
    const late = client.post("/v1/lists/send/block", { entry: "late.example" }, { key });
    const waiting = () =>
      sql`select from pg_locks where classid = ${LISTS_LOCK} and locktype = 'advisory' and not granted`;
    await expect.poll(waiting).toHaveLength(1);
    expect((await undo()).body).toMatchObject({ revoked: true, operations: [] });
    isOver.resolve();
    await holding;
    expect((await late).status).toBe(401);
    expect((await client.get<Page<object>>("/v1/lists/send/block", { key: parent })).body.data).toEqual([]);
  });

  test("what another caller changes while the undo waits for its locks stays, and is listed", async () => {
    const { key, messages, undo } = await rig(2);
    const [changed, other] = await messages();
    for (const each of [changed, other]) {
      await client.patch(`/v1/messages/${each?.id}`, { labels: ["by-the-key"], read: true }, { key });
    }
    const { sql } = service.system;
    const [isLocked, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // No row is locked, so that the undo waits for this transaction only when it locks the threads.
    const holding = sql.begin(async (tx) => {
      await tx`lock table threads in exclusive mode`;
      isLocked.resolve();
      await isOver.promise;
      await tx`update messages set labels = array['by-another'] where id = ${decodeId("msg", changed?.id ?? "") ?? ""}`;
    });
    await isLocked.promise;
    const undoing = undo();
    await expect.poll(() => waitingForLocks(sql, "threads")).toBe(1);
    isOver.resolve();
    await holding;
    expect((await undoing).body.not_undone).toMatchObject([
      { kind: "message", id: changed?.id, reason: "Another caller changed it since." },
    ]);
    expect((await messages()).map(({ labels, read }) => [labels, read])).toEqual([
      [["by-another"], false],
      [[], false],
    ]);
  });

  test("mail that is held, being sent or deferred is cancelled or listed", async () => {
    const { key, organizationId, address, undo } = await rig(0);
    const owner = await newOwner(service, organizationId);
    await owner.trpc.reviews.setPolicy.mutate({ review: "all" });
    const send = async () =>
      (
        await client.post<{ id: string; status: string }>(
          inboxPath(address, "/send"),
          { to: "a@else.example", text: "x" },
          { key },
        )
      ).body;
    const held = await send();
    expect(held.status).toBe("held");
    await owner.trpc.reviews.setPolicy.mutate({ review: "none" });
    const [sending, tried] = [await send(), await send()];
    const { sql } = service.system;
    await sql`update messages set status = 'sending' where id = ${decodeId("msg", sending.id) ?? ""}`;
    await sql`update messages set attempts = 1 where id = ${decodeId("msg", tried.id) ?? ""}`;
    const { not_undone } = (await undo()).body;
    expect(not_undone.map(({ id, reason }) => [id, reason])).toEqual([
      [tried.id, "It was tried before it was cancelled: copies may have left."],
      [sending.id, "It is being sent."],
    ]);
    const rows =
      await sql`select status from messages where organization_id = ${decodeId("org", organizationId) ?? ""} order by id`;
    expect(rows.map(({ status }) => status)).toEqual(["rejected", "sending", "rejected"]);
    expect((await owner.trpc.reviews.list.query({})).data).toEqual([]);
  });

  test("a webhook that returns signs with its secret, and an erased mailbox leaves no values", async () => {
    const { key, parent, address, undo, activity, messages } = await rig(1);
    const json = { url: "https://a.example/1", events: ["message.received"] };
    const hook = (await client.post<{ id: string }>("/v1/webhooks", json, { key: parent })).body.id;
    const secretOf = async () => {
      const [row] = await service.system.sql<
        { secret: Buffer }[]
      >`select secret from webhooks where id = ${decodeId("whk", hook) ?? ""}`;
      return row && service.system.secrets.open(row.secret, decodeId("whk", hook) ?? "");
    };
    const secret = await secretOf();
    await client.delete(`/v1/webhooks/${hook}`, { key });
    expect(await secretOf()).toBeUndefined();
    expect(JSON.stringify(await activity())).not.toContain(secret);
    const [message] = await messages();
    await client.patch(`/v1/messages/${message?.id}`, { labels: ["private"] }, { key });
    await undo();
    expect(await secretOf()).toBe(secret);
    expect(JSON.stringify(await activity())).toContain("private");
    await client.delete(inboxPath(address), { key: parent });
    await expect.poll(() => eraseDeleted(service.system)).toBe(0);
    expect(JSON.stringify(await activity())).not.toContain("private");
    expect((await activity())[0]).toMatchObject({
      verb: "messages.update",
      changes: [{ id: message?.id, before: null }],
    });
  });

  test("of suppressions and mailboxes is in the event log", async () => {
    const { key, parent, undo } = await rig(0);
    await client.post("/v1/suppressions", { address: "kept@else.example", reason: "asked" }, { key: parent });
    await client.delete("/v1/suppressions/kept%40else.example", { key });
    await client.post("/v1/suppressions", { address: "added@else.example" }, { key });
    const { address } = await client.createInbox(key);
    const query = "suppression.added,suppression.removed,inbox.deleted";
    type Logged = { event: string; inbox: string | null; suppression?: { address: string; reason: string } };
    const logged = async () =>
      (await client.get<Page<Logged>>(`/v1/events?events=${query}`, { key: parent })).body.data;
    const before = await logged();
    await undo({ dry_run: true });
    expect(await logged()).toEqual(before);
    await undo();
    expect((await logged()).slice(before.length)).toMatchObject([
      { event: "suppression.removed", inbox: null, suppression: { address: "added@else.example" } },
      { event: "suppression.added", inbox: null, suppression: { address: "kept@else.example", reason: "asked" } },
      { event: "inbox.deleted", inbox: address },
    ]);
  });

  test("a webhook gets its filter back; its earlier headers are listed, and never in the activity", async () => {
    const { key, parent, undo, activity } = await rig(1);
    const json = { url: "https://a.example/1", events: ["message.received"], filter: { from: "shop.example" } };
    const create = async (more: object) =>
      (await client.post<{ id: string }>("/v1/webhooks", { ...json, ...more }, { key: parent })).body.id;
    const [changed, gone] = [await create({}), await create({ headers: { "X-Own": "kept-secret" } })];
    const patch = { filter: { subject: "other" }, headers: { "X-Own": "new-secret" } };
    expect((await client.patch(`/v1/webhooks/${changed}`, patch, { key })).status).toBe(200);
    await client.delete(`/v1/webhooks/${gone}`, { key });
    const { not_undone } = (await undo()).body;
    const reasonOf = (hook: string) => not_undone.find(({ id }) => id === hook)?.reason;
    expect(reasonOf(changed)).toContain("not kept");
    expect(reasonOf(gone)).toContain("register it again");
    const { body } = await client.get<{ filter: object }>(`/v1/webhooks/${changed}`, { key: parent });
    expect(body.filter).toEqual({ from: "shop.example" });
    expect(JSON.stringify(await activity())).not.toContain("-secret");
  });

  test("a webhook gets its earlier URL back without the headers of the later one", async () => {
    const { key, parent, undo } = await rig(1);
    const json = { url: "https://a.example/1", events: ["message.received"] };
    const { id } = (await client.post<{ id: string }>("/v1/webhooks", json, { key: parent })).body;
    const path = `/v1/webhooks/${id}`;
    await client.patch(path, { url: "https://b.example/1" }, { key });
    await client.patch(path, { headers: { Authorization: "of b.example" } }, { key: parent });
    const { not_undone } = (await undo()).body;
    const { body } = await client.get<{ url: string; headers: string[] }>(path, { key: parent });
    expect([body.url, body.headers]).toEqual(["https://a.example/1", []]);
    expect(not_undone.find((each) => each.id === id)?.reason).toContain("not kept");
  });
});
