// Which messages of agents wait for a member, and who sets it.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { newOwner, post } from "#test/support/team.ts";
import { ADA, startReviews } from "./reviews-rig.ts";

const { service, client, reviewed, stop } = await startReviews();
afterAll(stop);

describe("a policy", () => {
  test("all: the send answers 202 held, counts nothing, and leaves when a member approves it", async () => {
    const box = await reviewed();
    const sent = await box.send({ subject: "Offer" });
    expect(sent).toMatchObject({ status: "held" });
    expect(await box.read(sent.id)).toMatchObject({ status: "held", recipients: [{ status: "queued" }] });
    expect([await box.used(), box.mails()]).toEqual([0, []]);
    const { data } = await box.trpc.reviews.list.query({});
    expect(data).toMatchObject([
      { id: sent.id, inbox: box.address, subject: "Offer", recipients: [ADA], status: "pending" },
    ]);
    const { review, named } = await box.seen(sent.id);
    expect(review.revisions).toMatchObject([
      { revision: 1, author: "agent", to: [ADA], text: "Hello", sha256: review.sha256 },
    ]);
    await box.trpc.reviews.approve.mutate(named);
    await eventually(async () => expect((await box.read(sent.id)).status).toBe("sent"));
    expect([await box.used(), box.mails().length]).toEqual([1, 1]);
    expect((await box.trpc.reviews.list.query({})).data).toEqual([]);
    expect((await box.trpc.reviews.list.query({ decided: true })).data).toMatchObject([
      { id: sent.id, status: "approved", decided_by: box.owner.email },
    ]);
    expect(await box.events()).toMatchObject([
      { event: "message.approved", inbox: box.address, message: { id: sent.id, revision: 1, sha256: review.sha256 } },
    ]);
  });

  test("first_contact: waits until each recipient wrote first or was approved before", async () => {
    const box = await reviewed("first_contact");
    const first = await box.send();
    expect(first.status).toBe("held");
    await box.trpc.reviews.approve.mutate((await box.seen(first.id)).named);
    expect((await box.send({ to: ADA.toUpperCase().replace("ELSEWHERE.EXAMPLE", "elsewhere.example") })).status).toBe(
      "queued",
    );
    expect((await box.send({ to: [ADA, "bob@elsewhere.example"] })).status).toBe("held");
    const inbox = (await client.get<{ id: string }>(inboxPath(box.address), { key: box.key })).body.id;
    await service.system.sql`
      insert into correspondents (organization_id, inbox_id, address, proof, created_at)
      values (${decodeId("org", box.organizationId) ?? box.organizationId}, ${decodeId("inb", inbox) ?? ""},
        'bob@elsewhere.example', 'aligned', now())`;
    expect((await box.send({ to: [ADA, "bob@elsewhere.example"] })).status).toBe("queued");
  });

  test("of a mailbox decides before that of the organization; what members send never waits", async () => {
    const box = await reviewed();
    const other = await client.createInbox(box.key);
    await box.trpc.reviews.setPolicy.mutate({ inbox: box.address, review: "none" });
    expect(await box.trpc.reviews.policy.query({ inbox: box.address })).toMatchObject({
      own: "none",
      organization: "all",
    });
    expect([(await box.send()).status, (await box.send({}, other.address)).status]).toEqual(["queued", "held"]);
    await box.trpc.reviews.setPolicy.mutate({ inbox: box.address, review: null });
    expect((await box.send()).status).toBe("held");
    const own = { addr: box.address, to: [ADA], text: "x" };
    expect((await box.trpc.messages.send.mutate(own)).status).toBe("queued");
  });

  test("is the members' to set: not an agent's, and not for the role member", async () => {
    const box = await reviewed();
    const member = await newOwner(service, box.organizationId);
    await service.system.sql`
      update members set role = 'member' where user_id = (select id from users where email = ${member.email})`;
    const refused = { data: { error: { code: "insufficient_role" } } };
    await expect(member.trpc.reviews.setPolicy.mutate({ review: "none" })).rejects.toMatchObject(refused);
    for (const [path, input] of [
      ["setPolicy", { review: "none" }],
      ["approve", { id: "msg_x", sha256: "0".repeat(64) }],
      ["reject", { id: "msg_x", sha256: "0".repeat(64) }],
    ] as const) {
      const { status } = await post(service, `/trpc/reviews.${path}`, input, { authorization: `Bearer ${box.key}` });
      expect([path, status]).toEqual([path, 401]);
    }
    const wrong = [
      {},
      { review: null },
      { inbox: box.address },
      { inbox: box.address, review: "all", ttl_seconds: 60 },
    ];
    for (const input of [...wrong, { ttl_seconds: 1 }] as Parameters<typeof box.trpc.reviews.setPolicy.mutate>[0][]) {
      await expect(box.trpc.reviews.setPolicy.mutate(input)).rejects.toMatchObject({ data: { httpStatus: 400 } });
    }
  });

  test("a draft that is held, and sent again, is still held", async () => {
    const box = await reviewed();
    const draft = { inbox: box.address, to: ADA, text: "Hello" };
    const { id } = (await client.post<{ id: string }>("/v1/drafts", draft, { key: box.key })).body;
    for (let i = 0; i < 2; i += 1) {
      const sent = await client.post(`/v1/drafts/${id}/send`, { revision: 1 }, { key: box.key });
      expect(sent).toMatchObject({ status: 202, body: { status: "held" } });
    }
  });

  test("a repeated send with the same key answers the same; a dry run says what would refuse it", async () => {
    const box = await reviewed();
    const [first, again] = [await box.send({ idempotency_key: "k" }), await box.send({ idempotency_key: "k" })];
    expect(again).toEqual(first);
    const path = inboxPath(box.address, "/send?dry_run=true");
    const dry = await client.post<{ would_send: boolean }>(path, { to: ADA, text: "x" }, { key: box.key });
    expect(dry.body).toMatchObject({ would_send: true, refusals: [] });
    expect((await box.trpc.reviews.list.query({})).data).toHaveLength(1);
  });
});
