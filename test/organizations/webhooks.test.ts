// Webhooks in the hands of people: what each role may do with them, and where a secret is shown.
import { afterAll, describe, expect, test } from "vitest";
import { eventually } from "#test/support/events.ts";
import { newMember, newOwner, type Person, refused } from "#test/support/team.ts";
import { status } from "#test/webhooks/delivery/receiver.ts";
import { startRig } from "#test/webhooks/rig.ts";

const rig = await startRig();
afterAll(rig.close);

const events: ["message.received"] = ["message.received"];

/** An organization whose mailbox has a webhook with one delivery that succeeded. */
async function furnishedTeam() {
  const own = await rig.furnished();
  const owner = await newOwner(rig.service, own.organizationId);
  await own.mail();
  await own.settled("succeeded");
  const { id } = own.webhook;
  const [delivery] = (await owner.trpc.webhooks.listDeliveries.query({ id })).data;
  return { ...own, owner, id, delivery_id: delivery?.id ?? "", message_id: delivery?.message_id ?? "" };
}

const changes: [string, (person: Person, id: string, url: string) => Promise<unknown>][] = [
  ["register", ({ trpc }, _, url) => trpc.webhooks.register.mutate({ url, events })],
  ["change", ({ trpc }, id, url) => trpc.webhooks.update.mutate({ id, url })],
  ["disable", ({ trpc }, id) => trpc.webhooks.update.mutate({ id, active: false })],
  ["rotate the secret of", ({ trpc }, id) => trpc.webhooks.rotateSecret.mutate({ id })],
  ["delete", ({ trpc }, id) => trpc.webhooks.remove.mutate({ id })],
];

describe("a member", () => {
  test("reads webhooks and what they did", async () => {
    const { owner, id, delivery_id, message_id, receiver } = await furnishedTeam();
    const { trpc } = await newMember(rig.service, owner, "member");
    expect((await trpc.webhooks.list.query({})).data).toMatchObject([{ id, url: receiver.url, active: true }]);
    expect(await trpc.webhooks.get.query({ id })).toMatchObject({ id, failing_since: null });
    expect((await trpc.webhooks.listDeliveries.query({ id, status: "succeeded" })).data).toHaveLength(1);
    expect((await trpc.webhooks.listMessageDeliveries.query({ id: message_id })).data).toMatchObject([
      { id: delivery_id },
    ]);
    const whole = await trpc.webhooks.getDelivery.query({ id, delivery_id });
    expect(whole).toMatchObject({ body: receiver.received[0]?.body, attempts: [{ number: 1, status: 200 }] });
  });

  test("tests a webhook, and sends again what it did", async () => {
    const { owner, id, delivery_id, called } = await furnishedTeam();
    const { trpc } = await newMember(rig.service, owner, "member");
    expect(await trpc.webhooks.test.mutate({ id })).toMatchObject({ delivered: true, status: 200 });
    expect(await trpc.webhooks.redeliver.mutate({ id, delivery_id })).toMatchObject({ id: delivery_id });
    await called(3);
    await eventually(async () =>
      expect(await trpc.webhooks.getDelivery.query({ id, delivery_id })).toMatchObject({ status: "succeeded" }),
    );
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await trpc.webhooks.replay.mutate({ id, since })).toMatchObject({ replayed: 1, next_cursor: null });
    await called(4);
  });

  test.each(changes)("may not %s one, and nothing has changed", async (_, change) => {
    const { owner, id, receiver } = await furnishedTeam();
    const member = await newMember(rig.service, owner, "member");
    const before = await owner.trpc.webhooks.list.query({});
    await expect(change(member, id, receiver.url)).rejects.toMatchObject(refused(403, "insufficient_role"));
    expect(await owner.trpc.webhooks.list.query({})).toEqual(before);
  });
});

