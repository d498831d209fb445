// The links to join an organization: what they show, what they create, and when they are invalid.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { newOwnerToken } from "#server/organizations/links.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import {
  cookiesOf,
  newMember,
  newTeam,
  PASSWORD,
  type Person,
  post,
  refused,
  sessionClient,
} from "#test/support/team.ts";

const DAY_MS = 86_400_000;
const clock = adjustableClock();
const service = await startTestService({}, { now: clock.now });
afterAll(service.stop);
beforeEach(async () => {
  clock.set(new Date());
});

const visitor = sessionClient(service, "");
let made = 0;

function newEmail(): string {
  made += 1;
  return `invited${made}@people.example`;
}

/** Invites, and gives what stands in the link behind `#`. */
async function invite(owner: Person, email: string, role: "member" | "admin" | "owner" = "member"): Promise<string> {
  const { link } = await owner.trpc.team.invite.mutate({ email, role });
  return link?.split("/join#")[1] ?? "";
}

/** Joins, and gives what the session that began with it sees. */
async function join(input: { token: string; password?: string; name?: string; email?: string }) {
  const answer = await post(service, "/trpc/team.join", { name: "Somebody", password: PASSWORD, ...input });
  const { error } = (await answer.json()) as { error?: { data: { error: { code: string; message: string } } } };
  const cookie = cookiesOf(answer);
  return { status: answer.status, code: error?.data.error.code, cookie, trpc: sessionClient(service, cookie) };
}

const ownerToken = (organizationId: string) => newOwnerToken(service.system, decodeId("org", organizationId) ?? "");

describe("team.link", () => {
  test("tells of an invitation, and whether there is an account", async () => {
    const { owner } = await newTeam(service);
    const { organization } = await owner.trpc.team.me.query();
    const email = newEmail();
    const token = await invite(owner, email, "admin");
    const told = { kind: "invitation", organization: organization.name, email, role: "admin" };
    expect(await visitor.team.link.mutate({ token })).toMatchObject({ ...told, has_account: false });
    const other = await newTeam(service);
    const again = await invite(other.owner, owner.email);
    expect(await visitor.team.link.mutate({ token: again })).toMatchObject({ email: owner.email, has_account: true });
  });

  test("tells of a link for a first owner", async () => {
    const { organizationId } = await service.newOrganization();
    const token = await ownerToken(organizationId);
    const link = await visitor.team.link.mutate({ token });
    expect(link).toMatchObject({ kind: "owner", email: null, role: "owner", has_account: false });
    expect(new Date(link.expires_at).getTime() - clock.now().getTime()).toBeGreaterThan(6 * DAY_MS);
  });

  test.each(["A".repeat(43), "0".repeat(43)])("knows no link %s", async (token) => {
    await expect(visitor.team.link.mutate({ token })).rejects.toMatchObject(refused(404, "link_not_found"));
  });
});

describe("joining with a new account", () => {
  test("signs in, with the role of the invitation, in that organization alone", async () => {
    const { owner, organizationId } = await newTeam(service);
    const email = newEmail();
    const { trpc } = await join({ token: await invite(owner, email, "admin"), name: "Ada" });
    const me = await trpc.team.me.query();
    expect(me).toMatchObject({ user: { email, name: "Ada" }, role: "admin", organization: { id: organizationId } });
    expect(me.organizations).toHaveLength(1);
    expect((await owner.trpc.team.members.query()).invitations).toEqual([]);
  });

  test("the account gets the invited address, even if the request names another", async () => {
    const { owner } = await newTeam(service);
    const email = newEmail();
    const { trpc } = await join({ token: await invite(owner, email), email: "other@people.example" });
    expect((await trpc.team.me.query()).user.email).toBe(email);
  });

  test.each([
    ["name", { name: undefined }],
    ["password", { password: "too short" }],
    ["name", { name: "<b>" }],
  ])("needs a good %s", async (_, wrong) => {
    const { owner } = await newTeam(service);
    const email = newEmail();
    const token = await invite(owner, email);
    expect(await join({ token, ...(wrong as object) })).toMatchObject({ status: 400, code: "invalid_request" });
    expect((await visitor.team.link.mutate({ token })).has_account).toBe(false);
    expect((await join({ token })).status).toBe(200);
  });

  test("by an owner's link needs an address", async () => {
    const { organizationId } = await service.newOrganization();
    const token = await ownerToken(organizationId);
    expect(await join({ token })).toMatchObject({ status: 400, code: "invalid_request" });
    expect((await join({ token, email: newEmail() })).status).toBe(200);
  });
});

