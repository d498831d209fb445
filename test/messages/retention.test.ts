// What is deleted after its time: mail, events, deliveries and their attempts, lines of the audit log, sessions.
import { v7 } from "uuid";
import { afterAll, beforeEach, expect, test } from "vitest";
import { runCommand } from "#server/admin.ts";
import { pruneEvents } from "#server/events/record.ts";
import { pruneMessages } from "#server/messages/retention/prune.ts";
import { pruneAudit } from "#server/organizations/audit.ts";
import { pruneSessions } from "#server/organizations/session.ts";
import { createAttemptPartitions } from "#server/webhooks/delivery/attempts.ts";
import { pruneDeliveries, pruneDeliveryAttempts } from "#server/webhooks/delivery/prune.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { reportedOf } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const DAY_MS = 86_400_000;
const NOW = new Date();
const clock = adjustableClock();
const service = await startTestService(
  {
    ROLES: "web,smtp",
    RETENTION_DAYS_MESSAGES: "10",
    RETENTION_DAYS_AUDIT: "20",
    RETENTION_DAYS_EVENTS: "5",
    RETENTION_DAYS_ATTEMPTS: "3",
    RETENTION_DAYS_DELIVERIES: "6",
  },
  { now: clock.now },
);
const { system } = service;
const client = api(service);
beforeEach(() => clock.set(NOW));
afterAll(() => client.close().then(service.stop));

type Listed = Page<{ id: string; subject: string; status: string }>;

async function mailbox() {
  const { agentKey: key, organizationId } = await service.newOrganization();
  return newBox(key, organizationId);
}

async function newBox(key: string, organizationId: string) {
  const { address } = await client.createInbox(key);
  const list = async (what: string) => (await client.get<Listed>(inboxPath(address, what), { key })).body.data;
  return {
    key,
    organization: organizationId,
    another: () => newBox(key, organizationId),
    address,
    mail: (subject: string) => service.mail({ from: "a@far.example", to: address, subject }),
    subjects: async () => (await list("/messages")).map(({ subject }) => subject),
    threads: async () => (await list("/threads")).map(({ subject }) => subject),
    /** Bytes that count against the storage quota. */
    used: async () => {
      const [row] = await system.sql<{ bytes: number }[]>`
        select bytes from storage_usage u join inboxes i on i.id = u.inbox_id where i.address = ${address}`;
      return row?.bytes ?? 0;
    },
  };
}

/** Runs `messages retention`. */
async function retention(...args: string[]) {
  const { DATA_DIR, ENCRYPTION_KEY } = service.settings;
  const out: string[] = [];
  const terminal = { write: (text: string) => out.push(text) };
  const environment = {
    NODE_ENV: "test" as const,
    DATA_DIR,
    ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64") ?? "",
    DATABASE_URL: service.database.url,
  };
  const code = await runCommand(["messages", "retention", ...args], {
    environment,
    stdout: terminal,
    stderr: terminal,
  });
  return { code, text: out.join("") };
}

async function prune(): Promise<void> {
  while ((await pruneMessages(system)) > 0);
}

test("mail older than RETENTION_DAYS_MESSAGES is erased, with empty threads and its share of the storage", async () => {
  const { mail, subjects, threads, used } = await mailbox();
  await mail("first");
  await mail("Re: second");
  const before = await used();
  clock.advance(9 * DAY_MS);
  await mail("third");
  await prune();
  expect(await subjects()).toEqual(["third", "Re: second", "first"]);
  clock.advance(2 * DAY_MS);
  await prune();
  expect([await subjects(), await threads()]).toEqual([["third"], ["third"]]);
  expect(await used()).toBe(before / 2);
  const [raw] = await system.sql`select count(*)::int from raw_messages r join messages m on m.id = r.message_id`;
  expect(await system.sql`select count(*)::int from raw_messages`).toEqual([raw]);
});

test("mail that waits to be sent stays", async () => {
  const { key, address, subjects } = await mailbox();
  const send = { to: "b@far.example", subject: "waits", text: "x" };
  expect((await client.post(inboxPath(address, "/send"), send, { key })).status).toBe(202);
  clock.advance(30 * DAY_MS);
  await prune();
  expect(await subjects()).toEqual(["waits"]);
});

test("an organization and a mailbox may have a shorter time, and no other mail is erased earlier", async () => {
  const [one, other] = [await mailbox(), await mailbox()];
  const second = await one.another();
  for (const box of [one, second, other]) await box.mail("old");
  expect(await retention("--organization", one.organization, "--days", "7")).toMatchObject({ code: 0 });
  const mine = ["--organization", one.organization, "--inbox", second.address];
  expect(await retention(...mine, "--days", "2")).toMatchObject({ code: 0 });
  const all = () => Promise.all([one, second, other].map((box) => box.subjects()));
  clock.advance(3 * DAY_MS);
  await prune();
  expect(await all()).toEqual([["old"], [], ["old"]]);
  await second.mail("new");
  expect(await retention(...mine, "--days", "none")).toMatchObject({ code: 0 });
  clock.advance(3 * DAY_MS);
  await prune();
  expect(await all()).toEqual([["old"], ["new"], ["old"]]);
  clock.advance(2 * DAY_MS);
  await prune();
  expect(await all()).toEqual([[], ["new"], ["old"]]);
});

