// A database that freezes while a caller waits for a mail to be read: the caller is answered before the freeze ends.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { encodeId } from "#server/base/ids.ts";
import { api } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startProxy } from "#test/support/proxy.ts";
import { startTestService } from "#test/support/service.ts";

/** In which every request is to be answered: docs/decisions/024. */
const FREEZE_MS = 20_000;
const RECOVERY_MAX_MS = 40_000;

const database = await createTestDatabase();
const proxy = await startProxy(database.url);
// Without a worker, only the caller's own request reads the mail.
const service = await startTestService({ ROLES: "web,smtp" }, { database: { ...database, url: proxy.url } });
const direct = openDatabase({ url: database.url, poolSize: 2 });
const client = api(service);
const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key);

afterAll(async () => {
  await client.close();
  await service.stop();
  await direct.close();
  await proxy.cut();
  await database.drop();
});

test("a mail that cannot be read is answered 503 while the database is frozen, and read afterwards", async () => {
  await service.mail({ from: "a@else.example", to: address, subject: "frost" });
  const [mail] = await direct.sql<{ id: string }[]>`select id from messages`;
  if (!mail) throw new Error("no mail was stored");
  const path = `/v1/messages/${encodeId("msg", mail.id)}`;
  const holder = await direct.sql.reserve();
  await holder`begin`;
  // Messages can be looked at, and not be leased for reading.
  await holder`lock table messages in exclusive mode`;
  const reading = client.get(path, { key });
  await expect.poll(() => waitingForLocks(direct.sql, "messages")).toBeGreaterThan(0);
  proxy.freeze();
  const thawed = delay(FREEZE_MS, { status: "the freeze has ended" }, { ref: false });
  try {
    expect((await Promise.race([reading, thawed])).status).toBe(503);
  } finally {
    proxy.thaw();
    await holder`rollback`;
    holder.release();
  }
  await expect.poll(async () => (await client.get(path, { key })).status, { timeout: RECOVERY_MAX_MS }).toBe(200);
});
