// Apps that connect by sign-in: OAuth 2.1 with PKCE at /mcp, and what is refused.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { connect } from "#test/api/mcp/rig.ts";
import type { TestService } from "#test/support/service.ts";
import { newMember, newOwner, PASSWORD, type Person, sessionClient } from "#test/support/team.ts";
import { connectApp, mcpStatus, newClient, requestToken, SCOPES, startAppService, type Tokens } from "./rig.ts";

let service: TestService;
let owner: Person;
let organization: Awaited<ReturnType<TestService["newOrganization"]>>;
beforeAll(async () => {
  service = await startAppService();
  organization = await service.newOrganization();
  owner = await newOwner(service, organization.organizationId);
});
afterAll(() => service.stop());

const choice = () => ({ enrollmentKeyId: organization.enrollmentKeyId });
const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });
const asApp = (token: string) => ({ Authorization: `Bearer ${token}` });
describe("metadata", () => {
  test.each(["", "/mcp", "/mcp/sign-in"])("the resource names its authorization server (%s)", async (path) => {
    const answer = await get(`/.well-known/oauth-protected-resource${path}`);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer.json()).toEqual({
      resource: `${service.url}${path || "/mcp"}`,
      resource_name: "Mailberth",
      authorization_servers: [`${service.url}/auth`],
      scopes_supported: [...SCOPES],
      bearer_methods_supported: ["header"],
    });
  });

  test.each(["", "/auth"])("the authorization server names its endpoints (%s)", async (path) => {
    expect(await (await get(`/.well-known/oauth-authorization-server${path}`)).json()).toMatchObject({
      issuer: `${service.url}/auth`,
      authorization_endpoint: `${service.url}/auth/oauth2/authorize`,
      token_endpoint: `${service.url}/auth/oauth2/token`,
      registration_endpoint: `${service.url}/auth/oauth2/register`,
      code_challenge_methods_supported: ["S256"],
      grant_types_supported: ["authorization_code", "refresh_token"],
    });
  });

  test("a 401 of /mcp says where to sign in", async () => {
    const headers = asApp("mb_app_none");
    for (const [path, sent] of [
      ["/mcp", headers],
      ["/mcp/sign-in", headers],
      ["/mcp/sign-in", {}],
    ] as const) {
      const answer = await fetch(service.url + path, { method: "POST", headers: sent });
      expect([path, answer.status]).toEqual([path, 401]);
      const metadata = `${service.url}/.well-known/oauth-protected-resource${path}`;
      expect(answer.headers.get("www-authenticate")).toContain(`resource_metadata="${metadata}"`);
      expect(answer.headers.get("www-authenticate")).toContain('scope="mailbox:create mailbox:read');
    }
  });

  test.each(["introspect", "userinfo", "create-client", "get-clients", "consent", "continue", "end-session"])(
    "the provider's endpoint %s is not served",
    async (endpoint) => {
      const answers = await Promise.all([
        get(`/auth/oauth2/${endpoint}`, { cookie: owner.cookie }),
        fetch(`${service.url}/auth/oauth2/${endpoint}`, {
          method: "POST",
          headers: { cookie: owner.cookie, origin: service.url, "content-type": "application/json" },
          body: "{}",
        }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    },
  );
});

describe("a connected app", () => {
  test("calls tools as an agent of the organization that the member chose", async () => {
    const { tokens } = await connectApp(service, owner, choice());
    expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 3_600 });
    const { client, done, close } = await connect(service, tokens.access_token);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("redeem_enrollment_key");
    const { address } = await done<{ address: string }>("create_inbox", {});
    expect(await done("get_account")).toMatchObject({ agent_name: "Test app", org_id: organization.organizationId });
    expect(await done("delete_inbox", { addr: address })).toMatchObject({ deleted: true });
    await close();
  });

  test("has only the tools of the scopes that the member allowed", async () => {
    const { tokens } = await connectApp(service, owner, { ...choice(), scopes: ["mailbox:read"] });
    expect(tokens.scope.split(" ").sort()).toEqual(["mailbox:read", "offline_access"]);
    const { client, close } = await connect(service, tokens.access_token);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("wait_for_email");
    expect(names.filter((name) => /create|send_email|reply|forward|delete/.test(name))).toEqual([]);
    await close();
  });

  test.each(["/mcp", "/mcp/sign-in"])("of %s gets new tokens with its refresh token", async (path) => {
    const { clientId, tokens } = await connectApp(service, owner, { ...choice(), path });
    const fields = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: clientId };
    const renewed = (await (await requestToken(service, fields)).json()) as Tokens;
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    expect(await mcpStatus(service, renewed.access_token)).toBe(200);
  });

  test("cannot use its token at REST or tRPC", async () => {
    const { tokens } = await connectApp(service, owner, choice());
    const headers = asApp(tokens.access_token);
    for (const path of ["/v1/auth/me", "/v1/inboxes", "/trpc/auth.me", "/trpc/apps.list"]) {
      const answer = await get(path, headers);
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });

  test("revokes its own token", async () => {
    const { clientId, tokens } = await connectApp(service, owner, choice());
    const body = new URLSearchParams({ token: tokens.access_token, client_id: clientId });
    expect((await fetch(`${service.url}/auth/oauth2/revoke`, { method: "POST", body })).status).toBe(200);
    await expect.poll(() => mcpStatus(service, tokens.access_token)).toBe(401);
  });
});

