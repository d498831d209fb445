// One key's slow lists and changes: every other caller, incoming mail and readiness are answered before they end.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { type Answer, api, type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestService } from "#test/support/service.ts";

/** So many lists of one key, in the default number of connections and more. */
const LISTS = [12, 100];
/** So many changes, and the connections that they hold. */
const CHANGES = 40;
const HELD_CONNECTIONS = 6;
/** Of a service that runs several lists of one key at the same time, and more lists than that. */
const CONNECTIONS = 12;
const LISTS_AT_ONCE = 6;
/** Of another organization, each of which calls all the time. */
const LANES = 4;
/** A client has at most 64 connections. */
const LISTS_PER_CLIENT = 50;
/** No list ends by itself during a test. */
const NO_TIMEOUT_SECONDS = "300";

type Readiness = { status: string; queries: { running: number; waiting: number } };

/** A service whose lists of suppressions are slow from `hold` to its returned function: their table is locked. */
async function open(readSeconds: string, connections = HELD_CONNECTIONS) {
  const database = await createTestDatabase();
  const settings = {
    DATABASE_POOL_SIZE: String(connections),
    DATABASE_TIMEOUT_SECONDS: NO_TIMEOUT_SECONDS,
    DATABASE_READ_TIMEOUT_SECONDS: readSeconds,
  };
  const service = await startTestService(settings, { database });
  const direct = openDatabase({ url: database.url, poolSize: 2 });
  const client = api(service);
  const crowd = LISTS.map(() => api(service));
  const hostile = await service.newOrganization();
  const neighbour = await service.newOrganization();
  const readiness = async () => {
    const { status, text } = await client.exchange("GET", "/health/ready", {});
    return { http: status, ...(JSON.parse(text) as Readiness) };
  };
  return {
    service,
    client,
    hostile,
    neighbour,
    readiness,
    list: (key: string, n = 0) =>
      (crowd[Math.floor(n / LISTS_PER_CLIENT)] ?? client).get<Page<unknown> & Failure>("/v1/suppressions", { key }),
    add: (key: string, n: number) =>
      client.post<Failure>("/v1/suppressions", { address: `a${n}@else.example` }, { key }),
    held: () => waitingForLocks(direct.sql, "suppressions"),
    async hold() {
      const holder = await direct.sql.reserve();
      await holder`begin`;
      await holder`lock table suppressions in access exclusive mode`;
      return async () => {
        await holder`rollback`;
        holder.release();
      };
    },
    async close() {
      await Promise.all([client, ...crowd].map((each) => each.close()));
      await service.stop();
      await direct.close();
      await database.drop();
    },
  };
}

describe("lists that do not end", () => {
  let rig: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    rig = await open(NO_TIMEOUT_SECONDS);
  });
  afterAll(() => rig.close());

  describe.for(LISTS)("%i of them, by one key", (lists) => {
    let release: () => Promise<void>;
    let running: Promise<Answer<Page<unknown> & Failure>>[];
    let ended: number;

    beforeAll(async () => {
      release = await rig.hold();
      ended = 0;
      running = Array.from({ length: lists }, (_, n) =>
        rig.list(rig.hostile.agentKey, n).finally(() => {
          ended += 1;
        }),
      );
      await eventually(async () => {
        const { running: started, waiting } = (await rig.readiness()).queries;
        expect(started + waiting).toBe(lists);
      });
    });

    test("another organization reads", async () => {
      const { agentKey: key } = rig.neighbour;
      const { address } = await rig.client.createInbox(key);
      expect((await rig.client.get(inboxPath(address), { key })).status).toBe(200);
      expect((await rig.client.get(inboxPath(address, "/messages"), { key })).status).toBe(200);
      expect(ended).toBe(0);
    });

    test("another key of the same organization reads", async () => {
      const { agent_key: key } = await rig.service.enroll(rig.hostile.enrollmentKey, `other-${lists}`);
      const { address } = await rig.client.createInbox(key);
      expect((await rig.client.get(inboxPath(address), { key })).status).toBe(200);
      expect((await rig.client.get(inboxPath(address, "/messages"), { key })).status).toBe(200);
      expect(ended).toBe(0);
    });

    test("mail is accepted, also for the same organization", async () => {
      for (const { agentKey } of [rig.neighbour, rig.hostile]) {
        const { address } = await rig.client.createInbox(agentKey);
        await rig.service.mail({ from: "a@else.example", to: address, subject: "past the lists" });
      }
      expect(ended).toBe(0);
    });

    test("the service is ready", async () => {
      expect(await rig.readiness()).toMatchObject({ http: 200, status: "ok" });
      expect(ended).toBe(0);
    });

    test("the lists are answered in the end", async () => {
      await release();
      const statuses = (await Promise.all(running)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
    });
  });
});

