// Keys that agents issue: never more than their parent, ended with it, and a send budget that is exact under concurrency.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { connect } from "#db/client.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const HOUR_MS = 3_600_000;
const DEPTH_MAX = 5;
const CONCURRENT = 30;
const BUDGET = 7;

const clock = adjustableClock();
const service = await startTestService(
  { ROLES: "web,smtp", SEND_CAP_RAMP: "1000", MAX_ISSUED_KEYS_PER_KEY: "40" },
  { now: clock.now },
);
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Key = {
  id: string;
  parent_id: string;
  key: string;
  scopes: string[];
  inboxes: string[] | null;
  send_budget: number | null;
  sent_count: number;
  active: boolean;
  expires_at: string | null;
  revoked_at: string | null;
};
const SEND = ["mailbox:read", "mailbox:send", "key:issue"];

async function newIssuer() {
  const { agentKey: key, enrollmentKeyId, organizationId } = await service.newOrganization();
  return { key, enrollmentKeyId, organizationId, inbox: await client.createInbox(key) };
}
async function issue(key: string, json: object): Promise<Key> {
  const { status, text, body } = await client.post<Key>("/v1/keys", json, { key });
  if (status !== 201) throw new Error(`POST /v1/keys: ${status} ${text}`);
  return body;
}
const refused = async (key: string, json: object) => {
  const { status, body } = await client.post("/v1/keys", json, { key });
  return [status, body.error?.code];
};
const statusOf = async (key: string) => (await client.get("/v1/auth/me", { key })).status;
const send = (key: string, address: string, to: unknown) =>
  client.post(inboxPath(address, "/send"), { to, text: "x" }, { key });
const inHours = (hours: number) => new Date(clock.now().getTime() + hours * HOUR_MS).toISOString();

describe("201", () => {
  test("some scopes, one mailbox, an expiry and a budget", async () => {
    const { key, inbox } = await newIssuer();
    const other = await client.createInbox(key);
    const expires_at = inHours(1);
    const json = { scopes: ["mailbox:read"], inboxes: [inbox.address], expires_at, send_budget: 5 };
    const issued = await issue(key, json);
    expect(issued).toMatchObject({
      id: expect.stringMatching(/^akey_/),
      key: expect.stringMatching(/^mb_agent_/),
      scopes: ["mailbox:read"],
      inboxes: [inbox.address],
      send_budget: 5,
      sent_count: 0,
      active: true,
      expires_at,
      revoked_at: null,
    });
    const me = await client.get<{ scopes: string[]; inboxes: string[] }>("/v1/auth/me", { key: issued.key });
    expect(me.body).toMatchObject({ scopes: ["mailbox:read"], inboxes: [inbox.address] });
    expect((await client.get(inboxPath(inbox.address), { key: issued.key })).status).toBe(200);
    expect((await client.get(inboxPath(other.address), { key: issued.key })).status).toBe(404);
    expect((await send(issued.key, inbox.address, "a@b.example")).status).toBe(403);
  });

  test("without more, it has the restriction and the expiry of its parent", async () => {
    const { enrollmentKeyId, inbox } = await newIssuer();
    const expiresAt = new Date(clock.now().getTime() + HOUR_MS);
    const grant = { scopes: SEND, inboxes: [inbox.address], expiresAt };
    const { key } = await service.newAgentKey(enrollmentKeyId, grant);
    const issued = await issue(key, { scopes: ["mailbox:read"] });
    expect(issued).toMatchObject({ inboxes: [inbox.address], expires_at: expiresAt.toISOString(), send_budget: null });
  });
});

