// Deliveries per second to one origin: whatever organizations do together, an origin gets no more than its rate; nothing is lost
// or counted as failed, and others are not delayed.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Api, api, type Failure, type Inbox, type Page, type Webhook } from "#test/support/api.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { type Receiver, startReceiver, status } from "#test/webhooks/delivery/receiver.ts";

const PER_SECOND = 20;
const BURST = PER_SECOND / 2;
const ORGANIZATIONS = 3;
const WEBHOOKS = 8;
const MAILS = 2;
/** Tests of each webhook at once: far more than the rate allows, however slow the machine is. */
const TESTS = 5;
const ALL = ORGANIZATIONS * WEBHOOKS * MAILS;
const POLL = { interval: 30 };

let service: TestService;
let client: Api;
let victim: Receiver;
let other: Receiver;
let arrivals: number[] = [];

beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RATE_PER_ORIGIN: String(PER_SECOND) });
  client = api(service);
  victim = await startReceiver((response, request, received) => {
    arrivals.push(performance.now());
    status(200)(response, request, received);
  });
  other = await startReceiver();
});
afterAll(async () => {
  await client?.close();
  await service?.stop();
  await victim?.close();
  await other?.close();
});

/** An organization with a mailbox whose mail goes to the victim by many webhooks. */
async function attacker() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = (await client.post<Inbox>("/v1/inboxes", {}, { key })).body;
  const webhooks: Webhook[] = [];
  for (let n = 0; n < WEBHOOKS; n += 1) {
    const json = { url: `${victim.url}/${n}`, events: ["message.received"], address };
    webhooks.push((await client.post<Webhook>("/v1/webhooks", json, { key })).body);
  }
  return { key, address, webhooks };
}

/** No request came before the rate allowed it, counted from a time before the first could be sent. */
function expectRate(since: number): void {
  for (const [n, at] of arrivals.entries()) {
    expect(n).toBeLessThanOrEqual(BURST + (PER_SECOND * (at - since)) / 1_000);
  }
}

test("many webhooks of many organizations on one origin", async () => {
  const attackers = await Promise.all(Array.from({ length: ORGANIZATIONS }, attacker));
  const honest = await service.newOrganization();
  const { address } = (
    await client.post<Inbox>("/v1/inboxes", { inbound_webhook_url: other.url }, { key: honest.agentKey })
  ).body;

  const since = performance.now();
  for (let n = 0; n < MAILS; n += 1) {
    await Promise.all(attackers.map((each) => service.mail({ from: "a@sender.example", to: each.address })));
  }
  await service.mail({ from: "a@sender.example", to: address });
  await expect.poll(() => other.received.length, POLL).toBe(1);
  // What is asked for by hand is counted as well.
  const tests = await Promise.all(
    attackers.flatMap(({ key, webhooks }) =>
      webhooks.flatMap(({ id }) =>
        Array.from({ length: TESTS }, () => client.post<Failure>(`/v1/webhooks/${id}/test`, undefined, { key })),
      ),
    ),
  );
  const refused = tests.filter(({ status: code }) => code === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { body, headers } of refused)
    expect([body.error.code, headers["retry-after"]]).toEqual(["rate_limited", "1"]);

  const expected = ALL + tests.length - refused.length;
  await expect.poll(() => arrivals.length, POLL).toBe(expected);
  expectRate(since);
  for (const { key, webhooks } of attackers) {
    for (const { id } of webhooks) {
      const deliveries = async () =>
        (
          await client.get<Page<{ status: string; attempt_count: number }>>(`/v1/webhooks/${id}/deliveries`, { key })
        ).body.data.map((each) => [each.status, each.attempt_count]);
      await expect.poll(deliveries, POLL).toEqual(Array.from({ length: MAILS }, () => ["succeeded", 1]));
    }
  }

  arrivals = [];
  const again = performance.now();
  await Promise.all(
    attackers.flatMap(({ key, webhooks }) =>
      webhooks.map(({ id }) =>
        client.post(`/v1/webhooks/${id}/replay`, { since: new Date(Date.now() - 3_600_000).toISOString() }, { key }),
      ),
    ),
  );
  await expect.poll(() => arrivals.length, POLL).toBe(ALL);
  expectRate(again);
});
