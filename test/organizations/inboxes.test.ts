// Mailboxes of members: created with an enrollment key of the organization, and summed up a page at a time.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { revokeEnrollmentKey } from "#server/keys/revoke.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner, type Person } from "#test/support/team.ts";

const clock = { aheadMs: 0 };
const service = await startTestService({}, { now: () => new Date(Date.now() + clock.aheadMs) });
afterAll(service.stop);

// Few people: the door to sign in is for ten a minute.
const people = await service.newOrganization();
const owner = await newOwner(service, people.organizationId);
const member = await newMember(service, owner, "member");
const stranger = await newOwner(service, (await service.newOrganization()).organizationId);

/** An enrollment key of the organization. */
const newKey = (grant: Parameters<typeof service.newEnrollment>[1] = {}) =>
  service.newEnrollment(people.organizationId, grant);

const refused = (code: string) => ({ data: { error: { code } } });

async function usedCount(enrollmentKeyId: string): Promise<number> {
  const [row] = await service.system.sql<{ used_count: number }[]>`
    select used_count from enrollment_keys where id = ${decodeId("ekey", enrollmentKeyId) ?? ""}`;
  return row?.used_count ?? -1;
}

/** What the list says of one address. */
async function summaryOf(person: Person, address: string) {
  const { data } = await person.trpc.inboxes.summaries.query({ q: address });
  return data.find((row) => row.address === address);
}

describe("a member creates a mailbox", () => {
  test("counted against the key that they name, by the agent `dashboard` of it", async () => {
    const { enrollmentKeyId, agentKey } = await newKey();
    const made = await member.trpc.inboxes.createWith.mutate({
      enrollment_key_id: enrollmentKeyId,
      username: "Team.Desk",
      display_name: "The desk",
    });
    expect(made).toMatchObject({ address: "team.desk@mail.example", display_name: "The desk", status: "live" });
    expect(await usedCount(enrollmentKeyId)).toBe(1);
    const [agent] = await service.system.sql`
      select a.handle from inboxes i join agents a on a.id = i.agent_id where i.address = ${made.address}`;
    expect(agent).toEqual({ handle: "dashboard" });
    const seen = await fetch(`${service.url}/v1/inboxes/${made.id}`, {
      headers: { authorization: `Bearer ${agentKey}` },
    });
    expect(seen.status).toBe(200);
  });

  test("once for one client_id, also for concurrent calls", async () => {
    const { enrollmentKeyId } = await newKey();
    const wish = { enrollment_key_id: enrollmentKeyId, client_id: "dialog-1" };
    const made = await Promise.all([1, 2, 3].map(() => owner.trpc.inboxes.createWith.mutate(wish)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await usedCount(enrollmentKeyId)).toBe(1);
  });

  test("it takes mail", async () => {
    const { enrollmentKeyId } = await newKey();
    const { address } = await owner.trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId });
    await service.mail({ from: "a@else.example", to: address, subject: "First" });
    expect(await summaryOf(owner, address)).toMatchObject({ unread: 1, last_message: { subject: "First" } });
  });
});