test("an invalid time, and the mailbox of another organization, are refused", async () => {
  const [one, other] = [await mailbox(), await mailbox()];
  const of = ["--organization", one.organization];
  for (const days of ["0", "-1", "1.5", "week", "36501"]) {
    expect(await retention(...of, `--days=${days}`)).toEqual({
      code: 1,
      text: "days: a whole number from 1 to 36500, or none\n",
    });
  }
  expect(await retention(...of, "--inbox", other.address, "--days", "1")).toEqual({
    code: 1,
    text: `The organization has no mailbox ${other.address}.\n`,
  });
});

test("events older than RETENTION_DAYS_EVENTS are deleted", async () => {
  const { key, mail } = await mailbox();
  await mail("first");
  const events = async () =>
    reportedOf((await client.get<Page<{ event: string }>>("/v1/events", { key })).body.data).length;
  clock.advance(4 * DAY_MS);
  await pruneEvents(system);
  expect(await events()).toBe(1);
  clock.advance(2 * DAY_MS);
  await pruneEvents(system);
  expect(await events()).toBe(0);
});

test("attempts are deleted after RETENTION_DAYS_ATTEMPTS, and finished deliveries after RETENTION_DAYS_DELIVERIES", async () => {
  const { key, mail } = await mailbox();
  const hook = { url: "http://127.0.0.1:9/", events: ["message.received"] };
  const { id } = (await client.post<{ id: string }>("/v1/webhooks", hook, { key })).body;
  await mail("delivered");
  await mail("waits");
  const [delivery] = await system.sql<{ id: string; webhook_id: string }[]>`
    update deliveries set status = 'succeeded', completed_at = created_at
    where id = (select min(id::text)::uuid from deliveries where status = 'pending') returning id, webhook_id`;
  await system.sql`
    insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, request_headers)
    select id, organization_id, webhook_id, id, 1, created_at, 1, '[]' from deliveries where id = ${delivery?.id ?? ""}`;
  const path = `/v1/webhooks/${id}/deliveries`;
  const seen = async () => {
    const { data } = (await client.get<Page<{ id: string; status: string }>>(path, { key })).body;
    const finished = data.find(({ status }) => status === "succeeded");
    const one = finished && (await client.get<{ attempts: object[] }>(`${path}/${finished.id}`, { key })).body;
    return [data.length, one?.attempts.length];
  };
  const pruned = async () => {
    while ((await pruneDeliveries(system)) + (await pruneDeliveryAttempts(system)) > 0);
    return seen();
  };
  clock.advance(2 * DAY_MS);
  expect(await pruned()).toEqual([2, 1]);
  clock.advance(2 * DAY_MS);
  expect(await pruned()).toEqual([2, 0]);
  clock.advance(3 * DAY_MS);
  expect(await pruned()).toEqual([1, undefined]);
});

test("a day of attempts is dropped with its partition once all of it is past RETENTION_DAYS_ATTEMPTS", async () => {
  const runJob = createAttemptPartitions(system);
  await runJob();
  const soon = v7({ msecs: NOW.getTime() + 2 * DAY_MS });
  const [row] = await system.sql`
    insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, request_headers)
    values (${soon}, ${soon}, ${soon}, ${soon}, 1, now(), 1, '[]') returning tableoid::regclass::text as partition`;
  expect(row?.partition).toMatch(/^delivery_attempts_\d{8}$/);
  const kept = async (days: number) => {
    clock.set(new Date(NOW.getTime() + days * DAY_MS));
    await runJob();
    while ((await pruneDeliveryAttempts(system)) > 0);
    return (await system.sql`select from delivery_attempts where id = ${soon}`).count;
  };
  expect([await kept(4), await kept(5), await kept(6)]).toEqual([1, 1, 0]);
  const partitions = await system.sql`select from pg_class where relname = ${row?.partition}`;
  expect(partitions.count).toBe(0);
});

test("lines of the audit log older than RETENTION_DAYS_AUDIT are deleted", async () => {
  const { organizationId } = await service.newOrganization();
  const { trpc } = await newOwner(service, organizationId);
  const acts = async () => (await trpc.team.audit.query({ limit: 100 })).data.length;
  await trpc.team.invite.mutate({ email: "invited@people.example", role: "member" });
  const before = await acts();
  clock.advance(19 * DAY_MS);
  await pruneAudit(system);
  expect(await acts()).toBe(before);
  clock.advance(2 * DAY_MS);
  while ((await pruneAudit(system)) > 0);
  expect(await acts()).toBe(0);
});

test("expired sessions are deleted, and no others", async () => {
  const { organizationId } = await service.newOrganization();
  const { trpc } = await newOwner(service, organizationId);
  await system.sql`insert into sessions (id, user_id, token, expires_at, created_at, updated_at)
    select gen_random_uuid(), id, 'expired', now() - interval '1 hour', now(), now() from users limit 1`;
  await pruneSessions(system);
  expect(await system.sql`select token from sessions where expires_at < now()`).toEqual([]);
  expect((await trpc.team.audit.query({ limit: 1 })).data).toBeDefined();
});