describe("the organization", () => {
  test("a token sees nothing of another organization of the same person", async () => {
    const other = await service.newOrganization();
    const { link } = await (await newOwner(service, other.organizationId)).trpc.team.invite.mutate({
      email: owner.email,
      role: "owner",
    });
    await owner.trpc.team.join.mutate({ token: link?.split("#")[1] ?? "", password: PASSWORD });
    const elsewhere = { ...owner, trpc: sessionClient(service, owner.cookie, other.organizationId) };
    const here = await connectApp(service, owner, choice());
    const there = await connectApp(service, elsewhere, { enrollmentKeyId: other.enrollmentKeyId });
    const [mine, theirs] = await Promise.all([
      connect(service, here.tokens.access_token),
      connect(service, there.tokens.access_token),
    ]);
    const { address: addr } = await theirs.done<{ address: string }>("create_inbox", {});
    expect(await mine.call("list_threads", { inbox: addr })).toMatchObject({
      isError: true,
      body: { code: "inbox_not_found" },
    });
    expect((await theirs.done<{ data: object[] }>("list_inboxes")).data).toHaveLength(1);
    expect(JSON.stringify(await mine.done("list_inboxes"))).not.toContain(addr);
    expect(await theirs.done("get_account")).toMatchObject({ org_id: other.organizationId });
    await Promise.all([mine.close(), theirs.close()]);
  });

  test("an enrollment key of another organization cannot be chosen", async () => {
    const other = await service.newOrganization();
    const approving = connectApp(service, owner, { enrollmentKeyId: other.enrollmentKeyId });
    await expect(approving).rejects.toThrow("There is no enrollment key");
  });

  test("an enrollment key that has expired connects no app, and makes no agent", async () => {
    const { id } = await owner.trpc.keys.issue.mutate({ name: "expires", max_mailboxes: 3 });
    await service.system.sql`update enrollment_keys set expires_at = now() where name = 'expires'`;
    const approving = connectApp(service, owner, { enrollmentKeyId: id });
    await expect(approving).rejects.toThrow("This enrollment key has expired");
    expect((await owner.trpc.keys.agents.query({ id })).data).toEqual([]);
  });

  test("a removed member's app stops, and a lower role loses the scopes of the higher one", async () => {
    const admin = await newMember(service, owner, "admin");
    const { tokens } = await connectApp(service, admin, choice());
    const names = async () => {
      const { client, close } = await connect(service, tokens.access_token);
      const { tools } = await client.listTools();
      await close();
      return tools.map(({ name }) => name);
    };
    expect(await names()).toContain("delete_inbox");
    const { user } = await admin.trpc.team.me.query();
    await owner.trpc.team.setRole.mutate({ id: user.id, role: "member" });
    await expect.poll(names).not.toContain("delete_inbox");
    expect(await names()).toContain("create_inbox");
    await owner.trpc.team.removeMember.mutate({ id: user.id });
    await expect.poll(() => mcpStatus(service, tokens.access_token)).toBe(401);
  });

  test("the role of the member counts, also where the key of the connection still has more", async () => {
    const admin = await newMember(service, owner, "admin");
    const { tokens } = await connectApp(service, admin, choice());
    const { user } = await admin.trpc.team.me.query();
    // Before the app has called, so that nothing of it is known yet.
    await service.system.sql`update members set role = 'member' where user_id = ${decodeId("usr", user.id) as string}`;
    const { client, close } = await connect(service, tokens.access_token);
    const { tools } = await client.listTools();
    await close();
    const names = tools.map(({ name }) => name);
    expect(names).toContain("create_inbox");
    expect(names).not.toContain("delete_inbox");
  });

  test("a member may not allow what the role may not do", async () => {
    const member = await newMember(service, owner, "member");
    const approving = connectApp(service, member, { ...choice(), scopes: ["mailbox:read", "mailbox:delete"] });
    await expect(approving).rejects.toThrow("Your role may not give apps the scope mailbox:delete");
  });

  test("a revoked enrollment key stops the app", async () => {
    const { id } = await owner.trpc.keys.issue.mutate({ name: "for apps", max_mailboxes: 3 });
    const { tokens } = await connectApp(service, owner, { enrollmentKeyId: id });
    expect(await mcpStatus(service, tokens.access_token)).toBe(200);
    await owner.trpc.keys.revoke.mutate({ id });
    await expect.poll(() => mcpStatus(service, tokens.access_token)).toBe(401);
  });
});

