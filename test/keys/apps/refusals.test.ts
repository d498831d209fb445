// What apps that connect by sign-in are refused: redirects, missing PKCE, codes used twice, changed requests, registrations.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "#test/support/service.ts";
import { newOwner, type Person } from "#test/support/team.ts";
import {
  approvedCode,
  authorize,
  connectApp,
  mcpStatus,
  newClient,
  newVerifier,
  REDIRECT,
  register,
  requestToken,
  startAppService,
  type Tokens,
} from "./rig.ts";

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

describe("the authorization", () => {
  const asked = (clientId: string, more: Record<string, string | undefined> = {}) =>
    authorize(service, { client_id: clientId, code_challenge: newVerifier().challenge, ...more }, owner.cookie);

  test("a person without a session is sent to sign in, with the request", async () => {
    const { challenge } = newVerifier();
    const clientId = await newClient(service);
    const { location } = await authorize(service, { client_id: clientId, code_challenge: challenge });
    expect(location?.pathname).toBe("/dashboard/connect");
    expect(location?.searchParams.get("client_id")).toBe(clientId);
  });

  test.each([
    "http://127.0.0.1:4999/other",
    "http://evil.example/callback",
    "http://127.0.0.1:4999/callback/../x",
    "http://127.0.0.1:4999@evil.example/callback",
  ])("the redirect %s is never followed", async (redirect_uri) => {
    const { location } = await asked(await newClient(service), { redirect_uri });
    expect(location?.origin).toBe(service.url);
    expect(location?.searchParams.get("error")).toBeTruthy();
  });

  test.each([
    ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }],
    ["PKCE with plain", { code_challenge_method: "plain" }],
    ["an unknown scope", { scope: "mailbox:read domain:manage" }],
    ["another resource", { resource: "https://else.example/mcp" }],
  ])("%s returns to an app that the person approved before", async (_, fields) => {
    const { clientId } = await connectApp(service, owner, choice());
    const { location } = await asked(clientId, fields);
    expect(location?.href).toMatch(new RegExp(`^${REDIRECT}\\?error=`));
    expect(location?.searchParams.get("code")).toBeNull();
    expect(location?.searchParams.get("state")).toBe("state-1");
  });

  test("an unknown app, and a request of enormous length", async () => {
    const { location } = await asked("no-such-client");
    expect(location?.origin).toBe(service.url);
    expect((await asked(await newClient(service), { state: "x".repeat(9_000) })).status).toBe(400);
  });

  test("prompt=none never approves", async () => {
    const clientId = await newClient(service);
    await connectApp(service, owner, { ...choice(), clientId });
    const { location } = await asked(clientId, { prompt: "none" });
    expect(location?.searchParams.get("error")).toBe("consent_required");
  });

  test("a request that was changed, or was signed for another app, is not approved", async () => {
    const clientId = await newClient(service);
    const { location } = await asked(clientId);
    const request = location?.search.slice(1) ?? "";
    const approve = (given: object) =>
      owner.trpc.apps.approve.mutate({
        client_id: clientId,
        request,
        enrollment_key_id: organization.enrollmentKeyId,
        scopes: ["mailbox:read"],
        ...given,
      });
    const before = (await owner.trpc.apps.list.query()).data.length;
    const changed = request.replace(encodeURIComponent(REDIRECT), encodeURIComponent("http://evil.example/"));
    expect(changed).not.toBe(request);
    await expect(approve({ request: changed })).rejects.toThrow("The request of the app is not valid");
    await expect(approve({ request: "" })).rejects.toThrow("The request of the app is not valid");
    await expect(approve({ client_id: await newClient(service) })).rejects.toThrow("another app");
    expect((await owner.trpc.apps.list.query()).data).toHaveLength(before);
  });

  test("a refusal returns to the app with access_denied", async () => {
    const clientId = await newClient(service);
    const { location } = await asked(clientId);
    const { url } = await owner.trpc.apps.refuse.mutate({
      client_id: clientId,
      request: location?.search.slice(1) ?? "",
    });
    expect(url).toMatch(new RegExp(`^${REDIRECT}\\?error=access_denied`));
  });
});

