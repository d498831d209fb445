// `outgoing_delay_seconds` of mailboxes and keys: a send stays queued, can be cancelled until then, and leaves once.
import { afterAll, describe, expect, test } from "vitest";
import { type Failure, inboxPath, type Sent } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";
import { startReplyRig } from "./reply-rig.ts";

const clock = adjustableClock();
const rig = await startReplyRig({ ROLES: "web,smtp,worker" }, { now: clock.now });
const { client, service } = rig;
afterAll(rig.stop);

type Read = { status: string; created_at: string; send_at: string | null };
type Issued = { id: string; key: string; outgoing_delay_seconds: number };

async function delayed(create: object = {}) {
  const organization = await service.newOrganization();
  const { agentKey: parent } = organization;
  const { body } = await client.post<{ address: string }>("/v1/inboxes", create, { key: parent });
  const { address } = body;
  return {
    ...organization,
    parent,
    address,
    issue: async (json: object, by = parent) =>
      (
        await client.post<Issued>(
          "/v1/keys",
          { scopes: ["mailbox:send", "mailbox:read", "mailbox:create", "key:issue"], ...json },
          { key: by },
        )
      ).body,
    send: async (json: object = {}, key = parent) =>
      (await client.post<Sent>(inboxPath(address, "/send"), { to: "ann@else.example", text: "x", ...json }, { key }))
        .body,
    cancel: (id: string) => client.post<Read & Failure>(`/v1/messages/${id}/cancel`, {}, { key: parent }),
    set: (outgoing_delay_seconds: unknown, key = parent) =>
      client.patch<Failure>(inboxPath(address), { outgoing_delay_seconds }, { key }),
    used: async () =>
      (await client.get<{ used: number }>(inboxPath(address, "/send-limit"), { key: parent })).body.used,
    waits: async (id: string) => {
      const { status, created_at, send_at } = (await client.get<Read>(`/v1/messages/${id}`, { key: parent })).body;
      expect(status).toBe("queued");
      return send_at === null ? 0 : (Date.parse(send_at) - Date.parse(created_at)) / 1_000;
    },
  };
}

describe("a mailbox with a delay", () => {
  test("sends each kind of message later, counts it when it is accepted, and says when it leaves", async () => {
    const { address, parent, send, used, waits } = await delayed({ outgoing_delay_seconds: 120 });
    const plain = await send();
    const labelled = await send({ labels: ["a"] });
    const { body: forward } = await client.post<Sent>(
      `/v1/messages/${plain.id}/forward`,
      { to: "bob@else.example" },
      { key: parent },
    );
    expect([plain.status, labelled.status, forward.status]).toEqual(["queued", "queued", "queued"]);
    for (const { id } of [plain, labelled, forward]) expect(await waits(id)).toBe(120);
    expect(await used()).toBe(3);
    expect(Object.keys((await client.get<object>(inboxPath(address), { key: parent })).body)).not.toContain(
      "outgoing_delay_seconds",
    );
    clock.advance(121_000);
    for (const { id } of [plain, labelled]) expect((await rig.departed(id)).envelopeTo).toEqual(["ann@else.example"]);
  });

  test("lets a send be cancelled until it leaves", async () => {
    const { send, cancel } = await delayed({ outgoing_delay_seconds: 60 });
    const [cancelled, sent] = [await send(), await send()];
    expect((await cancel(cancelled.id)).body.status).toBe("cancelled");
    clock.advance(61_000);
    await rig.departed(sent.id);
    await expect(rig.departed(cancelled.id)).rejects.toThrow("did not depart");
    expect((await cancel(sent.id)).body.error.code).toBe("already_left");
  });

  test("applies a change to the next message, and refuses other values", async () => {
    const { send, set, waits } = await delayed();
    expect((await set(45)).status).toBe(200);
    expect(await waits((await send()).id)).toBe(45);
    for (const value of [-1, 121, 1.5, "soon"]) expect((await set(value)).status).toBe(400);
    await set(0);
    await rig.departed((await send()).id);
  });

  test("has no delay for a message that a member approved, and none after a chosen time", async () => {
    const { organizationId, send, parent } = await delayed({ outgoing_delay_seconds: 120 });
    const { trpc } = await newOwner(service, organizationId);
    const send_at = new Date(clock.now().getTime() + 200_000).toISOString();
    const scheduled = await send({ send_at });
    const read = (await client.get<Read>(`/v1/messages/${scheduled.id}`, { key: parent })).body;
    expect(read).toMatchObject({ status: "scheduled", send_at });
    await trpc.reviews.setPolicy.mutate({ review: "all" });
    const held = await send();
    const { sha256 } = await trpc.reviews.get.query({ id: held.id });
    await trpc.reviews.approve.mutate({ id: held.id, sha256 });
    await rig.departed(held.id);
    await trpc.reviews.setPolicy.mutate({ review: "none" });
    clock.advance(201_000);
    await rig.departed(scheduled.id);
  });
});

describe("a key with a delay", () => {
  test("delays also the keys below it, and the largest delay counts", async () => {
    const { issue, send, set, waits } = await delayed({ outgoing_delay_seconds: 20 });
    const above = await issue({ outgoing_delay_seconds: 90 });
    const below = await issue({ outgoing_delay_seconds: 0 }, above.key);
    expect([above.outgoing_delay_seconds, below.outgoing_delay_seconds]).toEqual([90, 0]);
    for (const { key } of [above, below]) expect(await waits((await send({}, key)).id)).toBe(90);
    await set(0, above.key);
    expect(await waits((await send({}, below.key)).id)).toBe(90);
    await set(110);
    expect(await waits((await send({}, below.key)).id)).toBe(110);
  });

  test("is undone with its sends, and with the delay that it changed", async () => {
    const { issue, send, set, waits, parent } = await delayed({ outgoing_delay_seconds: 30 });
    const { id, key } = await issue({ outgoing_delay_seconds: 100 });
    const since = new Date(clock.now().getTime() - 1_000).toISOString();
    const sent = await send({}, key);
    expect((await set(5, key)).status).toBe(200);
    const undo = await client.post<{ not_undone: unknown[] }>(`/v1/keys/${id}/undo`, { since }, { key: parent });
    expect([undo.status, undo.body.not_undone]).toEqual([200, []]);
    expect((await client.get<Read>(`/v1/messages/${sent.id}`, { key: parent })).body.status).toBe("cancelled");
    expect(await waits((await send()).id)).toBe(30);
  });
});

test("a delayed message leaves once when its process ends and two others take its work", async () => {
  const { database } = service;
  const { send } = await delayed({ outgoing_delay_seconds: 60 });
  const others = await Promise.all(
    [0, 1].map(() =>
      startTestService(
        { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: rig.sink.url, ROLES: "worker" },
        { database, now: clock.now },
      ),
    ),
  );
  const ids = await Promise.all(Array.from({ length: 12 }, async () => (await send()).id));
  await others[0]?.stop();
  clock.advance(61_000);
  for (const id of ids) expect((await rig.departed(id)).envelopeTo).toEqual(["ann@else.example"]);
  expect(rig.sink.received.filter(({ raw }) => ids.some((id) => String(raw).includes(`<${id}.`)))).toHaveLength(12);
  await others[1]?.stop();
});
