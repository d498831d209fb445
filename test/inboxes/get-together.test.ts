// Calls that name a mailbox at the same time share a query, and each gets the answer that it would get alone.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { type Answer, api, type Failure, type Inbox, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestService } from "#test/support/service.ts";

/** More than three batches (BATCH_LOOKUPS), and what is answered before the last of them. */
const FLOOD = 320;
const BEFORE_THE_LAST = 220;
/** A client has at most 64 connections. */
const PER_CLIENT = 40;
/** No look-up times out during a test. */
const NO_TIMEOUT_SECONDS = "300";

const service = await startTestService({
  ROLES: "web",
  DATABASE_TIMEOUT_SECONDS: NO_TIMEOUT_SECONDS,
  DATABASE_READ_TIMEOUT_SECONDS: NO_TIMEOUT_SECONDS,
});
const client = api(service);
const crowd = Array.from({ length: Math.ceil(FLOOD / PER_CLIENT) }, () => api(service));
const direct = openDatabase({ url: service.database.url, poolSize: 2 });
afterAll(async () => {
  await Promise.all([client, ...crowd].map((each) => each.close()));
  await service.stop();
  await direct.close();
});

type Got = Answer<Inbox & Failure>;
type Owner = { key: string; inbox: Inbox };

async function newOwner(): Promise<Owner> {
  const { agentKey: key } = await service.newOrganization();
  return { key, inbox: await client.createInbox(key) };
}

/** Look-ups are held from now until the returned function is called. */
async function hold(): Promise<() => Promise<void>> {
  const holder = await direct.sql.reserve();
  await holder`begin`;
  await holder`lock table inboxes in access exclusive mode`;
  return async () => {
    await holder`rollback`;
    holder.release();
  };
}

const held = () => waitingForLocks(direct.sql, "inboxes");

describe("calls at the same time", () => {
  let [one, other]: Owner[] = [];
  beforeAll(async () => {
    [one, other] = [await newOwner(), await newOwner()];
  });

  test("get their own mailbox by address and by id, and no one that is not theirs", async () => {
    if (!one || !other) throw new Error("not created");
    const mine = [one, other].flatMap(({ key, inbox }) =>
      [inbox.address, inbox.id].map((name) => ({ key, name, inbox })),
    );
    const foreign = [one.inbox, other.inbox].flatMap(({ address, id }, n) =>
      [address, id].map((name) => ({ key: (n === 0 ? other : one)?.key ?? "", name, inbox: undefined })),
    );
    const absent = [{ key: one.key, name: "nobody@mail.example", inbox: undefined }];
    const calls = [...mine, ...foreign, ...absent].flatMap((each) => [each, each, each]);
    const answers = await Promise.all(
      calls.map(({ key, name }) => client.get<Inbox & Failure>(inboxPath(name), { key })),
    );
    const expected = calls.map(({ inbox }) => (inbox ? [200, inbox.id] : [404, "inbox_not_found"]));
    expect(answers.map(({ status, body }) => [status, body.id ?? body.error.code])).toEqual(expected);
  });

  test("of a key that is restricted to another mailbox get 404", async () => {
    if (!one) throw new Error("not created");
    const { key } = one;
    const allowed = await client.createInbox(key);
    const { body } = await client.post<{ key: string }>(
      "/v1/keys",
      { scopes: ["mailbox:read"], inboxes: [allowed.address] },
      { key },
    );
    const calls = [one.inbox, allowed].flatMap(({ address }) =>
      [key, body.key].map((each) => client.get<Inbox>(inboxPath(address), { key: each })),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 404, 200, 200]);
  });
});

describe("while look-ups are slow", () => {
  test("many calls use one connection, take turns with another organization, and leave other queries alone", async () => {
    const [flooder, neighbour] = [await newOwner(), await newOwner()];
    const get = ({ key, inbox }: Owner, by = client) => by.get<Inbox & Failure>(inboxPath(inbox.address), { key });
    await Promise.all([get(flooder), get(neighbour)]);
    const release = await hold();
    let ended = 0;
    const flood: Promise<Got>[] = [];
    let endedBefore: Promise<number>;
    try {
      for (let n = 0; n < FLOOD; n++) {
        const by = crowd[Math.floor(n / PER_CLIENT)];
        flood.push(
          get(flooder, by).finally(() => {
            ended += 1;
          }),
        );
      }
      const queries = async () => (await client.get<{ queries: object }>("/health/ready")).body.queries;
      await eventually(async () => expect(await queries()).toEqual({ running: 0, waiting: FLOOD }));
      endedBefore = get(neighbour).then(() => ended);
      expect((await client.get<Page<object>>("/v1/events", { key: flooder.key })).status).toBe(200);
      expect([await held(), ended]).toEqual([1, 0]);
    } finally {
      await release();
    }
    expect(await endedBefore).toBeLessThan(BEFORE_THE_LAST);
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});
