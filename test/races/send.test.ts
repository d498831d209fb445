// The daily cap is exact, and one idempotency key is one message, for concurrent sends at several processes.
import { afterAll, describe, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { type Answer, type Api, api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const CAP = 20;
const AT_ONCE = 100;
const MANY = 200;
const RECIPIENTS = 5;
const SAME = 50;
const ROUNDS = size("RACE_ROUNDS");

/** As many connections as a service has by default. */
const settings = { ROLES: "web,smtp", SEND_CAP_RAMP: String(CAP), DATABASE_POOL_SIZE: "10" };
/** The cap counts by UTC day: at noon none ends during the test. */
const clock = adjustableClock();
clock.set(`${new Date().toISOString().slice(0, "2026-01-01".length)}T12:00:00Z`);
/** Mail of else.example is aligned when it comes from this machine. */
const zone = { "else.example": { TXT: [["v=spf1 ip4:127.0.0.1 -all"]] } };
const service = await startTestService(settings, { now: clock.now, zone });
const second = await startTestService(settings, { database: service.database, now: clock.now });
const [here, there] = [api(service), api(second)];
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await second.stop();
  await service.stop();
});

const doors: [string, Api[]][] = [
  ["one service", [here]],
  ["two services on one database", [here, there]],
];
const MESSAGE = { to: "a@else.example", text: "x" };

async function newSender(clients: Api[]) {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await here.createInbox(key);
  const send = (i: number, json: object) =>
    (clients[i % clients.length] as Api).post<Sent & Failure>(inboxPath(address, "/send"), json, { key });
  const sends = (count: number, json: (i: number) => object): Promise<Answer<Sent & Failure>[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => send(i, json(i))));
  const stored = async () =>
    (await here.get<Page<{ direction: string }>>(inboxPath(address, "/messages?limit=100"), { key })).body.data.filter(
      ({ direction }) => direction === "outbound",
    ).length;
  const used = async () => (await here.get<{ used: number }>(inboxPath(address, "/send-limit"), { key })).body.used;
  return { key, address, sends, stored, used };
}
const tally = (answers: Answer<Sent & Failure>[]) =>
  Object.entries(Object.groupBy(answers, ({ status, body }) => `${status} ${body.error?.code ?? ""}`.trim()))
    .map(([outcome, all]) => [outcome, all?.length])
    .sort();

describe.each(doors)("%s", (_name, clients) => {
  test(`${AT_ONCE} concurrent sends: exactly the cap of ${CAP}`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { sends, stored, used } = await newSender(clients);
      const answers = await sends(AT_ONCE, (i) => ({ ...MESSAGE, subject: `${i}` }));
      expect(tally(answers)).toEqual([
        ["202", CAP],
        ["429 daily_send_cap_exceeded", AT_ONCE - CAP],
      ]);
      expect([await stored(), await used()]).toEqual([CAP, CAP]);
    }
  });

  test(`${MANY} concurrent sends of one to five recipients: exactly by recipients`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { sends, used } = await newSender(clients);
      const sizeOf = (i: number) => 1 + (i % RECIPIENTS);
      const to = (i: number) => Array.from({ length: sizeOf(i) }, (_, n) => `${i}.${n}@else.example`);
      const answers = await sends(MANY, (i) => ({ to: to(i), text: "x" }));
      const accepted = answers.flatMap(({ status }, i) => (status === 202 ? [sizeOf(i)] : []));
      // 40 of the sends have one recipient, so that the last places are taken too.
      expect(accepted.reduce((sum, recipients) => sum + recipients, 0)).toBe(CAP);
      expect(tally(answers)).toEqual([
        ["202", accepted.length],
        ["429 daily_send_cap_exceeded", MANY - accepted.length],
      ]);
      expect(await used()).toBe(CAP);
    }
  });

  test("concurrent replies stop at exactly ten times the cap and do not count against the cap", async () => {
    const { sends, used, address, key } = await newSender(clients);
    await service.mail({ from: "a@else.example", to: address });
    const list = await here.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key });
    // Parses it.
    await here.get(`/v1/messages/${list.body.data[0]?.id}`, { key });
    const answers = await sends(10 * CAP + 20, () => MESSAGE);
    expect(tally(answers)).toEqual([
      ["202", 10 * CAP],
      ["429 daily_send_cap_exceeded", 20],
    ]);
    expect(await used()).toBe(0);
  });

  test(`${SAME} sends with one idempotency_key: one message, counted once`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { sends, stored, used } = await newSender(clients);
      const answers = await sends(SAME, () => ({ ...MESSAGE, idempotency_key: "same" }));
      expect(tally(answers)).toEqual([["202", SAME]]);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect([await stored(), await used()]).toEqual([1, 1]);
    }
  });

  test("two contents under one idempotency_key: one message, the others conflict", async () => {
    const { sends, stored } = await newSender(clients);
    const answers = await sends(SAME, (i) => ({ ...MESSAGE, subject: `${i % 2}`, idempotency_key: "same" }));
    expect(tally(answers)).toEqual([
      ["202", SAME / 2],
      ["409 idempotency_conflict", SAME / 2],
    ]);
    expect(await stored()).toBe(1);
  });

  test("a send that races a delete is accepted or not found, and no send is accepted after the delete", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { key, address, sends } = await newSender(clients);
      const [answers, deleted] = await Promise.all([
        sends(10, () => MESSAGE),
        here.delete<object>(inboxPath(address), { key }),
      ]);
      expect(deleted.status).toBe(200);
      for (const { status } of answers) expect([202, 404]).toContain(status);
      expect(tally(await sends(2, () => MESSAGE))).toEqual([["404 inbox_not_found", 2]]);
      const accepted = answers.filter(({ status }) => status === 202).length;
      const rows = await service.system.sql`select m.id from messages m join inboxes i on i.id = m.inbox_id
        where i.address = ${address}`;
      expect(rows).toHaveLength(accepted);
    }
  });

  test("no webhook registered while its mailbox is deleted remains", async () => {
    const { key, address } = await newSender(clients);
    const json = { url: "https://a.example", events: ["message.received"], address };
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, i) => (clients[i % clients.length] as Api).post("/v1/webhooks", json, { key })),
      here.delete(inboxPath(address), { key }),
    ]);
    for (const { status } of answers) expect([200, 201, 404]).toContain(status);
    expect((await here.get<Page<object>>("/v1/webhooks", { key })).body.data).toEqual([]);
  });
});
