// Test receivers: what arrives at one, who sees it, how many there are, and that they end.
import { afterAll, describe, expect, test } from "vitest";
import { eventually } from "#test/support/events.ts";
import { adjustableClock } from "#test/support/service.ts";
import { newMember, newOwner, refused } from "#test/support/team.ts";
import { startRig, verify } from "#test/webhooks/rig.ts";

const HOUR_MS = 3_600_000;

const clock = adjustableClock();
const rig = await startRig("web,smtp,worker", { now: clock.now });
afterAll(rig.close);

/** An organization with a mailbox, an owner and a member. */
async function team() {
  const own = await rig.furnished();
  const owner = await newOwner(rig.service, own.organizationId);
  const member = await newMember(rig.service, owner, "member");
  return { ...own, owner, member };
}

type Trpc = Awaited<ReturnType<typeof team>>["member"]["trpc"];

/** The newest delivery, once it was attempted. */
async function arrived(trpc: Trpc, id: string) {
  let found: Awaited<ReturnType<Trpc["webhooks"]["getDelivery"]["query"]>> | undefined;
  await eventually(async () => {
    const [newest] = (await trpc.webhooks.listDeliveries.query({ id })).data;
    expect(newest?.status).toBe("succeeded");
    found = await trpc.webhooks.getDelivery.query({ id, delivery_id: newest?.id ?? "" });
  });
  if (!found) throw new Error("no delivery");
  return found;
}

describe("a test receiver", () => {
  test("a member creates it; the body and the signed headers of a delivery arrive", async () => {
    const { member, mail } = await team();
    const { trpc } = member;
    const { id, secret } = await trpc.webhooks.createReceiver.mutate({});
    await mail("To the receiver");
    const { body, attempts } = await arrived(trpc, id);
    const [attempt] = attempts;
    expect(attempt).toMatchObject({ number: 1, status: 204, error: null, response_body: "" });
    const headers = Object.fromEntries(
      (attempt?.request_headers ?? []).map(({ name, value }) => [name.toLowerCase(), value]),
    );
    const received = { url: "", method: "POST", headers, body: body ?? "" };
    expect(verify(received, secret, clock.now())).toMatchObject({ message: { subject: "To the receiver" } });
    const wrong = `whsec_${Buffer.alloc(32).toString("base64")}`;
    expect(() => verify(received, wrong, clock.now())).toThrow();
  });

  test("is not among the webhooks whose health is listed, and its step is not ticked by it", async () => {
    const organization = await rig.service.newOrganization();
    const { trpc } = await newOwner(rig.service, organization.organizationId);
    await trpc.webhooks.createReceiver.mutate({});
    expect(await trpc.webhooks.health.query()).toEqual({ data: [], total: 0 });
    expect((await trpc.overview.get.query()).steps.webhook).toBe(false);
  });

  test("a test event reaches it, an old delivery can be sent again, and a disabled one is enabled", async () => {
    const { owner, mail } = await team();
    const { trpc } = owner;
    const { id } = await trpc.webhooks.createReceiver.mutate({});
    expect(await trpc.webhooks.test.mutate({ id })).toMatchObject({ delivered: true, status: 204 });
    await mail();
    const { id: delivery_id } = await arrived(trpc, id);
    await trpc.webhooks.redeliver.mutate({ id, delivery_id });
    await eventually(async () =>
      expect((await trpc.webhooks.getDelivery.query({ id, delivery_id })).attempts).toHaveLength(2),
    );
    await trpc.webhooks.update.mutate({ id, active: false });
    expect(await trpc.webhooks.update.mutate({ id, active: true })).toMatchObject({ active: true });
  });

  test("ends after an hour, with its deliveries", async () => {
    const { owner, webhook, mail } = await team();
    const { trpc } = owner;
    const before = clock.now().getTime();
    const { id, expires_at } = await trpc.webhooks.createReceiver.mutate({});
    const endsAt = new Date(expires_at).getTime();
    expect(endsAt).toBeGreaterThanOrEqual(before + HOUR_MS);
    expect(endsAt).toBeLessThanOrEqual(clock.now().getTime() + HOUR_MS);
    await mail();
    await arrived(trpc, id);
    clock.advance(HOUR_MS);
    expect(await trpc.webhooks.receivers.query()).toEqual({ data: [] });
    await eventually(() =>
      expect(trpc.webhooks.get.query({ id })).rejects.toMatchObject(refused(404, "webhook_not_found")),
    );
    const left = await rig.service.system.sql`
      select 1 from deliveries d left join webhooks w on w.id = d.webhook_id where w.id is null`;
    expect(left).toHaveLength(0);
    expect(await trpc.webhooks.get.query({ id: webhook.id })).toMatchObject({ active: true });
  });
});

