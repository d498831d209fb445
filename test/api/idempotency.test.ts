// Idempotency-Key on every POST that creates or sends: one effect and one answer for a key, also for concurrent calls and after a crash.
import { afterAll, describe, expect, test } from "vitest";
import { type Answer, api, type Document, type Failure, inboxPath, resolved } from "#test/support/api.ts";
import { furnish } from "#test/support/named-inputs.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const clock = adjustableClock();
const settings = { ROLES: "web,smtp", SEND_CAP_RAMP: "1000" };
const service = await startTestService(settings, { now: clock.now });
const second = await startTestService(settings, { database: service.database, now: clock.now });
const [client, there] = [api(service), api(second)];
afterAll(async () => {
  await Promise.all([client.close(), there.close()]);
  await second.stop();
  await service.stop();
});

const { system } = service;
const { agentKey: key, enrollmentKeyId, things } = await furnish(service, "keyed.example");
const webhook = `/v1/webhooks/${things.webhook}`;

type Made = Failure & { id: string; secret?: string; key?: string };
type Call = { path: string; json: object; other?: object; count: string };

/** Each with another content, and a query that counts what it makes. */
const CALLS: Record<string, Call> = {
  createInbox: {
    path: "/v1/inboxes",
    json: {},
    other: { username: "keyed-two" },
    count: "select count(*) from inboxes",
  },
  sendMessage: {
    path: inboxPath(things.inbox, "/send"),
    json: { to: "a@else.example", text: "x" },
    other: { to: "a@else.example", text: "y" },
    count: "select count(*) from messages",
  },
  createDraft: {
    path: "/v1/drafts",
    json: { inbox: things.inbox, text: "x" },
    other: { inbox: things.inbox, text: "y" },
    count: "select count(*) from drafts",
  },
  createWebhook: {
    path: "/v1/webhooks",
    json: { url: "https://a.example/keyed", events: ["message.received"] },
    other: { url: "https://a.example/other", events: ["message.received"] },
    count: "select count(*) from webhooks",
  },
  rotateWebhookSecret: {
    path: `${webhook}/rotate-secret`,
    json: {},
    count: "select count(distinct secret) from webhooks",
  },
  redeliverDelivery: {
    path: `${webhook}/deliveries/${things.delivery}/redeliver`,
    json: {},
    count: "select count(*) from deliveries where status = 'pending'",
  },
  replayEvents: {
    path: `${webhook}/replay`,
    json: { since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" },
    other: { since: "2026-01-01T00:00:00Z", until: "2026-01-03T00:00:00Z" },
    count: "select count(*) from deliveries",
  },
  createKey: {
    path: "/v1/keys",
    json: { scopes: ["mailbox:read"] },
    other: { scopes: ["mailbox:send"] },
    count: "select count(*) from agent_keys",
  },
  createVerification: {
    path: "/v1/verifications",
    json: { ttl_seconds: 600 },
    other: { ttl_seconds: 700 },
    count: "select count(*) from inboxes",
  },
  createDomain: {
    path: "/v1/domains",
    json: { domain: "one.keyed.example" },
    other: { domain: "two.keyed.example" },
    count: "select count(*) from domains",
  },
  createListEntry: {
    path: "/v1/lists/send/block",
    json: { entry: "keyed-entry.example" },
    other: { entry: "other-entry.example" },
    count: "select count(*) from list_entries",
  },
  createSuppression: {
    path: "/v1/suppressions",
    json: { address: "keyed@people.example" },
    other: { address: "other@people.example" },
    count: "select count(*) from suppressions",
  },
};
const names = Object.keys(CALLS);
const callOf = (name: string) => CALLS[name] as Call;

const post = (path: string, json: object, idempotencyKey: string, by = key, at = client) =>
  at.post<Made>(path, json, { key: by, headers: { "idempotency-key": idempotencyKey } });
const counted = async (query: string) => Number((await system.sql.unsafe<{ count: string }[]>(query))[0]?.count);
const replayed = ({ headers }: Answer<unknown>) => headers["idempotent-replayed"];
/** As if the process had ended after the effect, before it could store the answer. */
async function loseAnswer() {
  await system.sql`update idempotency_keys set answer = null, leased_until = '2000-01-01'`;
}
/** The same, in the process itself: answers cannot be stored. */
async function withoutAnswers(call: () => Promise<unknown>) {
  await system.sql.unsafe(`
    create or replace function refuse_answer() returns trigger language plpgsql as $$ begin raise 'no answer is stored'; end $$;
    create trigger refuse_answer before update on idempotency_keys
      for each row when (new.answer is not null) execute function refuse_answer()`);
  await call();
  await system.sql`drop trigger refuse_answer on idempotency_keys`;
  await system.sql`update idempotency_keys set leased_until = '2000-01-01'`;
}
async function loseEverything() {
  await system.sql`update idempotency_keys set answer = null, carried_out = false, leased_until = '2000-01-01'`;
}

test.each(names)("%s has one effect and one answer for a key, and refuses other content", async (name) => {
  const { path, json, other, count } = callOf(name);
  const first = await post(path, json, `same-${name}`);
  expect([first.status, replayed(first)]).toEqual([expect.toSatisfy((status) => status < 300), undefined]);
  const made = await counted(count);
  const again = await post(path, json, `same-${name}`, key, there);
  expect([again.status, replayed(again), again.body]).toEqual([first.status, "true", first.body]);
  if (other) {
    const refused = await post(path, other, `same-${name}`);
    expect([refused.status, refused.body.error?.code]).toEqual([409, "idempotency_conflict"]);
  }
  expect(await counted(count)).toBe(made);
});

test.each(names)("%s with one key at the same time at two processes has one effect", async (name) => {
  const { path, json, count } = callOf(name);
  const before = await counted(count);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => post(path, json, `race-${name}`, key, i % 2 ? client : there)),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].filter((status) => status >= 300 && status !== 503)).toEqual([]);
  for (const { status, headers, body } of answers.filter((answer) => answer.status === 503)) {
    expect([status, headers["retry-after"], body.error.message]).toEqual([
      503,
      "1",
      expect.stringContaining("in progress"),
    ]);
  }
  const done = answers.filter(({ status }) => status < 300);
  expect(done.length).toBeGreaterThan(0);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  expect((await counted(count)) - before).toBeLessThanOrEqual(1);
});

