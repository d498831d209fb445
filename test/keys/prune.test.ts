// Agent keys that ended long ago: which are deleted, with their pauses, and which stay because something shows them.
import { afterAll, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { pruneKeys } from "#server/keys/prune.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { holdRevoked } from "#server/sending/reviews/hold-revoked.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const clock = adjustableClock();
const service = await startTestService({ ROLES: "web" }, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));
const { system } = service;
const { sql } = system;

const uuid = (wireId: string) => decodeId("akey", wireId) ?? "";
const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS).toISOString();

async function prune(): Promise<number> {
  let deleted = 0;
  for (let step = await pruneKeys(system); step > 0; step = await pruneKeys(system)) deleted += step;
  return deleted;
}
/** The names of the keys that exist, and of those with a pause. */
async function left(keys: Record<string, { id: string }>) {
  const ids = Object.values(keys).map(({ id }) => uuid(id));
  const kept = (await sql`select id from agent_keys where id = any(${ids})`).map(({ id }) => id);
  const paused = (await sql`select target_id from sending_pauses where target_id = any(${ids})`).map(
    (row) => row.target_id,
  );
  const namesOf = (found: string[]) => Object.keys(keys).filter((name) => found.includes(uuid(keys[name]?.id ?? "")));
  return { kept: namesOf(kept), paused: namesOf(paused) };
}
const used = async (key: string) => {
  await client.get("/v1/auth/me", { key });
  const isNoted = async () =>
    (await sql`select 1 from agent_keys where id = ${uuid(`akey_${key.split("_")[2]}`)} and last_used_at is not null`)
      .length;
  await expect.poll(isNoted).toBe(1);
};

test("keys that nothing shows go with their pauses, past the longest retention", async () => {
  const { enrollmentKeyId, agentKey } = await service.newOrganization();
  const { address } = await client.createInbox(agentKey);
  const issue = () => service.newAgentKey(enrollmentKeyId, { handle: "loop" });
  const send = async (key: string) => {
    const json = { to: "a@else.example", text: "x", send_at: inDays(20) };
    expect((await client.post(inboxPath(address, "/send"), json, { key })).status).toBe(202);
  };
  const parent = await issue();
  const child = await client.post<{ id: string; key: string }>(
    "/v1/keys",
    { scopes: ["mailbox:send"] },
    { key: parent.key },
  );
  const keys = {
    unused: await issue(),
    reader: await issue(),
    author: await issue(),
    parent,
    child: child.body,
    longReader: await issue(),
    expired: await service.newAgentKey(enrollmentKeyId, { handle: "loop", expiresAt: new Date(inDays(0.02)) }),
    active: await issue(),
    newest: await issue(),
  };
  for (const { key } of [keys.reader, keys.longReader]) await used(key);
  for (const { key } of [keys.author, keys.child]) await send(key);
  await sql`update agent_keys set created_at = created_at - interval '2 hours' where id = ${uuid(keys.longReader.id)}`;
  for (const name of ["unused", "reader", "author", "parent", "longReader", "newest"] as const)
    await revokeAgentKey(system, keys[name].id);
  clock.advance(366 * DAY_MS);
  // Their mail that waits was not held yet: of all keys that were revoked.
  expect(await prune()).toBe(1);
  while ((await holdRevoked(system)) > 0);
  clock.advance(-2 * DAY_MS);
  expect(await prune()).toBe(0);
  clock.advance(2 * DAY_MS + HOUR_MS);
  expect(await prune()).toBe(2);
  expect(await left(keys)).toEqual({
    kept: ["author", "parent", "child", "longReader", "active", "newest"],
    paused: ["author", "parent", "longReader", "newest"],
  });
  expect((await client.get("/v1/auth/me", { key: keys.unused.key })).status).toBe(401);
  expect((await client.get("/v1/auth/me", { key: keys.active.key })).status).toBe(200);
});