describe("strangers", () => {
  test("a receiver cannot become a webhook with an endpoint, since members know its secret", async () => {
    const { owner } = await team();
    const { id } = await owner.trpc.webhooks.createReceiver.mutate({});
    const { url } = await rig.endpoint();
    const changing = owner.trpc.webhooks.update.mutate({ id, url });
    await expect(changing).rejects.toMatchObject(refused(400, "invalid_webhook_url"));
  });

  test("another organization sees neither the receiver nor its secret, and an agent cannot create one", async () => {
    const { member, agentKey } = await team();
    const { id, secret } = await member.trpc.webhooks.createReceiver.mutate({});
    expect(await member.trpc.webhooks.receivers.query()).toMatchObject({ data: [{ id, secret }] });
    const other = (await team()).owner.trpc;
    expect(await other.webhooks.receivers.query()).toEqual({ data: [] });
    await expect(other.webhooks.listDeliveries.query({ id })).rejects.toMatchObject(refused(404, "webhook_not_found"));
    const answer = await fetch(`${rig.service.url}/trpc/webhooks.createReceiver`, {
      method: "POST",
      headers: { Authorization: `Bearer ${agentKey}`, "Content-Type": "application/json" },
      body: "{}",
    });
    expect(answer.status).toBe(401);
  });

  test.each([
    ["of a receiver of another organization", (url: string) => url],
    ["under the name of receivers", () => "https://mine.receiver.invalid/"],
    ["with the name itself", () => "https://receiver.invalid/hook"],
    ["with a dot at its end", () => "https://mine.receiver.invalid./"],
    ["in upper case", () => "https://MINE.RECEIVER.INVALID/"],
  ])("a URL %s is refused for a webhook", async (_, urlOf) => {
    const theirs = (await team()).owner.trpc;
    const receiver = await theirs.webhooks.createReceiver.mutate({});
    const { url } = await theirs.webhooks.get.query({ id: receiver.id });
    const { owner, webhook } = await team();
    const { trpc } = owner;
    const invalid = refused(400, "invalid_webhook_url");
    const events: ["message.received"] = ["message.received"];
    await expect(trpc.webhooks.register.mutate({ url: urlOf(url), events })).rejects.toMatchObject(invalid);
    await expect(trpc.webhooks.update.mutate({ id: webhook.id, url: urlOf(url) })).rejects.toMatchObject(invalid);
  });
});

test("an organization has one, also when it is created concurrently, until a member stops it", async () => {
  const { member, owner } = await team();
  const create = () => member.trpc.webhooks.createReceiver.mutate({});
  const made = await Promise.all(Array.from({ length: 8 }, create));
  const [first] = made;
  expect(new Set(made.map(({ id, secret }) => `${id} ${secret}`)).size).toBe(1);
  expect((await member.trpc.webhooks.receivers.query()).data).toEqual([first]);
  const url = "https://orders.example/hook";
  const { id: endpoint } = await owner.trpc.webhooks.register.mutate({ url, events: ["message.received"] });
  const gone = refused(404, "webhook_not_found");
  await expect(member.trpc.webhooks.endReceiver.mutate({ id: endpoint })).rejects.toMatchObject(gone);
  const { member: stranger } = await team();
  await expect(stranger.trpc.webhooks.endReceiver.mutate({ id: first?.id ?? "" })).rejects.toMatchObject(gone);
  await member.trpc.webhooks.endReceiver.mutate({ id: first?.id ?? "" });
  expect((await member.trpc.webhooks.receivers.query()).data).toEqual([]);
  expect((await create()).id).not.toBe(first?.id);
});
