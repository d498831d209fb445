// POST /v1/messages/{id}/cancel, and `send_at` of PATCH: mail that has not left is cancelled or moved, and what has left answers 409.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";
import { startReplyRig } from "../reply-rig.ts";

const HOUR_MS = 3_600_000;
const clock = adjustableClock();
clock.set("2031-03-01T09:00:00.000Z");
const rig = await startReplyRig({ ROLES: "web,smtp,worker" }, { now: clock.now });
const { client, service } = rig;
const { sql } = service.system;
afterAll(rig.stop);

const ahead = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();
type Read = Failure & {
  id: string;
  status: string;
  send_at: string;
  error: string | null;
  recipients: { status: string }[];
};

async function writer() {
  const organization = await service.newOrganization();
  const { agentKey: key } = organization;
  const { address } = await client.createInbox(key);
  return {
    ...organization,
    key,
    address,
    send: async (json: object = {}) =>
      (await client.post<Sent>(inboxPath(address, "/send"), { to: "ann@else.example", text: "x", ...json }, { key }))
        .body,
    cancel: (id: string, by = key) => client.post<Read>(`/v1/messages/${id}/cancel`, {}, { key: by }),
    move: (id: string, send_at: string, by = key) => client.patch<Read>(`/v1/messages/${id}`, { send_at }, { key: by }),
    read: async (id: string) => (await client.get<Read>(`/v1/messages/${id}`, { key })).body,
    statuses: async (status: string) => {
      const path = inboxPath(address, `/messages?status=${status}`);
      return (await client.get<Page<Read>>(path, { key })).body.data.map((each) => each.id);
    },
    used: async () => (await client.get<{ used: number }>(inboxPath(address, "/send-limit"), { key })).body.used,
  };
}

describe("cancel", () => {
  test("a scheduled message stays in its thread as cancelled, never leaves, and counts nothing", async () => {
    const { send, cancel, read, statuses, used } = await writer();
    const { id } = await send({ send_at: ahead(HOUR_MS) });
    const cancelled = await cancel(id);
    expect([cancelled.status, cancelled.body.status]).toEqual([200, "cancelled"]);
    expect((await read(id)).error).toMatch(/^cancelled by key akey_/);
    expect((await read(id)).recipients.map(({ status }) => status)).toEqual(["cancelled"]);
    expect((await cancel(id)).body).toEqual(cancelled.body);
    expect([await statuses("cancelled"), await statuses("rejected"), await statuses("scheduled")]).toEqual([
      [id],
      [],
      [],
    ]);
    clock.advance(2 * HOUR_MS);
    const after = await send();
    await rig.departed(after.id);
    await expect(rig.departed(id)).rejects.toThrow("did not depart");
    expect(await used()).toBe(1);
  });

  test("a held message is rejected for the members too", async () => {
    const { organizationId, send, cancel } = await writer();
    const { trpc } = await newOwner(service, organizationId);
    await trpc.reviews.setPolicy.mutate({ review: "all" });
    const held = await send();
    expect(held).toMatchObject({
      status: "held",
      next: expect.stringMatching(/message\.approved .*GET \/v1\/messages/),
    });
    expect((await cancel(held.id)).body.status).toBe("cancelled");
    const review = await trpc.reviews.get.query({ id: held.id });
    expect(review).toMatchObject({ status: "rejected" });
    const approve = trpc.reviews.approve.mutate({ id: held.id, sha256: review.sha256 });
    await expect(approve).rejects.toMatchObject({ data: { error: { code: "already_decided" } } });
  });

  test("a message that has left, or was tried, answers 409", async () => {
    const { send, cancel, read } = await writer();
    const { id } = await send();
    await rig.departed(id);
    const refused = await cancel(id);
    expect([refused.status, refused.body.error.code]).toEqual([409, "already_left"]);
    expect((await read(id)).status).toBe("sent");
    await sql`update messages set status = 'queued', attempts = 1, next_attempt_at = '2100-01-01' where id = ${decodeId("msg", id) ?? ""}`;
    expect((await cancel(id)).body.error.message).toContain("copies may have left");
  });

  test("of a cancel and a release at the same time exactly one wins", async () => {
    const { send, cancel } = await writer();
    const ids = await Promise.all(Array.from({ length: 16 }, async () => (await send({ send_at: ahead(HOUR_MS) })).id));
    clock.advance(HOUR_MS + 1_000);
    const answers = await Promise.all(ids.map((id) => cancel(id)));
    for (const [at, { status, body }] of answers.entries()) {
      const id = ids[at] ?? "";
      if (status === 200) await expect(rig.departed(id)).rejects.toThrow("did not depart");
      else
        expect([status, body.error.code, (await rig.departed(id)).envelopeTo]).toEqual([
          409,
          "already_left",
          ["ann@else.example"],
        ]);
    }
  });

  test("an inbound message, another organization's, and one beyond the key are not found", async () => {
    const { enrollmentKeyId, address, key, send, cancel, read } = await writer();
    const { id } = await send({ send_at: ahead(HOUR_MS) });
    await service.mail({ from: "a@else.example", to: address, text: "x" });
    const inbound = (await client.get<Page<Read>>(inboxPath(address, "/messages?direction=inbound"), { key })).body
      .data[0];
    const stranger = (await service.newOrganization()).agentKey;
    const other = await client.createInbox(key);
    const barred = (await service.newAgentKey(enrollmentKeyId, { handle: "barred", inboxes: [other.address] })).key;
    const answers = [await cancel(inbound?.id ?? ""), await cancel(id, stranger), await cancel(id, barred)];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual(
      answers.map(() => [404, "message_not_found"]),
    );
    expect((await read(id)).status).toBe("scheduled");
  });
});