describe("a mailbox is refused", () => {
  test("with the key of another organization, as with one that never was", async () => {
    const other = await service.newOrganization();
    for (const enrollment_key_id of [other.enrollmentKeyId, "ekey_00000000000000000000000000", "nonsense"]) {
      const made = owner.trpc.inboxes.createWith.mutate({ enrollment_key_id });
      await expect(made).rejects.toMatchObject(refused("enrollment_key_not_found"));
    }
    expect(await usedCount(other.enrollmentKeyId)).toBe(0);
  });

  test("with a key that was revoked", async () => {
    const { enrollmentKeyId } = await newKey();
    await revokeEnrollmentKey(service.system, enrollmentKeyId);
    const made = owner.trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId });
    await expect(made).rejects.toMatchObject({ ...refused("enrollment_key_not_found"), message: /revoked/ });
  });

  test("with a key that has expired", async () => {
    const { enrollmentKeyId } = await newKey({ expiresAt: new Date(Date.now() + 60_000) });
    clock.aheadMs = 120_000;
    const made = owner.trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId });
    await expect(made).rejects.toMatchObject({ ...refused("enrollment_key_not_found"), message: /expired/ });
    clock.aheadMs = 0;
  });

  test("when the key's quota is used up", async () => {
    const { enrollmentKeyId } = await newKey({ maxMailboxes: 1 });
    await owner.trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId });
    const second = owner.trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId });
    await expect(second).rejects.toMatchObject(refused("enrollment_token_exhausted"));
  });

  test("when the address is taken, or its domain is not the key's", async () => {
    const { enrollmentKeyId } = await newKey();
    const wish = { enrollment_key_id: enrollmentKeyId, username: "taken-twice" };
    await owner.trpc.inboxes.createWith.mutate(wish);
    await expect(owner.trpc.inboxes.createWith.mutate(wish)).rejects.toMatchObject(refused("address_taken"));
    const elsewhere = owner.trpc.inboxes.createWith.mutate({ ...wish, domain: "not-ours.example" });
    await expect(elsewhere).rejects.toMatchObject(refused("domain_not_allowed"));
  });

  test("to an agent, which has a separate create", async () => {
    const { agentKey, enrollmentKeyId } = await newKey();
    const answer = await fetch(`${service.url}/trpc/inboxes.createWith`, {
      method: "POST",
      headers: { authorization: `Bearer ${agentKey}`, "content-type": "application/json" },
      body: JSON.stringify({ enrollment_key_id: enrollmentKeyId }),
    });
    expect(answer.status).toBe(401);
  });
});

describe("summaries", () => {
  async function withInboxes(person: Person, ...usernames: string[]) {
    const organization = await person.trpc.team.me.query();
    const { enrollmentKeyId } = await service.newEnrollment(organization.organization.id);
    for (const username of usernames) {
      await person.trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId, username });
    }
  }

  test("show unread counts and the latest message, and update when it is read", async () => {
    await withInboxes(owner, "sum-a", "sum-b");
    for (const subject of ["One", "Two"]) {
      await service.mail({ from: "Ann <a@else.example>", to: "sum-a@mail.example", subject });
    }
    const { data } = await member.trpc.inboxes.summaries.query({ q: "sum-" });
    expect(data.map(({ address, unread }) => [address, unread])).toEqual([
      ["sum-b@mail.example", 0],
      ["sum-a@mail.example", 2],
    ]);
    expect(data[0]?.last_message).toBeNull();
    expect(data[1]?.last_message).toMatchObject({ subject: "Two", from: "a@else.example", from_name: "Ann" });
    await member.trpc.messages.update.mutate({ id: data[1]?.last_message?.id ?? "", read: true });
    expect((await summaryOf(owner, "sum-a@mail.example"))?.unread).toBe(1);
    const one = await member.trpc.inboxes.summaries.query({ addr: "sum-b@mail.example" });
    const later = { addr: "sum-b@mail.example", to: "c@else.example", subject: "Later", text: "x" };
    const send_at = new Date(Date.now() + 86_400_000).toISOString();
    const { id } = await member.trpc.messages.send.mutate({ ...later, send_at });
    expect((await summaryOf(owner, "sum-b@mail.example"))?.last_message?.status).toBe("scheduled");
    await member.trpc.messages.cancel.mutate({ id });
    expect((await summaryOf(owner, "sum-b@mail.example"))?.last_message?.status).toBe("cancelled");
    expect(one.data.map(({ address }) => address)).toEqual(["sum-b@mail.example"]);
  });

  test("come in pages, each mailbox once", async () => {
    await withInboxes(stranger, "page-1", "page-2", "page-3");
    const first = await stranger.trpc.inboxes.summaries.query({ limit: 2 });
    expect(first.data.map(({ address }) => address)).toEqual(["page-3@mail.example", "page-2@mail.example"]);
    const second = await stranger.trpc.inboxes.summaries.query({ limit: 2, cursor: first.next_cursor ?? "" });
    expect(second.data.map(({ address }) => address)).toEqual(["page-1@mail.example"]);
    expect(second.next_cursor).toBeNull();
    for (const [person, q] of [
      [stranger, "page"],
      [owner, ""],
    ] as const) {
      const mixed = person.trpc.inboxes.summaries.query({ q, cursor: first.next_cursor ?? "" });
      await expect(mixed).rejects.toMatchObject(refused("invalid_cursor"));
    }
  });

  test("are found by a part of the address or of the display name, with no pattern in it", async () => {
    await withInboxes(owner, "find-me", "other-one");
    const found = async (q: string) => (await owner.trpc.inboxes.summaries.query({ q })).data.map((row) => row.address);
    expect(await found("D-ME")).toEqual(["find-me@mail.example"]);
    expect(await found("other-one@mail.example")).toEqual(["other-one@mail.example"]);
    expect(await found("%")).toEqual([]);
    await owner.trpc.inboxes.update.mutate({ addr: "find-me@mail.example", display_name: "Front Desk" });
    expect(await found("front")).toEqual(["find-me@mail.example"]);
  });

  test("hold no mailbox of another organization, and none that was deleted", async () => {
    await withInboxes(owner, "see-mine", "see-deleted");
    await withInboxes(stranger, "see-theirs");
    await owner.trpc.inboxes.remove.mutate({ addr: "see-deleted@mail.example" });
    const { data } = await owner.trpc.inboxes.summaries.query({ q: "see-" });
    expect(data.map(({ address }) => address)).toEqual(["see-mine@mail.example"]);
    expect(await summaryOf(owner, "see-theirs@mail.example")).toBeUndefined();
    const theirs = owner.trpc.inboxes.summaries.query({ addr: "see-theirs@mail.example" });
    await expect(theirs).rejects.toMatchObject(refused("inbox_not_found"));
  });
});

