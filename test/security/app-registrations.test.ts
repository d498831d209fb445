// Strangers at the authorization server: floods of registrations, and browsers that it must not send to them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pruneClients } from "#server/keys/apps/registrations.ts";
import {
  authorize,
  connectApp,
  newClient,
  newVerifier,
  REDIRECT,
  register,
  startAppService,
} from "#test/keys/apps/rig.ts";
import { adjustableClock, type TestService } from "#test/support/service.ts";
import { newOwner, type Person } from "#test/support/team.ts";

const UNUSED_MAX = 5_000;

const clock = adjustableClock();
let service: TestService;
let person: Person;
let enrollmentKeyId: string;
beforeAll(async () => {
  service = await startAppService({}, { now: clock.now });
  const organization = await service.newOrganization();
  enrollmentKeyId = organization.enrollmentKeyId;
  person = await newOwner(service, organization.organizationId);
});
afterAll(() => service.stop());

/** Clients that others have registered since, as the service stores them. */
async function flood(clients: number, network: string) {
  await service.system.sql`
    insert into oauth_clients (id, client_id, redirect_uris, networks, created_at)
    select gen_random_uuid(), gen_random_uuid(), array['https://flood.example/'], array[${network}::text], ${clock.now()}
    from generate_series(1, ${clients})`;
}
const forget = () =>
  service.system.sql`delete from oauth_clients where redirect_uris = array['https://flood.example/']`;
const countOf = async (from: string) => {
  const rows = await service.system.sql`select 1 from oauth_clients where ${from}::text = any(networks)`;
  return rows.length;
};
const isRegistered = async (clientId: string) => {
  const { location } = await ask(clientId);
  return !location?.searchParams.has("error");
};
const ask = (clientId: string, fields: Record<string, string | undefined> = {}, cookie = "") =>
  authorize(service, { client_id: clientId, code_challenge: newVerifier().challenge, ...fields }, cookie);

describe("registrations of one network", () => {
  test.each([
    ["an IPv4 /24", (nth: number) => `192.0.2.${nth}`, "192.0.2.0/24", 100, "198.51.100.1"],
    [
      "an IPv6 /56",
      (nth: number) => `2001:db8:1:10${(nth % 200).toString(16).padStart(2, "0")}::1`,
      "2001:db8:1:1000::/56",
      50,
      "2001:db8:1:2000::1",
    ],
    [
      "an IPv6 /48",
      (nth: number) => `2001:db8:2:${(nth * 256).toString(16)}::1`,
      "2001:db8:2::/48",
      100,
      "2001:db8:3::1",
    ],
  ])("from %s stop at its limit, exactly, and others go on", async (_, address, network, max, other) => {
    await flood(max - 5, network);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, nth) => register(service, {}, address(nth + 1))));
    expect(answers.filter(({ status }) => status === 201 || status === 200)).toHaveLength(5);
    const refusals = answers.filter(({ status }) => status === 429);
    expect(refusals).toHaveLength(7);
    expect(refusals[0]?.headers.get("retry-after")).toBe("3600");
    expect(await countOf(network)).toBe(max);
    expect((await register(service, {}, other)).status).toBeLessThan(300);
    await forget();
  });
});

test("a flood from everywhere ends the oldest app that waits for nobody, and no other", async () => {
  const approved = await connectApp(service, person, { enrollmentKeyId });
  const [unasked, asked, opened] = [await newClient(service), await newClient(service), await newClient(service)];
  const { challenge } = newVerifier();
  const { location } = await authorize(service, { client_id: asked, code_challenge: challenge }, person.cookie);
  await ask(opened);
  await flood(UNUSED_MAX, "203.0.113.0/24");
  expect((await register(service)).status).toBeLessThan(300);
  const [{ left } = { left: 0 }] = await service.system.sql<
    { left: number }[]
  >`select count(*)::int as left from oauth_clients where approved_at is null`;
  expect(left).toBe(UNUSED_MAX);
  expect(await isRegistered(unasked)).toBe(false);
  expect(await isRegistered(opened)).toBe(true);
  const { url } = await person.trpc.apps.approve.mutate({
    client_id: asked,
    request: location?.search.slice(1) ?? "",
    enrollment_key_id: enrollmentKeyId,
    scopes: ["mailbox:read"],
  });
  expect(new URL(url).searchParams.get("code")).toBeTruthy();
  expect(await isRegistered(approved.clientId)).toBe(true);
  await forget();
});

