// An agent deletes a mailbox and creates it again at the same address: what restrains the address stays.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { countOutcome } from "#server/recipients/limits/sending-pause.ts";
import { unsubscribeUrl } from "#server/recipients/suppressions/unsubscribe.ts";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const DAY_MS = 86_400_000;
const NOON = "2031-05-01T12:00:00.000Z";
const clock = adjustableClock();
clock.set(NOON);
const service = await startTestService({ ROLES: "web,worker", SEND_CAP_RAMP: "40,70,90" }, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));
beforeEach(() => clock.set(NOON));

type Limit = { limit: number; used: number; step: number; held: boolean; paused: object | null };
let made = 0;

async function mailbox() {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  made += 1;
  const username = `again${made}`;
  const first = await client.createInbox(key, { username });
  const { address } = first;
  return {
    ...organization,
    first,
    address,
    owner: () => newOwner(service, organization.organizationId),
    send: (to: string | string[]) =>
      client.post<Sent & Failure>(inboxPath(address, "/send"), { to, text: "x" }, { key }),
    limit: async () => (await client.get<Limit>(inboxPath(address, "/send-limit"), { key })).body,
    remove: () => client.delete(inboxPath(address), { key }),
    create: () => client.createInbox(key, { username }),
    again: async () => {
      expect((await client.delete(inboxPath(address), { key })).status).toBe(200);
      return client.createInbox(key, { username });
    },
    /** The mail of the deleted mailbox is erased. */
    erased: () =>
      expect
        .poll(
          () =>
            service.system
              .sql`select 1 from inboxes where id = ${decodeId("inb", first.id) ?? ""} and erased_at is not null`,
        )
        .toHaveLength(1),
  };
}

const many = (count: number) => Array.from({ length: count }, (_, i) => `p${i}@else.example`);

async function bounce(id: string, count: number) {
  const outcomes = Array.from({ length: count }, () => ({
    messageId: decodeId("msg", id) ?? "",
    kind: "bounced" as const,
  }));
  await service.system.db.transaction((tx) => countOutcome(tx, outcomes, clock.now()));
}

describe("the new mailbox at the address has", () => {
  test("the lists and the approval of the old one, also after its mail was erased", async () => {
    const { owner, address, send, remove, create, erased } = await mailbox();
    const { trpc } = await owner();
    await trpc.lists.add.mutate({ direction: "send", list: "block", entry: "ann@shop.example", inbox: address });
    await trpc.reviews.setPolicy.mutate({ inbox: address, review: "all" });
    await remove();
    await erased();
    await create();
    expect(await send("ann@shop.example")).toMatchObject({
      status: 403,
      body: { error: { code: "recipient_blocked" } },
    });
    expect((await send("bob@shop.example")).body.status).toBe("held");
    const { data } = await trpc.lists.list.query({ direction: "send", list: "block", inbox: address });
    expect(data).toMatchObject([{ entry: "ann@shop.example" }]);
  });

  test("what recipients unsubscribed from, by links of mail before and after", async () => {
    const { first, address, send, again, agentKey: key } = await mailbox();
    const click = (to: string) => {
      const url = unsubscribeUrl(service.system, { inboxId: decodeId("inb", first.id) ?? "", address: to });
      return fetch(new URL(new URL(url).pathname, service.url), { method: "POST" });
    };
    expect((await click("ann@shop.example")).status).toBe(200);
    await again();
    await again();
    expect((await click("bob@shop.example")).status).toBe(200);
    for (const to of ["ann@shop.example", "bob@shop.example"]) expect((await send(to)).status).toBe(422);
    const list = await client.get<Page<object>>("/v1/suppressions", { key });
    expect(list.body.data).toMatchObject([{ inbox: address }, { inbox: address }]);
  });

  test("the used cap of the day", async () => {
    const { send, limit, again } = await mailbox();
    expect((await send(many(30))).status).toBe(202);
    await again();
    expect(await limit()).toMatchObject({ limit: 40, used: 30 });
    expect((await send(many(11))).status).toBe(429);
    expect((await send(many(10))).status).toBe(202);
  });

  test("the age of the address, and its days that held the ramp", async () => {
    const { send, limit, again } = await mailbox();
    const sent = await send(many(20));
    await bounce(sent.body.id, 1);
    clock.advance(2 * DAY_MS);
    await again();
    expect(await limit()).toMatchObject({ step: 2, limit: 70 });
    await again();
    expect(await limit()).toMatchObject({ step: 2, limit: 70 });
  });

  test("the pause after bounces, also of mail whose bounces come after the deletion", async () => {
    const [before, between, after] = [await mailbox(), await mailbox(), await mailbox()];
    const ids = await Promise.all([before, between, after].map(async ({ send }) => (await send(many(20))).body.id));
    // Erased mail is counted by what its recipients keep: its hand-over made that.
    await service.system.sql`update message_recipients set counted_at = ${clock.now()}`;
    await bounce(ids[0] ?? "", 5);
    for (const { remove } of [before, between, after]) await remove();
    await bounce(ids[1] ?? "", 5);
    for (const { create } of [before, between, after]) await create();
    await bounce(ids[2] ?? "", 5);
    for (const { send, limit } of [before, between, after]) {
      expect((await limit()).paused).not.toBeNull();
      expect((await send("x@else.example")).body.error.code).toBe("sending_paused");
    }
  });
});

test("ten deletes and creates at the same time leave one mailbox with all of it", async () => {
  const { owner, address, send, remove, create, agentKey: key } = await mailbox();
  const { trpc } = await owner();
  await trpc.lists.add.mutate({ direction: "send", list: "block", entry: "ann@shop.example", inbox: address });
  expect((await send(many(30))).status).toBe(202);
  const acts = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? remove() : create().catch(() => undefined)));
  await Promise.all(acts);
  if ((await client.get(inboxPath(address), { key })).status === 404) await create();
  expect((await send("ann@shop.example")).status).toBe(403);
  expect((await send(many(11))).status).toBe(429);
});