describe("a child never has more than its parent", () => {
  test("scopes, mailboxes, expiry and depth", async () => {
    const { key: root, inbox } = await newIssuer();
    const other = await client.createInbox(root);
    const stranger = await newIssuer();
    const parent = await issue(root, { scopes: SEND, inboxes: [inbox.address], expires_at: inHours(2) });
    for (const scope of ["mailbox:create", "mailbox:delete", "webhook:write", "payment:write", "domain:manage"]) {
      expect(await refused(parent.key, { scopes: [scope] })).toEqual([403, "insufficient_scope"]);
    }
    const scopes = ["mailbox:read"];
    for (const address of [other.address, stranger.inbox.address, "nobody@mail.example"]) {
      expect(await refused(parent.key, { scopes, inboxes: [address] })).toEqual([404, "inbox_not_found"]);
    }
    expect(await refused(root, { scopes, inboxes: [stranger.inbox.address] })).toEqual([404, "inbox_not_found"]);
    expect(await refused(parent.key, { scopes, expires_at: inHours(3) })).toEqual([400, "invalid_request"]);
    expect(await refused(parent.key, { scopes, expires_at: inHours(-1) })).toEqual([400, "invalid_request"]);
    let deepest = root;
    for (let depth = 0; depth < DEPTH_MAX; depth += 1) deepest = (await issue(deepest, { scopes: SEND })).key;
    expect(await refused(deepest, { scopes })).toEqual([403, "insufficient_scope"]);
  });

  test("a key without key:issue issues, lists and revokes nothing", async () => {
    const { key } = await newIssuer();
    const issued = await issue(key, { scopes: ["mailbox:read"] });
    expect(await refused(issued.key, { scopes: ["mailbox:read"] })).toEqual([403, "insufficient_scope"]);
    expect((await client.get("/v1/keys", { key: issued.key })).status).toBe(403);
    expect((await client.delete(`/v1/keys/${issued.id}`, { key: issued.key })).status).toBe(403);
  });
});