test("a browser keeps ten apps of its network from a flood, not all that it opened", async () => {
  const clients = [];
  for (let nth = 0; nth < 12; nth += 1) clients.push(await newClient(service));
  const from = (clientId: string) => {
    const query = new URLSearchParams({ client_id: clientId, response_type: "code", redirect_uri: REDIRECT });
    query.set("code_challenge", newVerifier().challenge);
    query.set("code_challenge_method", "S256");
    const headers = { "X-Forwarded-For": "203.0.113.9" };
    return fetch(`${service.url}/auth/oauth2/authorize?${query}`, { redirect: "manual", headers });
  };
  for (const clientId of clients) await from(clientId);
  await flood(UNUSED_MAX, "203.0.113.0/24");
  expect((await register(service)).status).toBeLessThan(300);
  const kept = await Promise.all(clients.map(isRegistered));
  expect(kept.filter(Boolean)).toHaveLength(10);
  await forget();
});

test("an app that no member connected is deleted after an hour, one that a page asks for an hour after that", async () => {
  const approved = await connectApp(service, person, { enrollmentKeyId });
  const [unasked, asked] = [await newClient(service), await newClient(service)];
  clock.advance(59 * 60_000);
  await pruneClients(service.system);
  expect(await isRegistered(asked)).toBe(true);
  clock.advance(2 * 60_000);
  await pruneClients(service.system);
  expect(await isRegistered(unasked)).toBe(false);
  expect(await isRegistered(asked)).toBe(true);
  clock.advance(60 * 60_000);
  await pruneClients(service.system);
  expect(await isRegistered(asked)).toBe(false);
  expect(await isRegistered(approved.clientId)).toBe(true);
});

describe("a browser is not sent to an app that its person never approved", () => {
  const STRANGER = "https://stranger.example/landing";
  const errors: [string, Record<string, string | undefined>][] = [
    ["prompt=none", { prompt: "none" }],
    ["an unknown scope", { scope: "everything" }],
    ["no PKCE", { code_challenge: undefined, code_challenge_method: undefined }],
    ["another response type", { response_type: "token" }],
    ["a request object", { request: "e30." }],
    ["an error in the fragment", { response_type: "token", response_mode: "fragment" }],
  ];
  const sent = async (clientId: string, redirect_uri: string, fields: object, cookie: string) => {
    const { status, location } = await ask(clientId, { redirect_uri, ...fields }, cookie);
    expect(status).toBe(302);
    return location;
  };

  test.each(errors)("%s", async (_, fields) => {
    const clientId = await newClient(service, { redirect_uris: [STRANGER] });
    for (const cookie of ["", person.cookie]) {
      const location = await sent(clientId, STRANGER, fields, cookie);
      expect([location?.origin, location?.pathname]).toEqual([service.url, "/dashboard/connect"]);
      expect(location?.searchParams.get("error")).toBeTruthy();
    }
  });

  test("also when another person did, or without a session", async () => {
    const { clientId } = await connectApp(service, person, { enrollmentKeyId });
    const other = await newOwner(service, (await service.newOrganization()).organizationId);
    const none = { prompt: "none" };
    expect((await sent(clientId, REDIRECT, none, ""))?.origin).toBe(service.url);
    expect((await sent(clientId, REDIRECT, none, other.cookie))?.origin).toBe(service.url);
    const back = await sent(clientId, REDIRECT, none, person.cookie);
    expect(back?.href).toMatch(new RegExp(`^${REDIRECT}\\?error=consent_required`));
  });
});
