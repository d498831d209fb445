// Connected apps end with the rights of the person who connected them: on every process, for good, and only where the rights ended.
import { afterAll, describe, expect, test } from "vitest";
import { newResetLink } from "#server/organizations/emails.ts";
import { connect } from "#test/api/mcp/rig.ts";
import {
  approvedCode,
  connectApp,
  mcpStatus,
  REDIRECT,
  requestToken,
  startAppService,
  type Tokens,
} from "#test/keys/apps/rig.ts";
import { turnOn } from "#test/support/second-factor.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newMember, newOwner, PASSWORD, type Person, post, sessionClient } from "#test/support/team.ts";

const clock = adjustableClock();
const service = await startAppService({}, { now: clock.now });
const { PUBLIC_URL } = service.settings;
const second = await startTestService({ ROLES: "web", PUBLIC_URL }, { database: service.database, now: clock.now });
afterAll(() => Promise.all([service.stop(), second.stop()]));

const NEW_PASSWORD = "an entirely new password";

const renew = (app: { clientId: string }, refresh_token: string) =>
  requestToken(service, { grant_type: "refresh_token", refresh_token, client_id: app.clientId });

const exchange = ({ code, clientId, verifier }: Awaited<ReturnType<typeof approvedCode>>) =>
  requestToken(service, {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: REDIRECT,
  });

/** An owner, a second owner, and a key for apps. */
async function newTeam() {
  const { organizationId, enrollmentKeyId } = await service.newOrganization();
  const boss = await newOwner(service, organizationId);
  return { organizationId, enrollmentKeyId, boss, person: await newMember(service, boss, "owner") };
}

type Team = { enrollmentKeyId: string; boss: Person };

/** What `person` connected: a working app, and a code that was not exchanged. */
async function connected(person: Person, { enrollmentKeyId }: Pick<Team, "enrollmentKeyId">) {
  const app = await connectApp(service, person, { enrollmentKeyId });
  const waiting = await approvedCode(service, person, { enrollmentKeyId });
  expect(await mcpStatus(service, app.tokens.access_token)).toBe(200);
  expect(await mcpStatus(second, app.tokens.access_token)).toBe(200);
  return { app, waiting };
}

async function expectEnded({ app, waiting }: Awaited<ReturnType<typeof connected>>, { boss, enrollmentKeyId }: Team) {
  for (const process of [service, second]) {
    await expect.poll(() => mcpStatus(process, app.tokens.access_token)).toBe(401);
  }
  // Before the requests below, which end a connection too when they find it without a member.
  expect((await boss.trpc.apps.list.query()).data).toEqual([]);
  const { data: agents } = await boss.trpc.keys.agents.query({ id: enrollmentKeyId });
  const ofApps = agents.filter(({ handle }) => handle.startsWith("app-")).flatMap(({ keys }) => keys);
  expect(ofApps.map(({ active }) => active)).toEqual([false, false]);
  expect((await renew(app, app.tokens.refresh_token)).status).toBe(400);
  expect((await exchange(waiting)).status).toBe(400);
}

async function resetPassword({ email }: Person): Promise<void> {
  const token = new URL(await newResetLink(service.system, email)).searchParams.get("token");
  const answer = await post(service, "/auth/reset-password", { newPassword: NEW_PASSWORD, token });
  expect(answer.status).toBe(200);
}

describe("everything that a person connected ends", () => {
  test("with a password reset, also what an operator's link begins", async () => {
    const team = await newTeam();
    const theirs = await connected(team.person, team);
    await resetPassword(team.person);
    await expectEnded(theirs, team);
  });

  test("with a changed password, and apps of others stay", async () => {
    const team = await newTeam();
    const theirs = await connected(team.person, team);
    const other = await connectApp(service, team.boss, { enrollmentKeyId: team.enrollmentKeyId });
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
    const wrong = { ...change, currentPassword: "not the right one" };
    const headers = { cookie: team.person.cookie };
    expect((await post(service, "/auth/change-password", wrong, headers)).status).toBe(400);
    expect(await mcpStatus(service, theirs.app.tokens.access_token)).toBe(200);
    expect((await post(service, "/auth/change-password", change, headers)).status).toBe(200);
    await expect.poll(() => mcpStatus(service, theirs.app.tokens.access_token)).toBe(401);
    expect((await renew(theirs.app, theirs.app.tokens.refresh_token)).status).toBe(400);
    expect((await exchange(theirs.waiting)).status).toBe(400);
    expect(await mcpStatus(service, other.tokens.access_token)).toBe(200);
    expect((await renew(other, other.tokens.refresh_token)).status).toBe(200);
  });

  test("with the requirement of a second factor that the person has not, who cannot connect one again", async () => {
    const team = await newTeam();
    const theirs = await connected(team.person, team);
    await turnOn(team.boss, clock.now);
    const kept = await connectApp(service, team.boss, { enrollmentKeyId: team.enrollmentKeyId });
    await team.boss.trpc.organization.update.mutate({ require_second_factor: true });
    await expect.poll(() => mcpStatus(second, theirs.app.tokens.access_token)).toBe(401);
    expect((await renew(theirs.app, theirs.app.tokens.refresh_token)).status).toBe(400);
    expect((await exchange(theirs.waiting)).status).toBe(400);
    expect(await mcpStatus(service, kept.tokens.access_token)).toBe(200);
    await expect(approvedCode(service, team.person, team)).rejects.toMatchObject({
      data: { error: { code: "second_factor_missing" } },
    });
    await turnOn(team.person, clock.now);
    const again = await connectApp(service, team.person, { enrollmentKeyId: team.enrollmentKeyId });
    expect(await mcpStatus(service, again.tokens.access_token)).toBe(200);
  });

  test.each([
    ["removed by another", (team: Team) => team.boss],
    ["who leaves", (_: Team, person: Person) => person],
  ])("with the membership of a person %s, and does not return when the person joins again", async (_, by) => {
    const team = await newTeam();
    const theirs = await connected(team.person, team);
    const { user } = await team.person.trpc.team.me.query();
    await by(team, team.person).trpc.team.removeMember.mutate({ id: user.id });
    await expect.poll(() => mcpStatus(second, theirs.app.tokens.access_token)).toBe(401);
    const { link } = await team.boss.trpc.team.invite.mutate({ email: team.person.email, role: "owner" });
    await team.person.trpc.team.join.mutate({ token: link?.split("#")[1] ?? "", password: PASSWORD });
    await expectEnded(theirs, team);
  });
});

