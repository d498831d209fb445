// What is deleted after its time: mail, lines of the audit log, sessions.
import { afterAll, beforeEach, expect, test } from "vitest";
import { pruneMessages } from "#server/messages/prune.ts";
import { pruneAudit } from "#server/organizations/audit.ts";
import { pruneSessions } from "#server/organizations/session.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const DAY_MS = 86_400_000;
const NOW = new Date();
const clock = adjustableClock();
const service = await startTestService(
  { ROLES: "web,smtp", RETENTION_DAYS_MESSAGES: "10", RETENTION_DAYS_AUDIT: "20" },
  { now: clock.now },
);
const { system } = service;
const client = api(service);
beforeEach(() => clock.set(NOW));
afterAll(() => client.close().then(service.stop));

type Listed = Page<{ id: string; subject: string; status: string }>;

async function mailbox() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const list = async (what: string) => (await client.get<Listed>(inboxPath(address, what), { key })).body.data;
  return {
    key,
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