describe("joining with an account that is there", () => {
  test("by its password makes a member of both organizations", async () => {
    const [first, second] = [await newTeam(service), await newTeam(service)];
    const token = await invite(second.owner, first.owner.email);
    const { trpc } = await join({ token });
    const { user, organizations } = await trpc.team.me.query();
    expect(user.name).not.toBe("Somebody");
    expect(new Map(organizations.map(({ id, role }) => [id, role]))).toEqual(
      new Map([
        [first.organizationId, "owner"],
        [second.organizationId, "member"],
      ]),
    );
  });

  test("another password joins nothing, and the link stays valid", async () => {
    const [first, second] = [await newTeam(service), await newTeam(service)];
    const token = await invite(second.owner, first.owner.email);
    const answer = await join({ token, password: "not that password" });
    expect(answer).toMatchObject({ status: 401, code: "unauthorized", cookie: "" });
    expect((await first.owner.trpc.team.me.query()).organizations).toHaveLength(1);
    expect((await join({ token })).status).toBe(200);
  });

  test("guesses of the password are counted with sign-ins", async () => {
    const [first, second] = [await newTeam(service), await newTeam(service)];
    const token = await invite(second.owner, first.owner.email);
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < 11; n += 1) codes.push((await join({ token, password: `a wrong password ${n}` })).code);
    expect(codes).toEqual([...Array(10).fill("unauthorized"), "rate_limited"]);
    expect((await join({ token })).code).toBe("rate_limited");
  });

  test("an owner's link makes an owner of who is a member already", async () => {
    const { owner, organizationId } = await newTeam(service);
    const member = await newMember(service, owner, "member");
    const token = await ownerToken(organizationId);
    expect((await join({ token, email: member.email })).status).toBe(200);
    expect((await member.trpc.team.me.query()).role).toBe("owner");
    expect((await owner.trpc.team.members.query()).members).toHaveLength(2);
  });

  test("an invitation of a person who became a member is refused, and changes nothing", async () => {
    const { owner, organizationId } = await newTeam(service);
    const email = newEmail();
    const token = await invite(owner, email);
    await join({ token: await ownerToken(organizationId), email });
    expect(await join({ token })).toMatchObject({ status: 409, code: "already_member" });
    const { members } = await owner.trpc.team.members.query();
    expect(members.map(({ role }) => role)).toEqual(["owner", "owner"]);
  });
});

describe("a link that is over", () => {
  const expectOver = async (token: string, email: string) => {
    await expect(visitor.team.link.mutate({ token })).rejects.toMatchObject(refused(404, "link_not_found"));
    expect(await join({ token, email })).toMatchObject({ status: 404, code: "link_not_found", cookie: "" });
  };

  test("an invitation that was used", async () => {
    const { owner } = await newTeam(service);
    const email = newEmail();
    const token = await invite(owner, email);
    await join({ token });
    await expectOver(token, email);
  });

  test("an owner's link that was used", async () => {
    const { organizationId } = await service.newOrganization();
    const token = await ownerToken(organizationId);
    await join({ token, email: newEmail() });
    await expectOver(token, newEmail());
  });

  test("an owner's link after the next one", async () => {
    const { organizationId } = await service.newOrganization();
    const [first, second] = [await ownerToken(organizationId), await ownerToken(organizationId)];
    await expectOver(first, newEmail());
    expect((await join({ token: second, email: newEmail() })).status).toBe(200);
  });

  test("an invitation that was withdrawn", async () => {
    const { owner } = await newTeam(service);
    const email = newEmail();
    const token = await invite(owner, email);
    await owner.trpc.team.cancelInvitation.mutate({ email });
    await expectOver(token, email);
    expect((await owner.trpc.team.members.query()).invitations).toEqual([]);
  });

  test("an invitation after the next one of the same address", async () => {
    const { owner } = await newTeam(service);
    const email = newEmail();
    const [first, second] = [await invite(owner, email), await invite(owner, email, "admin")];
    await expectOver(first, email);
    const { invitations } = await owner.trpc.team.members.query();
    expect(invitations.map((open) => [open.email, open.role])).toEqual([[email, "admin"]]);
    expect((await (await join({ token: second })).trpc.team.me.query()).role).toBe("admin");
  });

  test("both after seven days", async () => {
    const { owner } = await newTeam(service);
    const { organizationId } = await service.newOrganization();
    const email = newEmail();
    const tokens = [await invite(owner, email), await ownerToken(organizationId)];
    clock.advance(7 * DAY_MS + 60_000);
    for (const token of tokens) await expectOver(token, email);
    expect((await owner.trpc.team.members.query()).invitations).toEqual([]);
    const again = await owner.trpc.team.cancelInvitation.mutate({ email }).catch((error) => error);
    expect(again).toMatchObject(refused(404, "member_not_found"));
  });

  test("used by two concurrently makes one owner", async () => {
    const { organizationId } = await service.newOrganization();
    const token = await ownerToken(organizationId);
    const emails = [newEmail(), newEmail()];
    const answers = await Promise.all(emails.map((email) => join({ token, email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await winner?.trpc.team.members.query())?.members).toHaveLength(1);
    const [{ count }] = await service.system.sql<[{ count: number }]>`
      select count(*) from users where email = any(${emails})`;
    expect(count).toBe(1);
  });

  test("sent twice by one person makes one member and no fault", async () => {
    const { owner } = await newTeam(service);
    const email = newEmail();
    const token = await invite(owner, email);
    const answers = await Promise.all([join({ token }), join({ token })]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.every((status) => status < 500)).toBe(true);
    expect((await owner.trpc.team.members.query()).members).toHaveLength(2);
  });
});
