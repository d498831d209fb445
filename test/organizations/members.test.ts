// Roles, removal and invitations: who may do what to whom, and what the removed and the foreign see.
import { afterAll, describe, expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";
import { newMember, newTeam, type Person, refused, sessionClient } from "#test/support/team.ts";

const service = await startTestService();
afterAll(service.stop);

async function idOf(asked: Person, person: Person): Promise<string> {
  const { members } = await asked.trpc.team.members.query();
  return members.find(({ email }) => email === person.email)?.id ?? "";
}

async function rolesOf(asked: Person): Promise<string[]> {
  return (await asked.trpc.team.members.query()).members.map(({ role }) => role);
}

describe("a role is changed", () => {
  test("by an owner, and takes effect immediately", async () => {
    const { owner } = await newTeam(service);
    const person = await newMember(service, owner, "member");
    const id = await idOf(owner, person);
    await expect(person.trpc.team.audit.query({})).rejects.toMatchObject(refused(403, "insufficient_role"));
    await owner.trpc.team.setRole.mutate({ id, role: "admin" });
    expect((await person.trpc.team.audit.query({})).data).not.toEqual([]);
    await owner.trpc.team.setRole.mutate({ id, role: "member" });
    await expect(person.trpc.team.audit.query({})).rejects.toMatchObject(refused(403, "insufficient_role"));
  });

  test.each(["admin", "member"] as const)("not by the role %s, not even of oneself", async (role) => {
    const { owner } = await newTeam(service);
    const person = await newMember(service, owner, role);
    for (const id of [await idOf(owner, person), await idOf(owner, owner)]) {
      const change = person.trpc.team.setRole.mutate({ id, role: "owner" });
      await expect(change).rejects.toMatchObject(refused(403, "insufficient_role"));
    }
    expect(await rolesOf(owner)).toEqual(["owner", role]);
  });

  test("not of a member of another organization", async () => {
    const [here, elsewhere] = [await newTeam(service), await newTeam(service)];
    const id = await idOf(elsewhere.owner, elsewhere.owner);
    for (const call of [
      () => here.owner.trpc.team.setRole.mutate({ id, role: "member" }),
      () => here.owner.trpc.team.removeMember.mutate({ id }),
      () => here.owner.trpc.team.removeMember.mutate({ id: "usr_nobody" }),
    ]) {
      await expect(call()).rejects.toMatchObject(refused(404, "member_not_found"));
    }
    expect(await rolesOf(elsewhere.owner)).toEqual(["owner"]);
  });
});

describe("the last owner", () => {
  test("cannot be demoted or go, and can once there is another", async () => {
    const { owner } = await newTeam(service);
    const heir = await newMember(service, owner, "admin");
    const id = await idOf(owner, owner);
    const last = refused(409, "last_owner");
    await expect(owner.trpc.team.setRole.mutate({ id, role: "admin" })).rejects.toMatchObject(last);
    await expect(owner.trpc.team.removeMember.mutate({ id })).rejects.toMatchObject(last);
    await owner.trpc.team.setRole.mutate({ id, role: "owner" });
    await owner.trpc.team.setRole.mutate({ id: await idOf(owner, heir), role: "owner" });
    await owner.trpc.team.setRole.mutate({ id, role: "member" });
    expect(await rolesOf(heir)).toEqual(["member", "owner"]);
  });

  const both = ["setRole", "removeMember"] as const;
  test.each(both)("stays when two owners remove each other concurrently (%s)", async (how) => {
    const { owner } = await newTeam(service);
    const other = await newMember(service, owner, "owner");
    const [first, second] = [await idOf(owner, owner), await idOf(owner, other)];
    const turn = ({ trpc }: Person, id: string) =>
      how === "setRole" ? trpc.team.setRole.mutate({ id, role: "member" }) : trpc.team.removeMember.mutate({ id });
    await Promise.allSettled([turn(owner, second), turn(other, first)]);
    const [{ owners }] = await service.system.sql<[{ owners: number }]>`
      select count(*) as owners from members m join users u on u.id = m.user_id
      where m.role = 'owner' and u.email = any(${[owner.email, other.email]})`;
    expect(owners).toBe(1);
  });
});

describe("a member is removed", () => {
  test("and immediately sees nothing more, with the existing session", async () => {
    const { owner } = await newTeam(service);
    const person = await newMember(service, owner, "admin");
    await person.trpc.inboxes.list.query({});
    await owner.trpc.team.removeMember.mutate({ id: await idOf(owner, person) });
    const gone = refused(403, "not_a_member");
    await expect(person.trpc.inboxes.list.query({})).rejects.toMatchObject(gone);
    await expect(person.trpc.team.me.query()).rejects.toMatchObject(gone);
    await expect(person.trpc.team.invite.mutate({ email: "x@people.example", role: "member" })).rejects.toMatchObject(
      gone,
    );
  });

  test("by an admin, themselves too", async () => {
    const { owner } = await newTeam(service);
    const [admin, person] = [await newMember(service, owner, "admin"), await newMember(service, owner, "member")];
    await admin.trpc.team.removeMember.mutate({ id: await idOf(owner, person) });
    await admin.trpc.team.removeMember.mutate({ id: await idOf(owner, admin) });
    expect(await rolesOf(owner)).toEqual(["owner"]);
  });

  test("can be invited again", async () => {
    const { owner } = await newTeam(service);
    const person = await newMember(service, owner, "member");
    await owner.trpc.team.removeMember.mutate({ id: await idOf(owner, person) });
    const { link } = await owner.trpc.team.invite.mutate({ email: person.email, role: "admin" });
    expect(link).toContain("/join#");
  });
});

describe("what an admin may not do to owners", () => {
  test("invite one, remove one, or end the invitation of one", async () => {
    const { owner } = await newTeam(service);
    const admin = await newMember(service, owner, "admin");
    const email = `heir-of-${owner.email}`;
    const refusal = refused(403, "insufficient_role");
    await expect(admin.trpc.team.invite.mutate({ email, role: "owner" })).rejects.toMatchObject(refusal);
    await expect(admin.trpc.team.removeMember.mutate({ id: await idOf(owner, owner) })).rejects.toMatchObject(refusal);
    await owner.trpc.team.invite.mutate({ email, role: "owner" });
    await expect(admin.trpc.team.cancelInvitation.mutate({ email })).rejects.toMatchObject(refusal);
    await expect(admin.trpc.team.invite.mutate({ email, role: "member" })).rejects.toMatchObject(refusal);
    const { invitations } = await owner.trpc.team.members.query();
    expect(invitations.map((open) => [open.email, open.role])).toEqual([[email, "owner"]]);
  });

  test("while members cannot invite, remove or withdraw, and see no invitations", async () => {
    const { owner } = await newTeam(service);
    const member = await newMember(service, owner, "member");
    const email = `guest-of-${owner.email}`;
    await owner.trpc.team.invite.mutate({ email, role: "member" });
    const refusal = refused(403, "insufficient_role");
    const { trpc } = member;
    await expect(trpc.team.invite.mutate({ email, role: "member" })).rejects.toMatchObject(refusal);
    await expect(trpc.team.cancelInvitation.mutate({ email })).rejects.toMatchObject(refusal);
    const id = await idOf(owner, member);
    await expect(trpc.team.removeMember.mutate({ id })).rejects.toMatchObject(refusal);
    expect((await trpc.team.members.query()).invitations).toEqual([]);
    expect((await owner.trpc.team.members.query()).invitations).toHaveLength(1);
  });
});

describe("an invitation is refused", () => {
  test("of who is a member already", async () => {
    const { owner } = await newTeam(service);
    const { email } = await newMember(service, owner, "member");
    const invite = owner.trpc.team.invite.mutate({ email: email.toUpperCase(), role: "admin" });
    await expect(invite).rejects.toMatchObject(refused(409, "already_member"));
  });

  test.each(["nobody", "a@b@c.example", "a b@c.example", "Ä@c.example", ""])("of %j", async (email) => {
    const { owner } = await newTeam(service);
    const invite = owner.trpc.team.invite.mutate({ email, role: "member" });
    await expect(invite).rejects.toMatchObject(refused(400, "invalid_request"));
  });
});

describe("a member of two organizations", () => {
  test("has the role of the one that the request names, and sees that one alone", async () => {
    const [first, second] = [await newTeam(service), await newTeam(service)];
    const { link } = await second.owner.trpc.team.invite.mutate({ email: first.owner.email, role: "member" });
    await fetch(`${service.url}/trpc/team.join`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: service.url },
      body: JSON.stringify({ token: link?.split("#")[1], password: "correct horse battery" }),
    });
    const at = (organization?: string) => sessionClient(service, first.owner.cookie, organization);
    expect(await at().team.me.query()).toMatchObject({ organization: { id: first.organizationId }, role: "owner" });
    for (const [{ organizationId }, role, count] of [
      [first, "owner", 1],
      [second, "member", 2],
    ] as const) {
      const trpc = at(organizationId);
      expect(await trpc.team.me.query()).toMatchObject({ organization: { id: organizationId }, role });
      expect((await trpc.team.members.query()).members).toHaveLength(count);
    }
    const invite = at(second.organizationId).team.invite.mutate({ email: "x@people.example", role: "member" });
    await expect(invite).rejects.toMatchObject(refused(403, "insufficient_role"));
  });

  test("is refused in a foreign one, and in one that never was", async () => {
    const [here, elsewhere] = [await newTeam(service), await newTeam(service)];
    for (const organization of [elsewhere.organizationId, "org_nothing", "x"]) {
      const trpc = sessionClient(service, here.owner.cookie, organization);
      await expect(trpc.team.members.query()).rejects.toMatchObject(refused(403, "not_a_member"));
    }
  });
});
