// Creates of a batch in which another process takes an address first: only the create of that address is decided again.
import { afterAll, expect, onTestFinished, test } from "vitest";
import { connect } from "#db/client.ts";
import { decodeId, newId } from "#server/base/ids.ts";
import { api, type Failure, type Inbox } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
});

test("those beside it are made once, counted once, and have one event and one record each", async () => {
  const other = await service.newOrganization();
  const { id: model, address } = await client.createInbox(other.agentKey);
  const domain = address.slice(address.indexOf("@") + 1);
  const { agentKey: key, enrollmentKeyId, organizationId } = await service.newOrganization();
  const direct = connect(service.database.url, { max: 3 });
  onTestFinished(() => direct.end());
  /** Takes an address for the other organization, as another process does, in a transaction that is not committed yet. */
  const take = async (username: string) => {
    const holder = await direct.reserve();
    await holder`begin`;
    await holder`
      insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata, status,
        identity_status, created_at)
      select ${newId()}, organization_id, enrollment_key_id, agent_id, ${`${username}@${domain}`}, domain, '', '{}', 'live', 'open',
        created_at from inboxes where id = ${decodeId("inb", model) ?? ""}`;
    const [{ pid } = { pid: 0 }] = await holder<{ pid: number }[]>`select pg_backend_pid() as pid`;
    return {
      isWaitedFor: async () =>
        (await direct`select from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`).length > 0,
      async commit() {
        await holder`commit`;
        holder.release();
      },
    };
  };
  const create = (json: object) => client.post<Inbox & Failure>("/v1/inboxes", json, { key });

  const [rowan, hazel] = [await take("rowan"), await take("hazel")];
  const first = create({ username: "rowan" });
  await expect.poll(rowan.isWaitedFor).toBe(true);
  const rest = [create({ username: "hazel" }), create({ username: "alder" }), create({ client_id: "elm" })];
  await expect.poll(() => service.system.inboxCreates.size).toBe(4);
  await rowan.commit();
  // The next batch has all of the rest.
  await expect.poll(hazel.isWaitedFor).toBe(true);
  await hazel.commit();
  const answers = await Promise.all([first, ...rest]);

  expect(answers.map(({ status, body }) => body.error?.code ?? status)).toEqual([
    "address_taken",
    "address_taken",
    201,
    201,
  ]);
  const ids = answers.flatMap(({ body }) => decodeId("inb", body.id ?? "") ?? []).sort();
  const [made] = await direct`
    select (select json_agg(id order by id) from inboxes where organization_id = o.id) as inboxes,
      (select used_count from enrollment_keys where id = ${decodeId("ekey", enrollmentKeyId) ?? ""}) as used,
      (select json_agg(inbox_id order by inbox_id) from events where organization_id = o.id) as events,
      (select last::int from event_positions where organization_id = o.id) as position,
      (select json_agg(changes->0->>'id' order by changes->0->>'id') from activity where organization_id = o.id) as activity
    from organizations o where id = ${decodeId("org", organizationId) ?? ""}`;
  expect(made).toEqual({ inboxes: ids, used: 2, events: ids, position: 2, activity: ids });
});
