// The event stream through kill -9 of its process, while mail comes: who goes on with Last-Event-ID misses nothing and gets
// nothing twice. Followed by curl, by Node's fetch, and by the typed client.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { eventually, follow } from "#test/support/events.ts";
import { allEvents, mailer, mailUntil, startProcesses } from "./two-rig.ts";

const KILLS = size("STREAM_KILLS");
const MAILERS = 2;
/** Each follower gets so many before a kill, and after the last one. */
const EVENTS_UNDER_LOAD = 20;
const AGAIN_AFTER_MS = 100;
const CATCH_UP_MS = 20_000;

let service: Awaited<ReturnType<typeof startProcesses>>;

beforeAll(async () => {
  service = await startProcesses(1);
});
afterAll(() => service?.stop());

/** What a follower has got so far, by id. */
type Follower = { isOpen(): boolean; ids(): string[]; stop(): Promise<void> };
type Connection = { isOpen(): boolean; ids(): string[]; ended: Promise<unknown>; close(): void };

/** `connect` opens one connection, to go on after some id; when it breaks, the next one. */
function reconnecting(connect: (after: string | undefined) => Connection): Follower {
  const before: string[] = [];
  let over = false;
  let connection: Connection | undefined;
  async function run(): Promise<void> {
    while (!over) {
      connection = connect(before.at(-1));
      await connection.ended;
      before.push(...connection.ids());
      connection = undefined;
      await sleep(AGAIN_AFTER_MS);
    }
  }
  const running = run();
  return {
    isOpen: () => connection?.isOpen() ?? false,
    ids: () => [...before, ...(connection?.ids() ?? [])],
    stop() {
      over = true;
      connection?.close();
      return running;
    },
  };
}

function byCurl(): Follower {
  return reconnecting((after) => {
    const resume = after === undefined ? [] : ["-H", `Last-Event-ID: ${after}`];
    const url = `${service.at(0).url}/v1/events/stream`;
    const curl = spawn("curl", ["-sN", url, "-H", `Authorization: Bearer ${service.key}`, ...resume], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    curl.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
    return {
      // The first block names the start.
      isOpen: () => /^id: /m.test(output),
      // What the kill has cut off is no event: it lacks its empty line.
      ids: () => [...output.matchAll(/^id: (\S+)\nevent: .+\ndata: .+\n\n/gm)].map(([, id]) => id as string),
      ended: once(curl, "close"),
      close: () => curl.kill(),
    };
  });
}

function byFetch(): Follower {
  return reconnecting((lastEventId) => {
    let stream: Awaited<ReturnType<typeof follow>> | undefined;
    let over = false;
    async function read(): Promise<void> {
      stream = await follow(service.at(0), { key: service.key, lastEventId });
      if (over) await stream.close();
      await stream.ended;
    }
    return {
      isOpen: () => (stream?.comments.length ?? 0) > 0,
      ids: () => stream?.events.map(({ id }) => id) ?? [],
      ended: read().catch(() => {}), // it is not back yet
      close() {
        over = true;
        void stream?.close();
      },
    };
  });
}

function byClient(): Follower {
  const ids: string[] = [];
  let isOpen = false;
  const { unsubscribe } = service.client(0).events.onMessage.subscribe(
    {},
    {
      onData: ({ id }) => ids.push(id),
      onStarted: () => {
        isOpen = true;
      },
    },
  );
  return { isOpen: () => isOpen, ids: () => ids, stop: async () => unsubscribe() };
}

const CURL_MISSING = spawnSync("curl", ["--version"]).error && "curl is not on this machine";

test(`killed ${KILLS} times`, async ({ annotate }) => {
  if (CURL_MISSING) await annotate(CURL_MISSING);
  const { address } = await service.client(0).inboxes.create.mutate({});
  const followers = new Map<string, Follower>([
    ["fetch", byFetch()],
    ["client", byClient()],
  ]);
  if (!CURL_MISSING) followers.set("curl", byCurl());
  for (const { isOpen } of followers.values()) await eventually(() => expect(isOpen()).toBe(true));
  // From here on each has an id to go on after.
  const outgoing = mailer(service.at(0));
  await outgoing.send(address, "first");
  outgoing.close();
  for (const { ids } of followers.values()) await eventually(() => expect(ids()).toHaveLength(1));

  const until = { over: false };
  const mailing = Array.from({ length: MAILERS }, () => mailUntil(() => service.at(0), address, until));
  const untilMore = async () => {
    const known = [...followers.values()].map(({ ids }) => ids().length + EVENTS_UNDER_LOAD);
    for (const [i, { ids }] of [...followers.values()].entries())
      await eventually(() => expect(ids().length).toBeGreaterThanOrEqual(known[i] ?? 0));
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    await untilMore();
    await service.kill(0);
    await service.start(0);
  }
  await untilMore();
  until.over = true;
  const accepted = (await Promise.all(mailing)).flat();

  const log = await allEvents(service, 0);
  const logged = log.map(({ id }) => id);
  expect(
    accepted.filter((id) => !log.some((each) => each.event === "message.received" && each.message.id === id)),
  ).toEqual([]);
  expect(logged.length).toBeGreaterThanOrEqual(accepted.length + 1);
  for (const [name, follower] of followers) {
    const count = () => [name, follower.ids().length];
    await expect.poll(count, { timeout: CATCH_UP_MS }).toEqual([name, logged.length]);
    expect([name, follower.ids()]).toEqual([name, logged]);
    await follower.stop();
  }
});
