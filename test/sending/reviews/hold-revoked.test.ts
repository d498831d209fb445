// The mail of revoked keys is held in turns: an organization that revokes many keys holds up no other.
import { afterAll, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { holdRevoked } from "#server/sending/reviews/hold-revoked.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const KEYS = 5;
const MAILS = 40;
const LATER = new Date(Date.now() + 86_400_000).toISOString();

// Without a worker: the test runs the job.
const service = await startTestService({ ROLES: "web", RATE_LIMIT_PER_SECOND: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

/** Revokes keys after each of them has scheduled mail. @returns how many of its messages are held */
async function withRevoked(keys: number, mails: number) {
  const { enrollmentKeyId, organizationId, agentKey } = await service.newOrganization();
  const { address } = await client.createInbox(agentKey);
  for (let n = 0; n < keys; n += 1) {
    const { id, key } = await service.newAgentKey(enrollmentKeyId);
    const json = { to: "a@else.example", text: "x", send_at: LATER };
    const sent = Array.from({ length: mails }, () => client.post(inboxPath(address, "/send"), json, { key }));
    for (const { status } of await Promise.all(sent)) expect(status).toBe(202);
    await revokeAgentKey(service.system, id);
  }
  return async () => {
    const held = await service.system.sql`
      select 1 from messages where organization_id = ${decodeId("org", organizationId) ?? ""} and status = 'held'`;
    return held.length;
  };
}

test("one batch holds mail of each organization, and all of it in the end", async () => {
  const many = await withRevoked(KEYS, MAILS / KEYS);
  const one = await withRevoked(1, 1);
  await holdRevoked(service.system);
  expect(await one()).toBe(1);
  expect(await many()).toBeLessThan(MAILS);
  while ((await holdRevoked(service.system)) > 0);
  expect([await many(), await one()]).toEqual([MAILS, 1]);
  expect(await service.system.sql`select 1 from sending_pauses where held_at is null`).toHaveLength(0);
});