describe("the tree", () => {
  test("a key sees and revokes only the keys below it", async () => {
    const { key: root } = await newIssuer();
    const [a, b] = [await issue(root, { scopes: SEND }), await issue(root, { scopes: SEND })];
    const below = await issue(a.key, { scopes: SEND });
    const stranger = await newIssuer();
    const ids = async (key: string) =>
      (await client.get<Page<Key>>("/v1/keys", { key })).body.data.map(({ id }) => id).sort();
    expect(await ids(root)).toEqual([a.id, b.id, below.id].sort());
    expect(await ids(a.key)).toEqual([below.id]);
    expect(await ids(b.key)).toEqual([]);
    expect(await ids(stranger.key)).toEqual([]);
    expect((await client.get<Key>(`/v1/keys/${below.id}`, { key: root })).body.parent_id).toBe(a.id);
    for (const key of [b.key, below.key, stranger.key]) {
      for (const { id } of [a, below]) {
        expect((await client.get(`/v1/keys/${id}`, { key })).body.error.code).toBe("agent_key_not_found");
        expect((await client.delete(`/v1/keys/${id}`, { key })).status).toBe(404);
      }
    }
    const page = await client.get<Page<Key>>("/v1/keys?limit=2", { key: root });
    const rest = await client.get<Page<Key>>(`/v1/keys?limit=2&cursor=${page.body.next_cursor}`, { key: root });
    expect([...page.body.data, ...rest.body.data].map(({ id }) => id)).toEqual([below.id, b.id, a.id]);
    expect(page.text).not.toContain("mb_agent_");
  });

  test("revoking a key ends the keys below it, once", async () => {
    const { key: root } = await newIssuer();
    const [a, b] = [await issue(root, { scopes: SEND }), await issue(root, { scopes: SEND })];
    const below = await issue(a.key, { scopes: SEND });
    const deepest = await issue(below.key, { scopes: ["mailbox:read"] });
    expect(await client.delete<object>(`/v1/keys/${a.id}`, { key: root })).toMatchObject({
      status: 200,
      body: { id: a.id, deleted: true },
    });
    await eventually(async () => {
      expect(await Promise.all([a, below, deepest].map(({ key }) => statusOf(key)))).toEqual([401, 401, 401]);
    });
    expect(await Promise.all([root, b.key].map(statusOf))).toEqual([200, 200]);
    const first = (await client.get<Key>(`/v1/keys/${below.id}`, { key: root })).body.revoked_at;
    clock.advance(1_000);
    expect((await client.delete<object>(`/v1/keys/${a.id}`, { key: root })).status).toBe(200);
    const second = (await client.get<Key>(`/v1/keys/${below.id}`, { key: root })).body;
    expect([second.revoked_at, second.active]).toEqual([first, false]);
  });

  test("a revocation by the operator, and the expiry of the parent, end its keys too", async () => {
    const { key: root, enrollmentKeyId } = await newIssuer();
    const parent = await service.newAgentKey(enrollmentKeyId, { scopes: SEND });
    const child = await issue(parent.key, { scopes: ["mailbox:read"] });
    await revokeAgentKey(service.system, parent.id);
    await eventually(async () => expect(await statusOf(child.key)).toBe(401));
    const soon = await issue(root, { scopes: SEND, expires_at: inHours(1) });
    const heir = await issue(soon.key, { scopes: ["mailbox:read"] });
    expect(await statusOf(heir.key)).toBe(200);
    clock.advance(HOUR_MS + 1_000);
    expect([await statusOf(heir.key), await statusOf(root)]).toEqual([401, 200]);
  });

  test("keys that are issued while their parent is revoked end with it", async () => {
    const { key: root } = await newIssuer();
    const parent = await issue(root, { scopes: SEND });
    const issuing = Array.from({ length: 20 }, () =>
      client.post<Key>("/v1/keys", { scopes: ["mailbox:read"] }, { key: parent.key }),
    );
    const [answers] = await Promise.all([
      Promise.all(issuing),
      client.delete<object>(`/v1/keys/${parent.id}`, { key: root }),
    ]);
    for (const { status } of answers) expect([201, 401]).toContain(status);
    const { data } = (await client.get<Page<Key>>("/v1/keys?limit=100", { key: root })).body;
    expect(data.filter(({ active }) => active)).toEqual([]);
  });

  test("a key that a key below the revoked one is issuing ends too", async () => {
    const { key: root } = await newIssuer();
    const above = await issue(root, { scopes: SEND });
    const parent = await issue(above.key, { scopes: SEND });
    const sql = connect(service.database.url, { max: 2 });
    onTestFinished(() => sql.end());
    let issuing: Promise<Key> | undefined;
    let revoking: Promise<{ status: number }> | undefined;
    await sql.begin(async (tx) => {
      // Where the issue writes its last row: the new key is inserted and not committed.
      await tx`lock table activity in exclusive mode`;
      issuing = issue(parent.key, { scopes: ["mailbox:read"] });
      await expect.poll(() => waitingForLocks(sql, "activity")).toBe(1);
      // Background work may wait for the same rows.
      const others = await waitingForLocks(sql);
      revoking = client.delete<object>(`/v1/keys/${above.id}`, { key: root });
      await expect.poll(() => waitingForLocks(sql)).toBeGreaterThan(others);
    });
    expect((await revoking)?.status).toBe(200);
    const issued = (await issuing)?.key ?? "";
    await eventually(async () => expect(await statusOf(issued)).toBe(401));
    const { data } = (await client.get<Page<Key>>("/v1/keys?limit=100", { key: root })).body;
    expect(data.map(({ active }) => active)).toEqual([false, false, false]);
  });

  test("two revocations of keys above and below each other do not block each other", async () => {
    const { key: root } = await newIssuer();
    const above = await issue(root, { scopes: SEND });
    const below = await Promise.all(Array.from({ length: 10 }, () => issue(above.key, { scopes: SEND })));
    const answers = await Promise.all(
      [above, ...below].map(({ id }) => client.delete<object>(`/v1/keys/${id}`, { key: root })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
});

describe("a send budget", () => {
  test("is exact under concurrency, and covers the keys below", async () => {
    const { key: root, inbox } = await newIssuer();
    const parent = await issue(root, { scopes: SEND, send_budget: BUDGET });
    const children = await Promise.all([
      issue(parent.key, { scopes: SEND, send_budget: BUDGET - 2 }),
      issue(parent.key, { scopes: SEND }),
    ]);
    const keys = [parent, ...children].map(({ key }) => key);
    const statuses = await Promise.all(
      Array.from({ length: CONCURRENT }, async (_, i) => {
        const { status, body } = await send(keys[i % keys.length] ?? "", inbox.address, `a${i}@b.example`);
        if (status !== 202) expect([status, body.error.code]).toEqual([403, "send_budget_exceeded"]);
        return status;
      }),
    );
    expect(statuses.filter((status) => status === 202)).toHaveLength(BUDGET);
    const counted = (await client.get<Key>(`/v1/keys/${parent.id}`, { key: root })).body;
    expect([counted.send_budget, counted.sent_count]).toEqual([BUDGET, BUDGET]);
    expect((await send(root, inbox.address, "a@b.example")).status).toBe(202);
  });

  test("counts recipients: a message that does not fit is refused whole, and a repeated one counts once", async () => {
    const { key: root, inbox } = await newIssuer();
    const { key, id } = await issue(root, { scopes: SEND, send_budget: 3 });
    expect((await send(key, inbox.address, "a@b.example, c@b.example, d@b.example, e@b.example")).status).toBe(403);
    const once = { to: ["a@b.example", "A@b.example"], text: "x", idempotency_key: "once" };
    for (let i = 0; i < 3; i += 1) {
      expect((await client.post(inboxPath(inbox.address, "/send"), once, { key })).status).toBe(202);
    }
    expect((await client.get<Key>(`/v1/keys/${id}`, { key: root })).body.sent_count).toBe(1);
    const dry = await client.post<{ would_send: boolean; refusals: { code: string }[] }>(
      inboxPath(inbox.address, "/send?dry_run=true"),
      { to: ["a@b.example", "c@b.example", "d@b.example"], text: "x" },
      { key },
    );
    expect(dry.body.refusals.map(({ code }) => code)).toEqual(["send_budget_exceeded"]);
    const none = await issue(root, { scopes: SEND, send_budget: 0 });
    expect((await send(none.key, inbox.address, "a@b.example")).status).toBe(403);
  });
});

test("a key reads its own budget, and what those above it leave of it", async () => {
  const { key: root, inbox } = await newIssuer();
  const budgetOf = async (key: string) => {
    const { send_budget, sends_left } = (
      await client.get<{ send_budget: unknown; sends_left: unknown }>("/v1/auth/me", { key })
    ).body;
    return [send_budget, sends_left];
  };
  const parent = await issue(root, { scopes: SEND, send_budget: 3 });
  const child = await issue(parent.key, { scopes: ["mailbox:send"], send_budget: 9 });
  const heir = await issue(parent.key, { scopes: ["mailbox:send"] });
  expect((await send(child.key, inbox.address, "a@b.example, c@b.example")).status).toBe(202);
  const read = await Promise.all([root, parent.key, child.key, heir.key].map(budgetOf));
  expect(read).toEqual([
    [null, null],
    [3, 1],
    [9, 1],
    [null, 1],
  ]);
});

test("409: a key has issued as many keys as it may; none of them is revoked for a new one", async () => {
  const { key: root } = await newIssuer();
  const issued = await Promise.all(
    Array.from({ length: 45 }, () => client.post<Key>("/v1/keys", { scopes: ["mailbox:read"] }, { key: root })),
  );
  expect(issued.filter(({ status }) => status === 201)).toHaveLength(40);
  expect(issued.filter(({ status }) => status === 409)).toHaveLength(5);
  expect(await statusOf(root)).toBe(200);
});

test("400: what is no key", async () => {
  const { key, inbox } = await newIssuer();
  const scopes = ["mailbox:read"];
  const wrong = [
    {},
    { scopes: [] },
    { scopes: ["everything"] },
    { scopes, inboxes: [] },
    { scopes, inboxes: { a: inbox.address } },
    { scopes, inboxes: ["a\r\nb@c.example"] },
    { scopes, inboxes: Array(101).fill(inbox.address) },
    { scopes, expires_at: "tomorrow" },
    { scopes, send_budget: -1 },
    { scopes, send_budget: 1.5 },
    { scopes, send_budget: "five" },
    { scopes, parent_id: "akey_x" },
  ];
  for (const json of wrong) expect([json, (await refused(key, json))[0]]).toEqual([json, 400]);
});
