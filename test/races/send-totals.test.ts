// The caps of a domain and of an organization are exact for concurrent sends from many mailboxes at several processes.
import { afterAll, describe, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { type Answer, type Api, api, type Failure, inboxPath, type Sent } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const MAILBOXES = 50;
const SENDS = 200;
const DOMAIN_CAP = 70;
const ORGANIZATION_CAP = 110;
const ROUNDS = size("RACE_ROUNDS");

const settings = {
  ROLES: "web",
  SEND_CAP_RAMP: "20",
  SEND_CAP_RAMP_DOMAIN: String(DOMAIN_CAP),
  SEND_CAP_RAMP_ORGANIZATION: String(ORGANIZATION_CAP),
  RATE_LIMIT_BURST: "1000",
  DATABASE_POOL_SIZE: "10",
};
/** The caps count by UTC day: at noon none ends during the test. */
const clock = adjustableClock();
clock.set(`${new Date().toISOString().slice(0, "2026-01-01".length)}T12:00:00Z`);
const service = await startTestService(settings, { now: clock.now });
const second = await startTestService(settings, { database: service.database, now: clock.now });
const [here, there] = [api(service), api(second)];
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await second.stop();
  await service.stop();
});

type Total = { used: number; remaining: number };
type Limit = { used: number; domain: Total & { name: string }; organization: Total };

let organizations = 0;

/** An organization with mailboxes at each of its domains. */
async function newSenders(domainsOf: (n: number) => string[]) {
  organizations += 1;
  const domains = domainsOf(organizations);
  const { agentKey: key } = await service.newOrganization({ allowedDomains: domains });
  const addresses: string[] = [];
  for (let n = 0; n < MAILBOXES; n += 1) {
    addresses.push((await here.createInbox(key, { domain: domains[n % domains.length] })).address);
  }
  const sendAll = (clients: Api[], json: object = {}) =>
    Promise.all(
      Array.from({ length: SENDS }, (_, n) =>
        (clients[n % clients.length] as Api).post<Sent & Failure>(
          inboxPath(addresses[n % MAILBOXES] as string, "/send"),
          { to: "a@else.example", subject: `${n}`, text: "x", ...json },
          { key },
        ),
      ),
    );
  const limitOf = async (n: number) =>
    (await here.get<Limit>(inboxPath(addresses[n] as string, "/send-limit"), { key })).body;
  return { sendAll, limitOf };
}

const outcomeOf = ({ status, body }: Answer<Sent & Failure>) =>
  status === 202 ? "202" : `${status} ${body.error.code} ${(body as unknown as { cap: string }).cap}`;
const tally = (answers: Answer<Sent & Failure>[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, outcomeOf)).map(([outcome, all]) => [outcome, all?.length]),
  );

describe.each([
  ["one process", [here]],
  ["two processes", [here, there]],
] as [string, Api[]][])("%s", (_name, clients) => {
  test(`${SENDS} concurrent sends from ${MAILBOXES} mailboxes below one domain are accepted up to its cap`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { sendAll, limitOf } = await newSenders((n) => [`a.shop${n}.example`, `b.shop${n}.example`]);
      expect(tally(await sendAll(clients))).toEqual({
        "202": DOMAIN_CAP,
        "429 daily_send_cap_exceeded domain": SENDS - DOMAIN_CAP,
      });
      const limits = await Promise.all(Array.from({ length: MAILBOXES }, (_, n) => limitOf(n)));
      expect(limits.reduce((sum, { used }) => sum + used, 0)).toBe(DOMAIN_CAP);
      expect(limits[0]).toMatchObject({
        domain: { name: `shop${organizations}.example`, used: DOMAIN_CAP, remaining: 0 },
        organization: { used: DOMAIN_CAP, remaining: ORGANIZATION_CAP - DOMAIN_CAP },
      });
    }
  });

  test("concurrent sends from two domains are accepted up to the cap of the organization", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { sendAll, limitOf } = await newSenders((n) => [`one${n}.example`, `two${n}.example`]);
      const accepted = tally(await sendAll(clients));
      expect(accepted["202"]).toBe(ORGANIZATION_CAP);
      const [one, two] = [await limitOf(0), await limitOf(1)];
      expect(one.domain.used + two.domain.used).toBe(ORGANIZATION_CAP);
      expect(Math.max(one.domain.used, two.domain.used)).toBeLessThanOrEqual(DOMAIN_CAP);
      expect(one.organization).toMatchObject({ used: ORGANIZATION_CAP, remaining: 0 });
    }
  });

  test("concurrent sends that cannot share a transaction are counted exactly too", async () => {
    const { sendAll, limitOf } = await newSenders((n) => [`files${n}.example`]);
    const attachments = [{ filename: "a.txt", content_type: "text/plain", content_base64: "eA==" }];
    expect(tally(await sendAll(clients, { attachments }))["202"]).toBe(DOMAIN_CAP);
    expect((await limitOf(0)).domain.used).toBe(DOMAIN_CAP);
  });
});
