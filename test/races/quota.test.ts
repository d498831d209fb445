// The quota of an enrollment key is exact, and one client_id is one mailbox, for concurrent calls at several processes.
import { afterAll, describe, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import {
  type Answer,
  type Api,
  api,
  type Failure,
  type Inbox,
  inboxPath,
  type Page,
  type Quota,
} from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const AT_ONCE = 200;
const LEFT = 20;
const SAME = 50;
const ROUNDS = size("RACE_ROUNDS");

/** As many connections as a service has by default. */
const settings = { ROLES: "web", DATABASE_POOL_SIZE: "10" };
const service = await startTestService(settings);
const second = await startTestService(settings, { database: service.database });
const [here, there] = [api(service), api(second)];
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await second.stop();
  await service.stop();
});

type Answered = Answer<Inbox & Failure>;
const doors: [string, Api[]][] = [
  ["one service", [here]],
  ["two services on one database", [here, there]],
];

/** `count` concurrent creates, distributed to the clients in turn. */
const creates = (clients: Api[], count: number, key: (i: number) => string, json: (i: number) => object) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      (clients[i % clients.length] as Api).post<Inbox & Failure>("/v1/inboxes", json(i), { key: key(i) }),
    ),
  );
const made = (answers: Answered[]) => answers.filter(({ status }) => status === 201);
const codes = (answers: Answered[]) => [
  ...new Set(answers.filter(({ status }) => status !== 201).map(({ status, body }) => `${status} ${body.error.code}`)),
];
const quota = async (key: string) => (await here.get<{ quota: Quota }>("/v1/auth/me", { key })).body.quota;
const live = async (key: string) => (await here.get<Page<object>>("/v1/inboxes?limit=100", { key })).body.data.length;

describe.each(doors)("%s", (_name, clients) => {
  test(`${AT_ONCE} creates on a key with ${LEFT} left: exactly ${LEFT}`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { agentKey: key, enrollmentKey } = await service.newOrganization({ maxMailboxes: LEFT });
      const other = (await service.enroll(enrollmentKey, "second-bot")).agent_key;
      const answers = await creates(
        clients,
        AT_ONCE,
        (i) => (i % 3 ? key : other),
        () => ({}),
      );
      expect([made(answers).length, codes(answers)]).toEqual([LEFT, ["409 enrollment_token_exhausted"]]);
      expect(new Set(made(answers).map(({ body }) => body.id)).size).toBe(LEFT);
      expect(await quota(key)).toEqual({ max_mailboxes: LEFT, used_count: LEFT, remaining: 0 });
      expect(await live(key)).toBe(LEFT);
    }
  });

  test(`${SAME} creates with one client_id: one mailbox, counted once`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { agentKey: key } = await service.newOrganization();
      const answers = await creates(
        clients,
        SAME,
        () => key,
        (i) => ({ client_id: "same", display_name: `${i}` }),
      );
      expect([made(answers).length, codes(answers)]).toEqual([SAME, []]);
      const [first] = answers;
      for (const { body } of answers) expect(body).toEqual(first?.body);
      expect(answers.filter(({ headers }) => headers["idempotent-replayed"] === "true")).toHaveLength(SAME - 1);
      expect([(await quota(key)).used_count, await live(key)]).toEqual([1, 1]);
    }
  });

  test("one client_id by agents of two enrollment keys: one mailbox for each, counted once", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const a = await service.newOrganization();
      const b = await service.newEnrollment(a.organizationId);
      const keys = [a.agentKey, b.agentKey];
      const answers = await creates(
        clients,
        SAME,
        (i) => keys[(i >> 1) % 2] ?? "",
        () => ({ client_id: "same" }),
      );
      expect([made(answers).length, codes(answers)]).toEqual([SAME, []]);
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(2);
      const used = await Promise.all(keys.map(async (key) => (await quota(key)).used_count));
      expect([used, await live(a.agentKey)]).toEqual([[1, 1], 2]);
    }
  });

  test("one address by two organizations: one winner, the losers pay nothing", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [a, b] = [await service.newOrganization(), await service.newOrganization()];
      const username = `contested-${clients.length}-${round}`;
      const keys = [a.agentKey, b.agentKey];
      const answers = await creates(
        clients,
        20,
        (i) => keys[(i >> 1) % 2] ?? "",
        () => ({ username }),
      );
      expect([made(answers).length, codes(answers)]).toEqual([1, ["409 address_taken"]]);
      const used = (await quota(a.agentKey)).used_count + (await quota(b.agentKey)).used_count;
      expect(used).toBe(1);
    }
  });

  test("many keys, many addresses in opposite orders: all are served", async () => {
    const organizations = await Promise.all([1, 2, 3, 4].map(() => service.newOrganization()));
    const name = (i: number) => `order-${clients.length}-${i}`;
    const answers = await creates(
      clients,
      80,
      (i) => organizations[i % 4]?.agentKey ?? "",
      (i) => ({ username: name(i % 2 ? i % 40 : 39 - (i % 40)) }),
    );
    const winners = made(answers).map(({ body }) => body.address);
    expect([new Set(winners).size, codes(answers)]).toEqual([winners.length, ["409 address_taken"]]);
    const used = await Promise.all(organizations.map(async ({ agentKey }) => (await quota(agentKey)).used_count));
    expect(used.reduce((sum, count) => sum + count, 0)).toBe(winners.length);
  });

  test("delete racing a create of the same address: never two live, each counted once", async () => {
    const { agentKey: key } = await service.newOrganization();
    const username = `phoenix-${clients.length}`;
    let created = 1;
    let { address } = await here.createInbox(key, { username });
    for (let round = 0; round < 10; round += 1) {
      const [, ...answers] = await Promise.all([
        here.delete(inboxPath(address), { key }),
        ...clients.flatMap((client) =>
          [1, 2].map(() => client.post<Inbox & Failure>("/v1/inboxes", { username }, { key })),
        ),
      ]);
      const won = made(answers);
      expect(won.length).toBeLessThanOrEqual(1);
      expect(codes(answers).every((code) => code === "409 address_taken")).toBe(true);
      created += won.length;
      expect([await live(key), (await quota(key)).used_count]).toEqual([won.length, created]);
      if (won.length === 0) {
        ({ address } = await here.createInbox(key, { username }));
        created += 1;
      }
    }
  });
});
