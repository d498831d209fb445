// A secret rotated under load: who verifies with the old one, and who has changed to the new one, both reject nothing for a day.
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { size } from "#test/sizes.ts";
import {
  type Endpoint,
  mailToAll,
  type Request,
  type Roles,
  startEndpoint,
  startRoles,
  verifiedBy,
} from "./webhook-rig.ts";

const MAILBOXES = 8;
/** To each process, at least; each is an event in every mailbox. */
const MAILS = size("ROTATION_MAILS");
const PROCESSES = [0, 1];
const SESSIONS = 4;
/** Slow enough that much waits in memory and in the table. */
const ANSWER_MS = 30;
/** So many requests have come when a secret is rotated, and as many are to come after it. */
const BEFORE = 2 * MAILS;
const OVERLAP_MS = 24 * 3_600_000;
const POLL = { interval: 20 };

type Webhook = { id: string; endpoint: Endpoint; old: string; rotated?: { secret: string; at: number } };

let roles: Roles;
let addresses: string[];
const webhooks: Webhook[] = [];

function answerSoon(_: Request, response: ServerResponse): void {
  setTimeout(() => response.writeHead(200).end(), ANSWER_MS);
}

beforeAll(async () => {
  roles = await startRoles(["web,smtp,worker", "web,smtp,worker"]);
  const inboxes = Array.from({ length: MAILBOXES }, () => roles.client(0).inboxes.create.mutate({}));
  addresses = (await Promise.all(inboxes)).map(({ address }) => address);
  for (let i = 0; i < 2; i += 1) {
    const endpoint = await startEndpoint(answerSoon);
    const { register } = roles.client(0).webhooks;
    const { id, secret } = await register.mutate({ url: endpoint.url, events: ["message.received"] });
    webhooks.push({ id, endpoint, old: secret });
  }
});

afterAll(async () => {
  await roles?.stop();
  for (const { endpoint } of webhooks) endpoint.close();
});

/** By one of the processes; `at` is when its answer was here. */
async function rotate(webhook: Webhook, process: number): Promise<void> {
  await expect.poll(() => webhook.endpoint.requests.length, POLL).toBeGreaterThan(BEFORE);
  const { secret } = await roles.client(process).webhooks.rotateSecret.mutate({ id: webhook.id });
  webhook.rotated = { secret, at: Date.now() };
}

/** @returns how many events there are of it */
async function mail(more: (begun: number) => boolean): Promise<number> {
  const how = { sessions: SESSIONS, pauseMs: 0, more };
  const accepted = await Promise.all(PROCESSES.map((process) => mailToAll(roles.at(process), addresses, how)));
  return accepted.flatMap((ids) => [...ids.values()]).flat().length;
}

/** Those that came after the rotation was answered. */
const later = ({ endpoint, rotated }: Webhook): Request[] =>
  rotated ? endpoint.requests.filter(({ arrivedAt }) => arrivedAt > rotated.at) : [];

it("under load, no delivery is rejected with the old secret, nor with the new one from the answer on", async () => {
  // A fast machine sends more: the load goes on past both rotations.
  const isOver = () => webhooks.every((webhook) => later(webhook).length > BEFORE);
  const mailing = mail((begun) => begun < MAILS || !isOver());
  await Promise.all(webhooks.map((webhook, i) => rotate(webhook, i)));
  const events = await mailing;
  for (const webhook of webhooks) {
    const { endpoint, old, rotated = { secret: "", at: 0 } } = webhook;
    const { requests } = endpoint;
    await expect.poll(() => new Set(requests.map(({ event }) => event)).size, POLL).toBe(events);
    const after = later(webhook);
    expect(new Set(after.map(({ sender }) => sender))).toEqual(new Set(PROCESSES.map(roles.sender)));
    expect(requests.filter((request) => verifiedBy(request, [old]).length === 0)).toEqual([]);
    const rejected = after.filter((request) => verifiedBy(request, [rotated.secret]).length === 0);
    expect(rejected.map(({ sender, arrivedAt }) => ({ sender, afterMs: arrivedAt - rotated.at }))).toEqual([]);
  }
});

it("what waits in memory behind unanswered attempts is signed with the new secret once the rotation was answered", async () => {
  const held: ServerResponse[] = [];
  let isHolding = true;
  const endpoint = await startEndpoint((_, response) => {
    if (isHolding) held.push(response);
    else response.writeHead(200).end();
  });
  const { register, rotateSecret, remove } = roles.client(0).webhooks;
  const { id } = await register.mutate({ url: endpoint.url, events: ["message.received"] });
  await mail((begun) => begun < 1);
  await expect.poll(() => held.length, POLL).toBeGreaterThan(0);
  const { secret } = await rotateSecret.mutate({ id });
  isHolding = false;
  const known = endpoint.requests.length;
  for (const response of held) response.writeHead(200).end();
  await expect.poll(() => endpoint.requests.length, POLL).toBe(PROCESSES.length * MAILBOXES);
  await remove.mutate({ id });
  endpoint.close();
  const after = endpoint.requests.slice(known);
  expect(after.length).toBeGreaterThan(0);
  expect(after.filter((request) => verifiedBy(request, [secret]).length === 0)).toEqual([]);
});

it("a day later the new one alone signs", async () => {
  // The day passes for the rows: their processes have clocks of their own.
  await roles.sql`
      update webhooks set previous_secret_expires_at = previous_secret_expires_at - ${`${OVERLAP_MS} ms`}::interval`;
  for (const { endpoint, old, rotated } of webhooks) {
    const fresh = rotated?.secret ?? "";
    await expect
      .poll(
        async () => {
          const known = endpoint.requests.length;
          await mail((begun) => begun < 1);
          // More, if deliveries of the mail before were still on their way.
          const expected = known + PROCESSES.length * MAILBOXES;
          await expect.poll(() => endpoint.requests.length, POLL).toBeGreaterThanOrEqual(expected);
          return new Set(endpoint.requests.slice(known).flatMap((request) => verifiedBy(request, [fresh, old])));
        },
        { ...POLL, interval: 100 },
      )
      .toEqual(new Set([fresh]));
  }
});
