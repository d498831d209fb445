// Thousands of events, endpoints of which 30 % fail at any time, two workers killed again and again: everyone gets everything.
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { size } from "#test/sizes.ts";
import {
  type Endpoint,
  endLeases,
  endPauses,
  mailToAll,
  type Request,
  type Roles,
  startEndpoint,
  startRoles,
  verifiedBy,
} from "./webhook-rig.ts";

const MAILBOXES = 8;
/** The first for all mailboxes, the others for one each. */
const WEBHOOKS = 10;
/** Each is an event in every mailbox. */
const MAILS = size("STORM_MAILS");
const SESSIONS = 4;
const MAIL_PAUSE_MS = 100;
const FAILING = 3;
const EACH_WAY = new Set([200, 500, 429, null]);
const TURN_MS = 1_500;
const SLOW_MS = 1_500;
const WORKERS = [1, 2];
const KILLS = size("STORM_KILLS");
/** So many deliveries a worker has begun when it is killed. */
const BEGUN_BEFORE_KILL = 100;
const PAUSES_END_EVERY_MS = 500;
const SAMPLE = 200;
/** An outcome is written milliseconds after the answer; on a busy machine, well within this. */
const WRITTEN_WITHIN_MS = 5_000;
const TIMEOUT_MS = 300_000;
const POLL = { timeout: 120_000, interval: 50 };

type Answer = (response: ServerResponse) => unknown;
const FAILURES: Answer[] = [
  (response) => response.writeHead(500).end("oops"),
  (response) => response.socket?.resetAndDestroy(),
  () => undefined, // until it times out
  (response) => response.writeHead(429, { "Retry-After": "3" }).end(),
  (response) => setTimeout(() => response.writeHead(200).end(), SLOW_MS),
];

type Storm = { startedAt: number; over: boolean };
type Webhook = { id: string; secret: string; endpoint: Endpoint; covers: string[] };

/** In each turn the next three fail, each in another way; none when the storm is over. */
function failureOf(webhook: number, { startedAt, over }: Storm): Answer | undefined {
  const turn = Math.floor((Date.now() - startedAt) / TURN_MS);
  const first = (turn * FAILING) % WEBHOOKS;
  const isFailing = (webhook - first + WEBHOOKS) % WEBHOOKS < FAILING;
  return isFailing && !over ? FAILURES[(turn + webhook) % FAILURES.length] : undefined;
}

let roles: Roles;
const storm: Storm = { startedAt: Date.now(), over: false };
const webhooks: Webhook[] = [];
const unverified: Request[] = [];
let accepted = new Map<string, string[]>();
/** Sender → when. */
const killed = new Map<string, number>();
/** By sender. */
const begun = new Map<string, number>();

async function addWebhook(index: number, covers: string[]): Promise<void> {
  const known = { secret: "" };
  const endpoint = await startEndpoint((request, response) => {
    begun.set(request.sender, (begun.get(request.sender) ?? 0) + 1);
    if (verifiedBy(request, [known.secret]).length === 0) unverified.push(request);
    const fail = failureOf(index, storm);
    if (fail) fail(response);
    else response.writeHead(200).end();
  });
  const { id, secret } = await roles.client(0).webhooks.register.mutate({
    url: endpoint.url,
    events: ["message.received"],
    ...(covers.length === 1 ? { address: covers[0] } : {}),
  });
  known.secret = secret;
  webhooks.push({ id, secret, endpoint, covers });
}

async function killTimeAndAgain(worker: number): Promise<void> {
  for (let round = 0; round < KILLS; round += 1) {
    const sender = roles.sender(worker);
    await vi.waitUntil(() => (begun.get(sender) ?? 0) >= BEGUN_BEFORE_KILL, POLL);
    expect(await roles.at(worker).end("SIGKILL")).toBe("SIGKILL");
    killed.set(sender, Date.now());
    await roles.start(worker);
  }
}

/** What the endpoints answered so far: a status, or null for a broken or hanging connection. */
function answers(): Set<number | null> {
  return new Set(webhooks.flatMap(({ endpoint }) => endpoint.requests).map(({ answered }) => answered));
}

/** Until nothing is owed any more. Neither the pauses between attempts nor the leases of the dead are waited for. */
async function drain(): Promise<void> {
  const lastKill = new Date(Math.max(...killed.values()));
  await vi.waitUntil(
    async () => {
      await endPauses(roles);
      await endLeases(roles, lastKill);
      const [row] = await roles.sql`select exists (select from deliveries where status = 'pending') as pending`;
      return row?.pending === false;
    },
    { ...POLL, interval: PAUSES_END_EVERY_MS },
  );
}

async function endPausesWhile(isGoingOn: () => boolean): Promise<void> {
  while (isGoingOn()) {
    await endPauses(roles);
    await sleep(PAUSES_END_EVERY_MS);
  }
}

