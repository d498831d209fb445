// A database that freezes while requests share a transaction: each is answered before the freeze ends, and may be repeated.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startProxy } from "#test/support/proxy.ts";
import { startTestService } from "#test/support/service.ts";

/** A query then fails after 8 s: two after each other would last about as long as the freeze. */
const DATABASE_TIMEOUT_SECONDS = "6";
/** In which every request is to be answered: docs/decisions/024. */
const FREEZE_MS = 20_000;
const RECOVERY_MAX_MS = 25_000;
const CALLERS = 12;

const database = await createTestDatabase();
const proxy = await startProxy(database.url);
const service = await startTestService(
  { DATABASE_TIMEOUT_SECONDS, DATABASE_POOL_SIZE: "3" },
  { database: { ...database, url: proxy.url } },
);
const direct = openDatabase({ url: database.url, poolSize: 3 });
const { agentKey: key } = await service.newOrganization({ maxMailboxes: 1000 });

afterAll(async () => {
  await service.stop();
  await direct.close();
  await proxy.cut();
  await database.drop();
});

async function create(clientId: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ client_id: clientId });
  const answer = await fetch(`${service.url}/v1/inboxes`, { method: "POST", headers, body });
  await answer.text();
  return answer.status;
}

/** Locks the quotas, once no other transaction has them; `taken` settles then. */
async function holdQuotas() {
  const connection = await direct.sql.reserve();
  await connection`begin`;
  const taken = connection`lock table enrollment_keys in exclusive mode`.execute();
  return { taken, release: () => connection`rollback`.then(() => connection.release()) };
}

const waitingForQuotas = () => waitingForLocks(direct.sql, "enrollment_keys");

test("creates that share a transaction are refused while the database is frozen, and repeating them makes each mailbox once", async () => {
  const first = await holdQuotas();
  await first.taken;
  const leading = create("leading");
  await expect.poll(waitingForQuotas).toBe(1);
  const second = await holdQuotas();
  await expect.poll(waitingForQuotas).toBe(2);
  const clientIds = Array.from({ length: CALLERS }, (_, n) => `caller-${n}`);
  const creating = Promise.all(clientIds.map(create));
  // Answered after them, when they wait for the transaction of the leading one.
  expect((await fetch(`${service.url}/v1/auth/me`, { headers: { Authorization: `Bearer ${key}` } })).status).toBe(200);
  await first.release();
  await second.taken;
  expect(await leading).toBe(201);
  // All the others, in one transaction.
  await expect.poll(waitingForQuotas).toBe(1);
  proxy.freeze();
  const thawed = delay(FREEZE_MS, "the freeze has ended", { ref: false });
  try {
    expect(await Promise.race([creating, thawed])).toEqual(clientIds.map(() => 503));
  } finally {
    proxy.thaw();
    await second.release();
  }
  const repeated = async () => {
    const statuses = await Promise.all(clientIds.map(create));
    return statuses.every((status) => status === 200 || status === 201);
  };
  await expect.poll(repeated, { timeout: RECOVERY_MAX_MS }).toBe(true);
  const rows = await direct.sql<{ client_id: string }[]>`select client_id from inboxes order by client_id`;
  expect(rows.map(({ client_id }) => client_id)).toEqual([...clientIds, "leading"].sort());
  const counted = await direct.sql<
    { used_count: number }[]
  >`select used_count from enrollment_keys where used_count > 0`;
  expect(counted).toEqual([{ used_count: CALLERS + 1 }]);
});
