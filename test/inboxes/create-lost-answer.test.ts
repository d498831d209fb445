// Creates whose answer to COMMIT is lost: the mailboxes may exist, so nothing makes them a second time.
import { afterAll, expect, onTestFinished, test } from "vitest";
import { connect } from "#db/client.ts";
import { decodeId } from "#server/base/ids.ts";
import { api, type Failure, type Inbox } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startProxy } from "#test/support/proxy.ts";
import { startTestService } from "#test/support/service.ts";

const COMMITTED = "COMMIT\0";

const database = await createTestDatabase();
/** Answers to COMMIT until one is lost, with all connections. 0: none is. */
let passed = 0;
const proxy = await startProxy(database.url, undefined, () => (chunk) => {
  if (passed === 0 || !chunk.includes(COMMITTED)) return;
  passed -= 1;
  if (passed === 0) void proxy.cut().then(proxy.mend);
});
const service = await startTestService({ ROLES: "web" }, { database: { ...database, url: proxy.url } });
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
  await proxy.cut();
  await database.drop();
});

test("a batch whose answer to COMMIT is lost answers 503, and makes each mailbox once", async () => {
  const { agentKey: key, enrollmentKeyId } = await service.newOrganization();
  const create = (json: object) => client.post<Inbox & Failure>("/v1/inboxes", json, { key });
  const direct = connect(database.url, { max: 2 });
  onTestFinished(() => direct.end());
  const creates = await direct.begin(async (tx) => {
    await tx`select 1 from enrollment_keys where id = ${decodeId("ekey", enrollmentKeyId) ?? ""} for update`;
    const first = create({});
    await expect.poll(() => waitingForLocks(direct)).toBe(1);
    const second = [create({}), create({}), create({ username: "chosen" })];
    await expect.poll(() => service.system.inboxCreates.size).toBe(4);
    passed = 2;
    return [first, ...second];
  });
  const answers = await Promise.all(creates);
  expect(answers.map(({ status }) => status)).toEqual([201, 503, 503, 503]);
  const [made] = await direct`
    select count(*)::int as inboxes, (select used_count from enrollment_keys e where e.id = i.enrollment_key_id) as used
    from inboxes i where enrollment_key_id = ${decodeId("ekey", enrollmentKeyId) ?? ""} group by enrollment_key_id`;
  expect(made).toEqual({ inboxes: 4, used: 4 });
});
