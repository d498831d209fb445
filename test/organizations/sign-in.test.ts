// Sign-in: by a link the first time, by password after, with sessions that end.
import { afterAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { cookiesOf, newMember, newTeam, PASSWORD, post, sessionClient } from "#test/support/team.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

const signIn = (email: string, password = PASSWORD, headers: Record<string, string> = {}) =>
  post(service, "/auth/sign-in/email", { email, password }, headers);

describe("a link is opened", () => {
  test("makes an owner, once", async () => {
    const { owner, organizationId } = await newTeam(service);
    expect(await owner.trpc.team.me.query()).toMatchObject({
      user: { email: owner.email },
      organization: { id: organizationId },
      role: "owner",
      organizations: [{ id: organizationId, role: "owner" }],
      payments: false,
    });
  });

  test("an invitation makes a member of the role it names", async () => {
    const { owner } = await newTeam(service);
    const member = await newMember(service, owner, "member");
    expect((await member.trpc.team.me.query()).role).toBe("member");
    const { members, invitations } = await owner.trpc.team.members.query();
    expect(members.map(({ email, role }) => [email, role])).toEqual([
      [owner.email, "owner"],
      [member.email, "member"],
    ]);
    expect(invitations).toEqual([]);
  });
});

describe("signed in", () => {
  test("by password, with a cookie that scripts cannot read", async () => {
    const { owner } = await newTeam(service);
    const answer = await signIn(owner.email);
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().join()).toMatch(/HttpOnly; SameSite=Lax/i);
    const { user } = await sessionClient(service, cookiesOf(answer)).team.me.query();
    expect(user.email).toBe(owner.email);
  });
});

describe("signed out", () => {
  test("the session is worth nothing", async () => {
    const { owner } = await newTeam(service);
    expect((await post(service, "/auth/sign-out", {}, { cookie: owner.cookie })).status).toBe(200);
    await expect(owner.trpc.team.me.query()).rejects.toMatchObject({ data: { error: { code: "unauthorized" } } });
  });
});

describe("not signed in", () => {
  test.each([
    ["a wrong password", (email: string) => signIn(email, "not that password")],
    ["nobody's address", () => signIn("nobody@people.example")],
  ])("by %s", async (_, attempt) => {
    const { owner } = await newTeam(service);
    const answer = await attempt(owner.email);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
    // Neither says whether there is such an account.
    expect(await answer.json()).toMatchObject({ code: "INVALID_EMAIL_OR_PASSWORD" });
  });
});

describe("a changed password", () => {
  test("ends the other sessions, and keeps this one by a new cookie", async () => {
    const { owner } = await newTeam(service);
    const here = cookiesOf(await signIn(owner.email));
    const change = { currentPassword: PASSWORD, newPassword: "another long password" };
    const answer = await post(service, "/auth/change-password", change, { cookie: here });
    expect(answer.status).toBe(200);
    expect((await sessionClient(service, cookiesOf(answer)).team.me.query()).role).toBe("owner");
    await expect(owner.trpc.team.me.query()).rejects.toMatchObject({ data: { error: { code: "unauthorized" } } });
  });

  test("needs the current one", async () => {
    const { owner } = await newTeam(service);
    const change = { currentPassword: "not that password", newPassword: "another long password" };
    expect((await post(service, "/auth/change-password", change, { cookie: owner.cookie })).status).toBe(400);
    expect((await signIn(owner.email)).status).toBe(200);
  });
});

describe("a request from another origin", () => {
  const invite = (headers: Record<string, string>) =>
    fetch(`${service.url}/trpc/team.invite`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ email: "csrf@people.example", role: "member" }),
    });

  test.each([
    ["a foreign one", { origin: "https://evil.example" }],
    ["none", {}],
    ["an opaque one", { origin: "null" }],
    ["this host as a part of another", { origin: `http://${new URL(service.url).host}.evil.example` }],
  ])("with a session changes nothing: %s", async (_, headers) => {
    const { owner } = await newTeam(service);
    const answer = await invite({ cookie: owner.cookie, ...(headers as Record<string, string>) });
    expect([answer.status, await answer.json()]).toMatchObject([
      403,
      { error: { data: { error: { code: "cross_origin" } } } },
    ]);
    expect((await owner.trpc.team.members.query()).invitations).toEqual([]);
  });

  test("of PUBLIC_URL is of this one, as behind a proxy", async () => {
    const { owner } = await newTeam(service);
    const answer = await invite({ cookie: owner.cookie, origin: service.settings.PUBLIC_URL });
    expect(answer.status).toBe(200);
  });

  test.each(["/auth/sign-out", "/auth/change-password"])("does not reach %s", async (path) => {
    const { owner } = await newTeam(service);
    const body = { currentPassword: PASSWORD, newPassword: "set by another person" };
    const answer = await post(service, path, body, { cookie: owner.cookie, Origin: "https://evil.example" });
    expect(answer.status).toBe(403);
    expect((await owner.trpc.team.me.query()).role).toBe("owner");
    expect((await signIn(owner.email)).status).toBe(200);
  });
});

describe("which door takes a session", () => {
  test("not REST: a cookie is no key", async () => {
    const { owner } = await newTeam(service);
    const { status, body } = await client.get("/v1/inboxes", { headers: { cookie: owner.cookie } });
    expect([status, body.error.code]).toEqual([401, "unauthorized"]);
  });

  test("tRPC, which takes an agent's key as before, also beside a cookie", async () => {
    const { owner, agentKey } = await newTeam(service);
    const list = (headers: Record<string, string>) =>
      fetch(`${service.url}/trpc/inboxes.list?input=%7B%7D`, { headers: { ...headers, cookie: owner.cookie } });
    expect((await list({})).status).toBe(200);
    expect((await list({ authorization: `Bearer ${agentKey}` })).status).toBe(200);
    // A key that is shown counts, good or not.
    expect((await list({ authorization: "Bearer mb_agent_wrong" })).status).toBe(401);
  });

  test("an agent's key is not a member", async () => {
    const { agentKey } = await newTeam(service);
    const answer = await fetch(`${service.url}/trpc/team.members`, {
      headers: { authorization: `Bearer ${agentKey}` },
    });
    expect(answer.status).toBe(401);
  });
});

describe("the rest of better-auth is not reached", () => {
  test.each([
    "sign-up/email",
    "organization/create",
    "organization/invite-member",
    "organization/accept-invitation",
    "get-session",
    "list-sessions",
    "update-user",
    "delete-user",
    "sign-in/email/",
  ])("404 at /auth/%s", async (path) => {
    const { owner } = await newTeam(service);
    const body = { email: "new@people.example", password: PASSWORD, name: "New" };
    expect((await post(service, `/auth/${path}`, body, { cookie: owner.cookie })).status).toBe(404);
  });

  test("other methods than POST answer 405", async () => {
    const answer = await fetch(`${service.url}/auth/sign-out`);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