describe("move", () => {
  test("a scheduled message leaves at its new time", async () => {
    const { send, move, read } = await writer();
    const { id } = await send({ send_at: ahead(HOUR_MS) });
    const send_at = ahead(3 * HOUR_MS);
    const moved = await move(id, send_at);
    expect([moved.status, moved.body.status, moved.body.send_at]).toEqual([200, "scheduled", send_at]);
    clock.advance(2 * HOUR_MS);
    const probe = await send();
    await rig.departed(probe.id);
    expect((await read(id)).status).toBe("scheduled");
    clock.advance(HOUR_MS + 1_000);
    expect((await rig.departed(id)).envelopeTo).toEqual(["ann@else.example"]);
    const late = await move(id, ahead(HOUR_MS));
    expect([late.status, late.body.error.code]).toEqual([409, "already_left"]);
  });

  test("a message that was moved while the worker held it does not leave", async () => {
    const { send, read } = await writer();
    const { id } = await send({ send_at: ahead(HOUR_MS) });
    const uuid = decodeId("msg", id) ?? "";
    const send_at = ahead(9 * HOUR_MS);
    await sql.begin(async (tx) => {
      await tx`select 1 from messages where id = ${uuid} for update`;
      clock.advance(HOUR_MS + 1_000);
      await expect.poll(async () => (await sql`select 1 from pg_locks where not granted`).length).toBeGreaterThan(0);
      await tx`update scheduled_sends set send_at = ${send_at}, due_at = ${send_at} where message_id = ${uuid}`;
    });
    const probe = await send();
    await rig.departed(probe.id);
    expect(await read(id)).toMatchObject({ status: "scheduled", send_at });
  });

  test("a time in the past, a key that may not send, and a message without a time are refused", async () => {
    const { enrollmentKeyId, send, move } = await writer();
    const { id } = await send({ send_at: ahead(HOUR_MS) });
    const reader = (await service.newAgentKey(enrollmentKeyId, { handle: "r", scopes: ["mailbox:read"] })).key;
    const { id: plain } = await send();
    const answers = [
      await move(id, ahead(-HOUR_MS)),
      await move(id, ahead(HOUR_MS), reader),
      await move(plain, ahead(HOUR_MS)),
    ];
    expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
      [400, "invalid_request"],
      [403, "insufficient_scope"],
      [409, "already_left"],
    ]);
  });
});

test("mail that local mode only stores is captured, in each place that shows its status", async () => {
  const local = await startTestService({ ROLES: "web,smtp,worker" });
  const reader = api(local);
  const { agentKey: key } = await local.newOrganization();
  const { address } = await reader.createInbox(key);
  const { id } = (await reader.post<Sent>(inboxPath(address, "/send"), { to: "ann@else.example", text: "x" }, { key }))
    .body;
  const read = async () => (await reader.get<Read>(`/v1/messages/${id}`, { key })).body;
  await expect.poll(async () => (await read()).status).toBe("captured");
  expect((await read()).recipients).toMatchObject([{ status: "captured" }]);
  for (const [status, found] of [
    ["captured", [id]],
    ["sent", []],
  ] as const) {
    const path = inboxPath(address, `/messages?status=${status}`);
    expect((await reader.get<Page<Read>>(path, { key })).body.data.map((each) => each.id)).toEqual(found);
  }
  await reader.close();
  await local.stop();
});