test.each(["createDraft", "createVerification"])(
  "%s finds its result when the process ended before the answer",
  async (name) => {
    const { path, json, count } = callOf(name);
    const first = await post(path, json, `lost-${name}`);
    const made = await counted(count);
    for (const lose of name === "createDraft" ? [loseAnswer] : [loseAnswer, loseEverything]) {
      await lose();
      const again = await post(path, json, `lost-${name}`);
      expect([again.status, again.body]).toEqual([first.status, first.body]);
    }
    expect(await counted(count)).toBe(made);
  },
);

test.each(["createWebhook", "rotateWebhookSecret", "createKey", "redeliverDelivery"])(
  "%s is not carried out again when its answer was lost, and says so",
  async (name) => {
    const { path, json, count } = callOf(name);
    await withoutAnswers(() => post(path, json, `lost-${name}`));
    const made = await counted(count);
    const again = await post(path, json, `lost-${name}`);
    expect([again.status, again.body.error?.code]).toEqual([409, "idempotency_conflict"]);
    expect(again.body.error.message).toContain("was carried out");
    expect(await counted(count)).toBe(made);
  },
);

test("a run that lost its lease commits nothing", async () => {
  const { path, json, count } = callOf("createWebhook");
  const before = await counted(count);
  // The first run is held up by a lock that registering takes, while another run takes the lease over.
  const lock = await system.sql.reserve();
  await lock`begin`;
  await lock`lock table webhooks in exclusive mode`;
  const first = post(path, json, "overtaken");
  await expect
    .poll(() => counted("select count(*) from idempotency_keys where answer is null and leased_until > now()"))
    .toBeGreaterThan(0);
  expect((await post(path, json, "overtaken", key, there)).body.error.message).toContain("in progress");
  await system.sql`update idempotency_keys set leased_until = '2000-01-01' where answer is null`;
  const next = post(path, json, "overtaken", key, there);
  await expect
    .poll(() => counted("select count(*) from idempotency_keys where answer is null and leased_until > now()"))
    .toBeGreaterThan(0);
  await lock`commit`;
  lock.release();
  const answers = await Promise.all([first, next]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 503]);
  expect(await counted(count)).toBe(before + 1);
});

