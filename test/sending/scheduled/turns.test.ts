// Organizations take turns: a message that is scheduled for the time of very many others of one organization is released among the first.
import { afterAll, expect, test } from "vitest";
import { releaseDue } from "#server/sending/release.ts";
import { api, inboxPath, type Sent } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const MANY = 150;
const HOUR_MS = 3_600_000;

const clock = adjustableClock();
const service = await startTestService({ ROLES: "web", SEND_CAP_RAMP: "1000" }, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));

async function mailbox() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  return {
    async schedule(send_at: string) {
      const json = { to: "ann@else.example", text: "x", send_at };
      return (await client.post<Sent>(inboxPath(address, "/send"), json, { key })).body.id;
    },
    statusOf: async (id: string) => (await client.get<{ status: string }>(`/v1/messages/${id}`, { key })).body.status,
  };
}

test("the first of each organization is released before the second of another", async () => {
  const [busy, second, third] = [await mailbox(), await mailbox(), await mailbox()];
  const at = new Date(clock.now().getTime() + HOUR_MS).toISOString();
  const ids = await Promise.all(Array.from({ length: MANY }, () => busy.schedule(at)));
  const [one, other] = [await second.schedule(at), await third.schedule(at)];
  const later = await third.schedule(new Date(clock.now().getTime() + 2 * HOUR_MS).toISOString());
  expect(await releaseDue(service.system)).toBe(0);
  clock.advance(HOUR_MS + 1_000);
  expect(await releaseDue(service.system)).toBe(64);
  expect([await second.statusOf(one), await third.statusOf(other), await third.statusOf(later)]).toEqual([
    "queued",
    "queued",
    "scheduled",
  ]);
  while ((await releaseDue(service.system)) > 0);
  const statuses = await Promise.all(ids.map((id) => busy.statusOf(id)));
  expect(new Set(statuses)).toEqual(new Set(["queued"]));
});
