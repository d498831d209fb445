// Invitations end with what their inviter may do: after a removal or a lower role, and in a race with joining.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner, PASSWORD, type Person, post } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web" });
const { sql } = service.system;
afterAll(service.stop);

let made = 0;
type Role = "member" | "admin" | "owner";

async function team() {
  const { organizationId } = await service.newOrganization();
  const owner = await newOwner(service, organizationId);
  const second = await newMember(service, owner, "owner");
  const { members } = await owner.trpc.team.members.query();
  const id = members.find(({ email }) => email === second.email)?.id ?? "";
  return { organizationId, owner, second, id };
}

async function invite(person: Person, role: Role): Promise<string> {
  made += 1;
  const { link } = await person.trpc.team.invite.mutate({ email: `invited${made}@people.example`, role });
  return link?.split("#")[1] ?? "";
}

async function join(token: string): Promise<number> {
  return (await post(service, "/trpc/team.join", { token, name: "Somebody", password: PASSWORD })).status;
}

const openInvitations = async (owner: Person) => (await owner.trpc.team.members.query()).invitations.length;

describe("open invitations end", () => {
  test("when their inviter is removed", async () => {
    const { owner, second, id } = await team();
    const tokens = [await invite(second, "owner"), await invite(second, "member")];
    await owner.trpc.team.removeMember.mutate({ id });
    for (const token of tokens) expect(await join(token)).toBe(404);
    expect(await openInvitations(owner)).toBe(0);
  });

  test.each(["admin", "member"] as const)("when their inviter becomes %s", async (role) => {
    const { owner, second, id } = await team();
    const tokens = [await invite(second, "owner"), await invite(second, "member")];
    await owner.trpc.team.setRole.mutate({ id, role });
    for (const token of tokens) expect(await join(token)).toBe(404);
    expect(await openInvitations(owner)).toBe(0);
  });

  test("of that inviter alone, and not for a higher or the same role", async () => {
    const { owner, second, id } = await team();
    const [own, other] = [await invite(owner, "admin"), await invite(second, "member")];
    await owner.trpc.team.setRole.mutate({ id, role: "owner" });
    expect(await join(other)).toBe(200);
    await owner.trpc.team.removeMember.mutate({ id });
    expect(await join(own)).toBe(200);
  });
});

describe("joining gives no higher role than the inviter has", () => {
  test("when the membership changed in another way than by a procedure", async () => {
    const { second } = await team();
    const token = await invite(second, "owner");
    await sql`update members set role = 'admin' where user_id = (select id from users where email = ${second.email})`;
    expect(await join(token)).toBe(404);
    await sql`update members set role = 'owner' where user_id = (select id from users where email = ${second.email})`;
    expect(await join(token)).toBe(200);
  });

  test("when the removal is under way: joining waits for it", async () => {
    const { organizationId, second } = await team();
    const token = await invite(second, "owner");
    const { joining } = await sql.begin(async (tx) => {
      await tx`
        delete from members where user_id = (select id from users where email = ${second.email})
          and organization_id = ${decodeId("org", organizationId) ?? ""}`;
      const joining = join(token);
      await expect.poll(() => waitingForLocks(sql)).toBeGreaterThan(0);
      return { joining };
    });
    expect(await joining).toBe(404);
  });

  test("and an admin invites no owner, also in a role that is older than the session", async () => {
    const { owner, second, id } = await team();
    await owner.trpc.team.setRole.mutate({ id, role: "admin" });
    const refused = { data: { error: { code: "insufficient_role" } } };
    await expect(invite(second, "owner")).rejects.toMatchObject(refused);
    expect(await join(await invite(second, "admin"))).toBe(200);
    await owner.trpc.team.setRole.mutate({ id, role: "member" });
    await expect(invite(second, "member")).rejects.toMatchObject(refused);
  });
});