describe("a stored answer", () => {
  test("is for the key that made the call alone", async () => {
    const { path, json } = callOf("createKey");
    const first = await post(path, json, "whose");
    const sibling = (await service.newAgentKey(enrollmentKeyId, { handle: "sibling" })).key;
    const narrower = await client.post<Made>("/v1/keys", { scopes: ["key:issue", "mailbox:read"] }, { key });
    const stranger = (await service.newOrganization()).agentKey;
    for (const by of [sibling, narrower.body.key ?? "", stranger]) {
      const own = await post(path, json, "whose", by);
      expect([own.status, replayed(own)]).toEqual([201, undefined]);
      expect(own.body.key).not.toBe(first.body.key);
    }
    expect((await post(path, json, "whose")).body.key).toBe(first.body.key);
  });

  test("is unreadable in the database", async () => {
    const { path, json } = callOf("createKey");
    const { body } = await post(path, json, "sealed");
    const rows = await system.sql<{ answer: Buffer | null }[]>`select answer from idempotency_keys`;
    const texts = rows.map(({ answer }) => answer?.toString("latin1") ?? "");
    expect(texts.filter((text) => text.includes(body.key ?? ""))).toEqual([]);
    expect(texts.some((text) => text.length > 0)).toBe(true);
  });

  test("is gone after a day", async () => {
    const { path, json } = callOf("createKey");
    const first = await post(path, json, "day");
    clock.advance(86_400_000);
    const next = await post(path, json, "day");
    expect([next.status, replayed(next)]).toEqual([201, undefined]);
    expect(next.body.key).not.toBe(first.body.key);
  });
});

test("a refused call leaves its key free", async () => {
  const path = "/v1/webhooks";
  const refused = await post(path, { url: "ftp://a.example/x", events: ["message.received"] }, "refused");
  expect(refused.status).toBe(400);
  const { status } = await post(path, { url: "https://a.example/free", events: ["message.received"] }, "refused");
  expect(status).toBe(201);
});

test("a key without 1 to 256 printable characters is refused", async () => {
  for (const bad of ["", "é", "a\tb", "x".repeat(257)]) {
    for (const name of ["sendMessage", "createWebhook", "createInbox"]) {
      const { path, json } = callOf(name);
      const { status, body } = await post(path, json, bad);
      expect([name, bad.slice(0, 3), status, body.error?.code]).toEqual([
        name,
        bad.slice(0, 3),
        400,
        "invalid_request",
      ]);
    }
  }
});

test("a caller has at most 10,000 keys in a day", async () => {
  const { agentKey } = await service.newOrganization();
  const { path, json } = callOf("createKey");
  await post(path, json, "first", agentKey);
  await system.sql`
    insert into idempotency_keys (id, organization_id, caller_id, key_hash, input_hash, attempt, leased_until, created_at)
    select gen_random_uuid(), organization_id, caller_id, sha256(n::text::bytea), input_hash, attempt, leased_until, created_at
    from idempotency_keys, generate_series(1, 10000) n
    where organization_id = (select organization_id from agent_keys where secret_hash = sha256(${agentKey}::bytea))
    limit 10000`;
  const { status, body, headers } = await post(path, json, "one more", agentKey);
  expect([status, body.error?.code, headers["retry-after"]]).toEqual([429, "rate_limited", "3600"]);
});

test("stands in the document at every POST that creates or sends", async () => {
  const document: Document = await client.document();
  const operations = Object.values(document.paths).flatMap((methods) => (methods.post ? [methods.post] : []));
  const takes = operations.filter(({ parameters = [] }) =>
    parameters.some((parameter) => resolved<{ name: string }>(document, parameter).name === "Idempotency-Key"),
  );
  const without = operations.filter((operation) => !takes.includes(operation)).map(({ operationId }) => operationId);
  // They create nothing that a repeated call would create twice.
  expect(without.sort()).toEqual([
    "cancelMessage",
    "createUpload",
    "importMail",
    "markNotSpam",
    "pauseInbox",
    "pauseKey",
    "redeemEnrollmentKey",
    "restoreMessage",
    "resumeInbox",
    "takeCode",
    "testWebhook",
    "undoKey",
    "verifyDomain",
    "waitForEmail",
  ]);
});
