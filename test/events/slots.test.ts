// What a stream holds (a slot of its key, a follower of the log) is given back however it ends, at either door.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { size } from "#test/sizes.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually, follow } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestService } from "#test/support/service.ts";

const SLOTS = 3;
/** Of the service that is hung up on at random moments, and the calls that are. */
const MANY_SLOTS = 100;
const AT_ONCE = 60;
const ROUNDS = size("HANG_UP_ROUNDS");
const PATIENCE_MS = 60;
const service = await startTestService({ MAX_WAITS_PER_KEY: String(SLOTS) });
const client = api(service);
/** Separate connections: over those of the service a look at locks may be sent behind the query that is held. */
const { sql, close } = openDatabase({ url: service.database.url, poolSize: 2 });
afterAll(async () => {
  await client.close();
  await close();
  await service.stop();
});

/** Locks a table until `release`; `heldUp`: how many queries wait for it. */
async function hold(table: "event_positions" | "inboxes") {
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const lock = sql.begin(async (tx) => {
    await tx`lock table ${tx(table)} in access exclusive mode`;
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  onTestFinished(() => held.resolve());
  return {
    heldUp: () => waitingForLocks(sql, table),
    async release() {
      held.resolve();
      await lock;
    },
  };
}

/** All slots of the key are free: it may open the maximum number of streams. */
async function expectAllFree(key: string, { on = service, slots = SLOTS } = {}): Promise<void> {
  await eventually(async () => {
    const streams = await Promise.all(Array.from({ length: slots }, () => follow(on, { key })));
    await Promise.all(streams.map((stream) => stream.close()));
    expect(streams.map(({ status }) => status)).toEqual(Array(slots).fill(200));
  });
}

/** A call that its caller may give up; settles then, too. */
function call(url: string, key: string) {
  const gone = new AbortController();
  const ended = fetch(url, { headers: { Authorization: `Bearer ${key}` }, signal: gone.signal })
    .then((answer) => answer.text())
    .catch((error: Error) => error.name);
  return { ended, hangUp: () => gone.abort() };
}

const DOORS = [
  ["events.onMessage", "/trpc/events.onMessage?input=%7B%7D"],
  ["events.stream in JSON", "/trpc/events.stream?input=%7B%7D"],
  ["GET /v1/events/stream", "/v1/events/stream"],
] as const;

describe("400 at the tRPC door", () => {
  test("events.stream in JSON: refused, any number of times, and nothing stays open", async () => {
    const { agentKey: key } = await service.newOrganization();
    for (let i = 0; i < 2 * SLOTS; i += 1) {
      const { status, text } = await client.exchange("GET", "/trpc/events.stream?input=%7B%7D", { key });
      expect([status, JSON.parse(text).error.data.error.code]).toEqual([400, "invalid_request"]);
    }
    await expectAllFree(key);
  });
});

describe("a client who has gone before anything was sent", () => {
  test.each(DOORS)("%s", async (_, path) => {
    const { agentKey: key } = await service.newOrganization();
    const { heldUp, release } = await hold("event_positions");
    const calls = Array.from({ length: SLOTS + 1 }, () => call(service.url + path, key));
    // One too many is refused: the others have their slots by then.
    const refused = await Promise.race(calls.map((one) => one.ended.then(() => one)));
    expect(await refused.ended).toContain("rate_limited");
    // The first who follows an organization asks where its log ends, for all.
    await eventually(async () => expect(await heldUp()).toBe(1));
    const held = calls.filter((one) => one !== refused);
    for (const { hangUp } of held) hangUp();
    expect(await Promise.all(held.map(({ ended }) => ended))).toEqual(Array(SLOTS).fill("AbortError"));
    await release();
    await expectAllFree(key);
  });
});

describe("clients who hang up at any moment", () => {
  test.each(DOORS)("%s", async (_, path) => {
    const own = await startTestService(
      { ROLES: "web", MAX_WAITS_PER_KEY: String(MANY_SLOTS) },
      { database: service.database },
    );
    onTestFinished(own.stop);
    const { agentKey: key } = await own.newOrganization();
    for (let round = 0; round < ROUNDS; round += 1) {
      const calls = Array.from({ length: AT_ONCE }, async () => {
        const { ended, hangUp } = call(own.url + path, key);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * PATIENCE_MS));
        hangUp();
        await ended;
      });
      await Promise.all(calls);
    }
    await expectAllFree(key, { on: own, slots: MANY_SLOTS });
  });
});

describe("503", () => {
  test("following the log while the service is stopping fails with a clear error", async () => {
    const own = await startTestService({}, { database: service.database });
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const inbox = encodeURIComponent(address);
    const { release } = await hold("inboxes");
    const ownClient = api(own);
    const calls = [
      ownClient.exchange("POST", inboxPath(address, "/wait"), { key, json: {} }),
      ownClient.exchange("GET", `/v1/events/stream?inbox=${inbox}`, { key }),
    ];
    // Look-ups share queries: the second call may wait in the service.
    const queries = async () => (await ownClient.get<{ queries: object }>("/health/ready")).body.queries;
    await eventually(async () => expect(await queries()).toEqual({ running: 0, waiting: calls.length }));
    const stopped = own.stop();
    await release();
    for (const { status, headers, text } of await Promise.all(calls)) {
      expect([status, headers["retry-after"], JSON.parse(text).error.code]).toEqual([503, "1", "unavailable"]);
    }
    await stopped;
    await ownClient.close();
  });
});