test("a removal from one organization ends only the apps of that one", async () => {
  const [here, there] = [await newTeam(), await newTeam()];
  const { link } = await there.boss.trpc.team.invite.mutate({ email: here.person.email, role: "owner" });
  await here.person.trpc.team.join.mutate({ token: link?.split("#")[1] ?? "", password: PASSWORD });
  const elsewhere = { ...here.person, trpc: sessionClient(service, here.person.cookie, there.organizationId) };
  const theirs = await connected(
    { ...here.person, trpc: sessionClient(service, here.person.cookie, here.organizationId) },
    here,
  );
  const kept = await connected(elsewhere, there);
  const { user } = await here.person.trpc.team.me.query();
  await here.boss.trpc.team.removeMember.mutate({ id: user.id });
  await expectEnded(theirs, here);
  expect(await mcpStatus(service, kept.app.tokens.access_token)).toBe(200);
  expect((await renew(kept.app, kept.app.tokens.refresh_token)).status).toBe(200);
  expect((await exchange(kept.waiting)).status).toBe(200);
});

test("a scope that a lower role took from an app does not return with a higher role", async () => {
  const { boss, enrollmentKeyId } = await newTeam();
  const admin = await newMember(service, boss, "admin");
  const app = await connectApp(service, admin, { enrollmentKeyId });
  const tools = async (token: string) => {
    const { client, close } = await connect(service, token);
    const listed = await client.listTools();
    await close();
    return listed.tools.map(({ name }) => name);
  };
  expect(await tools(app.tokens.access_token)).toContain("delete_inbox");
  const { user } = await admin.trpc.team.me.query();
  for (const role of ["member", "admin"] as const) await boss.trpc.team.setRole.mutate({ id: user.id, role });
  const renewed = (await (await renew(app, app.tokens.refresh_token)).json()) as Tokens;
  const now = await tools(renewed.access_token);
  expect(now).toContain("create_inbox");
  expect(now).not.toContain("delete_inbox");
});

describe("a refresh token", () => {
  async function newApp() {
    const team = await newTeam();
    return connectApp(service, team.person, { enrollmentKeyId: team.enrollmentKeyId });
  }
  const tokensOf = async (answer: Response) => (await answer.json()) as Tokens;

  test("that is repeated because the first answer was lost gets the same answer", async () => {
    const app = await newApp();
    const lost = await tokensOf(await renew(app, app.tokens.refresh_token));
    const again = await renew(app, app.tokens.refresh_token);
    expect(again.status).toBe(200);
    const tokens = await tokensOf(again);
    expect(tokens.refresh_token).toBe(lost.refresh_token);
    expect(await mcpStatus(service, tokens.access_token)).toBe(200);
    expect((await renew(app, tokens.refresh_token)).status).toBe(200);
  });

  test("that twelve requests bring at the same time gets one answer, on two processes", async () => {
    const app = await newApp();
    const fields = { grant_type: "refresh_token", refresh_token: app.tokens.refresh_token, client_id: app.clientId };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, nth) => requestToken(nth % 2 ? second : service, fields)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    const all = await Promise.all(answers.map(tokensOf));
    expect(new Set(all.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    const [{ access_token, refresh_token } = app.tokens] = all;
    expect(await mcpStatus(service, access_token)).toBe(200);
    expect((await renew(app, refresh_token)).status).toBe(200);
  });

  test("that is repeated after the newer one was used ends the connection", async () => {
    const app = await newApp();
    const newer = await tokensOf(await renew(app, app.tokens.refresh_token));
    const newest = await tokensOf(await renew(app, newer.refresh_token));
    expect((await renew(app, app.tokens.refresh_token)).status).toBe(400);
    for (const { access_token } of [app.tokens, newer, newest]) {
      await expect.poll(() => mcpStatus(service, access_token)).toBe(401);
    }
    expect((await renew(app, newest.refresh_token)).status).toBe(400);
  });

  test("that is repeated half a minute later ends the connection", async () => {
    const app = await newApp();
    const newer = await tokensOf(await renew(app, app.tokens.refresh_token));
    clock.advance(31_000);
    expect((await renew(app, app.tokens.refresh_token)).status).toBe(400);
    await expect.poll(() => mcpStatus(service, newer.access_token)).toBe(401);
    expect((await renew(app, newer.refresh_token)).status).toBe(400);
  });
});