describe("lists of one key that run at the same time", () => {
  let rig: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    rig = await open(NO_TIMEOUT_SECONDS, CONNECTIONS);
  });
  afterAll(() => rig.close());

  /** How many run once all have arrived. */
  async function runningOf(lists: number): Promise<number> {
    const release = await rig.hold();
    const all = Array.from({ length: lists }, () => rig.list(rig.hostile.agentKey));
    const { running } = await eventually(async () => {
      const { queries } = await rig.readiness();
      expect(queries.running + queries.waiting).toBe(lists);
      return queries;
    });
    await release();
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
    return running;
  }

  test("are a third of the connections for queries while no other organization calls", async () => {
    expect(await runningOf(LISTS_AT_ONCE)).toBe(CONNECTIONS / 2 / 3);
  });

  test("are one while another organization calls", async () => {
    const { agentKey: key } = rig.neighbour;
    const { address } = await rig.client.createInbox(key);
    const calling = new AbortController();
    const lanes = Array.from({ length: LANES }, async () => {
      while (!calling.signal.aborted) expect((await rig.client.get(inboxPath(address), { key })).status).toBe(200);
    });
    expect(await runningOf(LISTS_AT_ONCE)).toBe(1);
    calling.abort();
    await Promise.all(lanes);
  });
});

describe("changes that do not end", () => {
  let rig: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    rig = await open(NO_TIMEOUT_SECONDS);
  });
  afterAll(() => rig.close());

  test("other callers read, mail is accepted, and the service is ready", async () => {
    const { agentKey: key } = rig.neighbour;
    const { address } = await rig.client.createInbox(key);
    // Used for the first time below, so that it is read from the database then.
    const { agent_key: unknownKey } = await rig.service.enroll(rig.neighbour.enrollmentKey, "later");
    const release = await rig.hold();
    let ended = 0;
    const running = Array.from({ length: CHANGES }, (_, n) =>
      rig.add(rig.hostile.agentKey, n).finally(() => {
        ended += 1;
      }),
    );
    await expect.poll(rig.held).toBeGreaterThanOrEqual(HELD_CONNECTIONS);
    expect((await rig.client.get(inboxPath(address, "/messages"), { key })).status).toBe(200);
    expect((await rig.client.get("/v1/inboxes", { key: unknownKey })).status).toBe(200);
    await rig.service.mail({ from: "a@else.example", to: address, subject: "past the changes" });
    expect(await rig.readiness()).toMatchObject({ http: 200, status: "ok" });
    expect(ended).toBe(0);
    await release();
    expect(new Set((await Promise.all(running)).map(({ status }) => status))).toEqual(new Set([201]));
  });
});

test("a list that takes too long is ended, and the answer says what to do", async () => {
  const rig = await open("1");
  const release = await rig.hold();
  try {
    const { status, body, headers } = await rig.list(rig.hostile.agentKey);
    expect([status, body.error.code]).toEqual([503, "unavailable"]);
    expect(headers["retry-after"]).toMatch(/^\d+$/);
  } finally {
    await release();
    await rig.close();
  }
});