describe("the table of mailboxes", () => {
  test("is sorted by address and by what was sent today, page by page", async () => {
    const { enrollmentKeyId } = await newKey();
    for (const username of ["srt-b", "srt-c", "srt-a"]) {
      await owner.trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId, username });
    }
    for (const [addr, to] of [
      ["srt-a@mail.example", ["x@else.example"]],
      ["srt-c@mail.example", ["x@else.example", "y@else.example"]],
    ] as const) {
      await owner.trpc.messages.send.mutate({ addr, to: [...to], text: "x" });
    }
    async function paged(sort: "address" | "sent") {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await member.trpc.inboxes.summaries.query({ q: "srt-", sort, limit: 1, cursor });
        seen.push(...page.data.map(({ address, sent_today }) => `${address.slice(0, 5)} ${sent_today}`));
        cursor = page.next_cursor ?? undefined;
      } while (cursor);
      return seen;
    }
    expect(await paged("address")).toEqual(["srt-a 1", "srt-b 0", "srt-c 2"]);
    expect(await paged("sent")).toEqual(["srt-c 2", "srt-a 1", "srt-b 0"]);
  });

  test("says what restrains a mailbox, its cap, and how many there are", async () => {
    const { enrollmentKeyId } = await newKey();
    const addr = "restrained@mail.example";
    await owner.trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId, username: "restrained" });
    const free = { paused: false, review: "none", allow_lists: [], sent_today: 0, cap: 20 };
    expect(await summaryOf(member, addr)).toMatchObject(free);
    await owner.trpc.inboxes.pauseSending.mutate({ addr });
    await owner.trpc.reviews.setPolicy.mutate({ inbox: addr, review: "first_contact" });
    await owner.trpc.lists.add.mutate({ inbox: addr, direction: "receive", list: "allow", entry: "else.example" });
    const restrained = { paused: true, review: "first_contact", allow_lists: ["receive"] };
    expect(await summaryOf(member, addr)).toMatchObject(restrained);
    const { total } = await member.trpc.inboxes.summaries.query({ limit: 1 });
    const all = await member.trpc.inboxes.summaries.query({ limit: 100 });
    expect(total).toBe(all.data.length);
  });
});