describe("the list of connected apps", () => {
  test("shows them to their members and to admins, and a revocation stops the token and the refresh", async () => {
    const { organizationId, enrollmentKeyId } = await service.newOrganization();
    const boss = await newOwner(service, organizationId);
    const [ann, ben] = [await newMember(service, boss, "member"), await newMember(service, boss, "member")];
    const scopes = ["mailbox:read"] as const;
    const { clientId, tokens } = await connectApp(service, ann, { enrollmentKeyId, scopes });
    const listed = async (person: Person) => (await person.trpc.apps.list.query()).data;
    const [app] = await listed(ann);
    expect(app).toMatchObject({ name: "Test app", person: { email: ann.email }, scopes });
    expect(app?.last_token_at).toMatch(/^20/);
    expect(await listed(ben)).toEqual([]);
    expect(await listed(boss)).toEqual([app]);
    const id = app?.id ?? "";
    await expect(ben.trpc.apps.revoke.mutate({ id })).rejects.toThrow("There is no connected app");
    await expect(owner.trpc.apps.revoke.mutate({ id })).rejects.toThrow("There is no connected app");
    expect(await mcpStatus(service, tokens.access_token)).toBe(200);
    await boss.trpc.apps.revoke.mutate({ id });
    await expect.poll(() => mcpStatus(service, tokens.access_token)).toBe(401);
    const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: clientId };
    expect((await requestToken(service, refresh)).status).toBe(400);
    expect(await listed(boss)).toEqual([]);
    const { data } = await boss.trpc.team.audit.query({});
    const lines = data.map(({ action, subject, outcome }) => [action, subject, outcome]);
    expect(lines).toContainEqual(["apps.approve", clientId, "done"]);
    expect(lines).toContainEqual(["apps.revoke", id, "done"]);
  });

  test("a second approval of the same app replaces the first", async () => {
    const clientId = await newClient(service);
    const first = await connectApp(service, owner, { ...choice(), clientId });
    const second = await connectApp(service, owner, { ...choice(), clientId });
    await expect.poll(() => mcpStatus(service, first.tokens.access_token)).toBe(401);
    expect(await mcpStatus(service, second.tokens.access_token)).toBe(200);
  });
});