beforeAll(async () => {
  roles = await startRoles(["web,smtp", "worker", "worker"]);
  const inboxes = Array.from({ length: MAILBOXES }, () => roles.client(0).inboxes.create.mutate({}));
  const addresses = (await Promise.all(inboxes)).map(({ address }) => address);
  await addWebhook(0, addresses);
  for (let i = 1; i < WEBHOOKS; i += 1) await addWebhook(i, addresses.slice(i % MAILBOXES, (i % MAILBOXES) + 1));
  storm.startedAt = Date.now();
  let killing = true;
  const pauses = endPausesWhile(() => !storm.over);
  const mailing = mailToAll(roles.at(0), addresses, {
    sessions: SESSIONS,
    pauseMs: MAIL_PAUSE_MS,
    more: (mails) => mails < MAILS || killing || answers().size < EACH_WAY.size,
  });
  await Promise.all(WORKERS.map(killTimeAndAgain));
  killing = false;
  accepted = await mailing;
  storm.over = true;
  await pauses;
  await drain();
}, TIMEOUT_MS);

afterAll(async () => {
  await roles?.stop();
  for (const { endpoint } of webhooks) endpoint.close();
}, TIMEOUT_MS);

const messageOf = ({ body }: Request) => (JSON.parse(body) as { message: { id: string } }).message.id;

describe("in a storm of failures and kills", () => {
  it(`each worker was killed ${KILLS} times, and endpoints failed in each way`, () => {
    expect(killed.size).toBe(WORKERS.length * KILLS);
    const requests = webhooks.flatMap(({ endpoint }) => endpoint.requests);
    expect(answers()).toEqual(EACH_WAY);
    const events = [...accepted.values()].flat().length;
    expect(events).toBeGreaterThanOrEqual(MAILS * MAILBOXES);
    console.log(`${events} events, ${requests.length} requests, ${Date.now() - storm.startedAt} ms`);
  });

  it("every webhook has accepted every event of what it covers, and was sent no other", () => {
    for (const { endpoint, covers } of webhooks) {
      const owed = new Set(covers.flatMap((address) => accepted.get(address) ?? []));
      const taken = new Set(endpoint.requests.filter(({ answered }) => answered === 200).map(messageOf));
      expect([...owed].filter((id) => !taken.has(id))).toEqual([]);
      expect(endpoint.requests.map(messageOf).filter((id) => !owed.has(id))).toEqual([]);
    }
  });

  it("an event came again only as the same delivery, with the same ids and the same body", async () => {
    const events = await roles.sql<
      { id: string; body: string }[]
    >`select message_id as id, body from events where kind = 'message.received'`;
    const stored = new Map(events.map(({ body }) => [body, new Set<string>()]));
    for (const { endpoint } of webhooks) {
      const deliveries = new Map<string, Set<string>>();
      for (const { delivery, event, body } of endpoint.requests) {
        stored.get(body)?.add(event);
        deliveries.set(event, (deliveries.get(event) ?? new Set()).add(delivery));
      }
      const ids = endpoint.requests.map(({ delivery }) => delivery);
      expect(new Set(ids).size).toBe(deliveries.size);
      expect([...deliveries].filter(([, of]) => of.size !== 1)).toEqual([]);
      expect(endpoint.requests.filter(({ body }) => !stored.has(body))).toEqual([]);
    }
    expect([...stored].filter(([, ids]) => ids.size !== 1)).toEqual([]);
  });

  it("every request verified", () => {
    expect(unverified).toEqual([]);
  });

  it("every delivery has ended well", async () => {
    const rows = await roles.sql`select distinct status from deliveries`;
    expect(rows.map(({ status }) => status)).toEqual(["succeeded"]);
  });

  it("the log tells of each attempt that an endpoint saw, but those whose process died before it could", async () => {
    const untold: Request[] = [];
    for (const { id, endpoint } of webhooks) {
      const seen = Map.groupBy(endpoint.requests, ({ delivery }) => delivery);
      const byLength = [...seen].sort(([, a], [, b]) => b.length - a.length);
      const most = SAMPLE / WEBHOOKS / 2;
      const step = Math.ceil(byLength.length / most);
      for (const [delivery_id, requests] of byLength.filter((_, i) => i < most || i % step === 0)) {
        const { attempts } = await roles.client(0).webhooks.getDelivery.query({ id, delivery_id });
        const told = attempts.map(({ request_headers: headers }) => {
          const header = headers.find(({ name }) => name.endsWith("-Signature"));
          return `${header?.name.toLowerCase().split("-")[1]} ${header?.value}`;
        });
        for (const request of requests) {
          const place = told.indexOf(`${request.sender} ${request.signature}`);
          if (place === -1) untold.push(request);
          else told.splice(place, 1);
        }
        expect(told).toEqual([]); // and of nothing else
      }
    }
    const couldTell = ({ sender, endedAt }: Request) =>
      (endedAt ?? Number.POSITIVE_INFINITY) < (killed.get(sender) ?? Number.POSITIVE_INFINITY) - WRITTEN_WITHIN_MS;
    expect(untold.filter((request) => !killed.has(request.sender) || couldTell(request))).toEqual([]);
  });
});