describe("the token", () => {
  const fieldsOf = ({ code, verifier, clientId }: Awaited<ReturnType<typeof approvedCode>>) => ({
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: REDIRECT,
  });

  test("a code works once; a second use ends the tokens of the first", async () => {
    const fields = fieldsOf(await approvedCode(service, owner, choice()));
    const first = (await (await requestToken(service, fields)).json()) as Tokens;
    expect(await mcpStatus(service, first.access_token)).toBe(200);
    expect((await requestToken(service, fields)).status).toBeGreaterThanOrEqual(400);
    await expect.poll(() => mcpStatus(service, first.access_token)).toBe(401);
  });

  test("twenty concurrent uses of a code give at most one set of tokens", async () => {
    const fields = fieldsOf(await approvedCode(service, owner, choice()));
    const answers = await Promise.all(Array.from({ length: 20 }, () => requestToken(service, fields)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test.each([
    ["a wrong verifier", { code_verifier: newVerifier().verifier }],
    ["no verifier", { code_verifier: "" }],
    ["another redirect", { redirect_uri: "http://127.0.0.1:4999/other" }],
    ["another client", { client_id: "someone-else" }],
    ["another grant", { grant_type: "client_credentials" }],
    ["a code that does not exist", { code: "none" }],
  ])("%s", async (_, wrong) => {
    const fields = fieldsOf(await approvedCode(service, owner, choice()));
    const answer = await requestToken(service, { ...fields, ...wrong });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(await answer.text()).not.toContain("access_token");
  });

  test.each(["grant_type", "refresh_token", "client_id"])(
    "%s twice, which the service and the provider would read differently",
    async (name) => {
      const { clientId, tokens } = await connectApp(service, owner, choice());
      const fields = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: clientId };
      const send = (body: string) =>
        fetch(`${service.url}/auth/oauth2/token`, {
          method: "POST",
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
          body,
        });
      const answer = await send(`${name}=x&${new URLSearchParams(fields)}`);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("is repeated")]);
      const resource = `resource=${encodeURIComponent(`${service.url}/mcp`)}`;
      expect((await send(`${new URLSearchParams(fields)}&${resource}&${resource}`)).status).toBe(200);
    },
  );

  test("a code of another registered client", async () => {
    const fields = fieldsOf(await approvedCode(service, owner, choice()));
    const answer = await requestToken(service, { ...fields, client_id: await newClient(service) });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  test("JSON in place of a form", async () => {
    const answer = await fetch(`${service.url}/auth/oauth2/token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
    expect(answer.status).toBe(415);
  });
});

describe("registration", () => {
  test.each([
    ["a script as its redirect", { redirect_uris: ["javascript:alert(1)"] }],
    ["http to another host", { redirect_uris: ["http://else.example/callback"] }],
    ["no redirect", { redirect_uris: [] }],
    ["a wrong type", { redirect_uris: 5 }],
    ["an unknown scope", { scope: "mailbox:read everything" }],
  ])("%s is refused", async (_, metadata) => {
    expect((await register(service, metadata)).status).toBe(400);
  });

  test("an address may register twenty apps, then one a minute", async () => {
    const statuses = [];
    for (let nth = 0; nth < 21; nth += 1) statuses.push((await register(service, {}, "10.2.0.1")).status);
    expect(statuses.slice(0, 20).every((status) => status < 300)).toBe(true);
    expect(statuses[20]).toBe(429);
    expect((await register(service, {}, "10.2.0.2")).status).toBeLessThan(300);
  });

  test("a body above 16 KiB is refused", async () => {
    expect((await register(service, { client_name: "x".repeat(20_000) })).status).toBe(413);
  });
});

describe("400: NUL, which PostgreSQL cannot store", () => {
  const NUL = "a\0b";
  const post = (path: string, json: object) =>
    fetch(service.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: service.url },
      body: JSON.stringify(json),
    });

  test.each(["client_name", "software_id", "software_version", "client_uri", "logo_uri", "policy_uri"])(
    "in a registration: %s",
    async (field) => {
      const value = field.endsWith("uri") ? `https://app.example/${NUL}` : NUL;
      expect((await register(service, { [field]: value })).status).toBe(400);
      expect((await register(service, { client_name: "a\\u0000b" })).status).toBe(201);
    },
  );

  test.each(["revoke", "token"])("in a form: %s", async (endpoint) => {
    const body = new URLSearchParams({ token: NUL, code: NUL, client_id: NUL, grant_type: "authorization_code" });
    expect((await fetch(`${service.url}/auth/oauth2/${endpoint}`, { method: "POST", body })).status).toBe(400);
  });

  test("in the query of an authorization", async () => {
    expect((await authorize(service, { client_id: NUL })).status).toBe(400);
  });

  test("in a token that resets a password", async () => {
    const body = { token: NUL, newPassword: "a long enough password" };
    expect((await post("/auth/reset-password", body)).status).toBe(400);
  });

  test("in the id of an app that a member approves", async () => {
    const wish = { client_id: NUL, request: "x", enrollment_key_id: "ekey_x", scopes: ["mailbox:read" as const] };
    await expect(owner.trpc.apps.approve.mutate(wish)).rejects.toMatchObject({ data: { httpStatus: 400 } });
  });
});