describe("the health of webhooks", () => {
  test("the failing ones first, with their rates, last failures and how often their URL is registered", async () => {
    const own = await furnishedTeam();
    const { owner, receiver, id } = own;
    const { trpc } = await newMember(rig.service, owner, "member");
    expect(await trpc.webhooks.health.query()).toMatchObject({
      data: [{ id, same_url: 1, recent: { succeeded: 1, failed: 0, retrying: 0, waiting: 0 }, last_failure: null }],
      total: 1,
    });
    const { id: twin } = await own.register(receiver.url);
    const refusing = await rig.endpoint(status(500));
    const { id: newest } = await own.register("http://127.0.0.1:9/unused");
    const { id: failing } = await own.register(refusing.url);
    await owner.trpc.webhooks.update.mutate({ id: newest, active: false });
    await own.mail();
    await eventually(async () => {
      const { data, total } = await trpc.webhooks.health.query();
      expect(total).toBe(4);
      expect(data.map((webhook) => webhook.id)).toEqual([failing, newest, twin, id]);
      expect(data).toMatchObject([
        {
          same_url: 1,
          recent: { succeeded: 0, failed: 0, retrying: 1, waiting: 0 },
          last_failure: { status: 500, error: null, at: expect.any(String) },
        },
        { active: false, recent: { succeeded: 0, failed: 0, retrying: 0, waiting: 0 } },
        { same_url: 2, recent: { succeeded: 1 } },
        { same_url: 2, recent: { succeeded: 2 } },
      ]);
    });
  });

  test("none of another organization", async () => {
    await furnishedTeam();
    const stranger = await newOwner(rig.service, (await rig.service.newOrganization()).organizationId);
    expect(await stranger.trpc.webhooks.health.query()).toEqual({ data: [], total: 0 });
  });
});

describe("an admin", () => {
  test.each(changes)("may %s one", async (_, change) => {
    const { owner, id, receiver } = await furnishedTeam();
    const admin = await newMember(rig.service, owner, "admin");
    await expect(change(admin, id, receiver.url)).resolves.toBeDefined();
  });

  test("enables one only when its endpoint accepts a test", async () => {
    const { owner, id, receiver } = await furnishedTeam();
    const { trpc } = await newMember(rig.service, owner, "admin");
    await trpc.webhooks.update.mutate({ id, active: false });
    receiver.answer = status(500);
    await expect(trpc.webhooks.update.mutate({ id, active: true })).rejects.toMatchObject(
      refused(409, "webhook_test_failed"),
    );
    expect(await trpc.webhooks.get.query({ id })).toMatchObject({ active: false });
    receiver.answer = status(204);
    expect(await trpc.webhooks.update.mutate({ id, active: true })).toMatchObject({ active: true });
  });
});

describe("a secret", () => {
  test("is in the answers to register and rotate, and in no other", async () => {
    const { owner, receiver, delivery_id, message_id, id: first } = await furnishedTeam();
    const { trpc } = owner;
    const { id, secret } = await trpc.webhooks.register.mutate({ url: receiver.url, events });
    const rotated = await trpc.webhooks.rotateSecret.mutate({ id });
    expect([secret, rotated.secret]).toEqual([expect.stringMatching(/^whsec_/), expect.stringMatching(/^whsec_/)]);
    expect(secret).not.toBe(rotated.secret);

    const since = new Date(Date.now() - 3_600_000).toISOString();
    const others = [
      await trpc.webhooks.replay.mutate({ id, since }),
      await trpc.webhooks.test.mutate({ id }),
      await trpc.webhooks.list.query({}),
      await trpc.webhooks.get.query({ id }),
      await trpc.webhooks.listDeliveries.query({ id }),
      await trpc.webhooks.listMessageDeliveries.query({ id: message_id }),
      await trpc.webhooks.getDelivery.query({ id: first, delivery_id }),
      await trpc.webhooks.redeliver.mutate({ id: first, delivery_id }),
      await trpc.webhooks.update.mutate({ id, active: false }),
      await trpc.team.audit.query({}),
      await trpc.webhooks.remove.mutate({ id }),
    ];
    const told = JSON.stringify(others);
    expect(told).toContain(id);
    expect(told).toContain("webhooks.rotateSecret");
    expect(told).not.toContain("whsec_");
    for (const each of [secret, rotated.secret]) expect(told).not.toContain(each.replace("whsec_", ""));
  });
});
