// Whose address a request counts for (TRUST_PROXY), and from which origin a session may act.
import { afterAll, describe, expect, test } from "vitest";
import { networkOf, readAddressRange } from "#server/base/client-address.ts";
import { readSettings } from "#server/base/env.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { newOwner, PASSWORD, type Person, post } from "#test/support/team.ts";

const direct = await startTestService({ ROLES: "web" });
const proxied = await startTestService(
  { ROLES: "web", TRUST_PROXY: "127.0.0.1, 10.0.0.0/8, fd00::/8" },
  { database: direct.database },
);
afterAll(() => proxied.stop().then(direct.stop));

const owner = await newOwner(direct, (await direct.newOrganization()).organizationId);

/** The client address that the session of a sign-in with these headers is recorded with. */
async function recordedAddress(service: TestService, headers: Record<string, string>): Promise<string> {
  const answer = await post(service, "/auth/sign-in/email", { email: owner.email, password: PASSWORD }, headers);
  expect(answer.status).toBe(200);
  const { token } = (await answer.json()) as { token: string };
  const [row] = await service.system.sql<{ ip_address: string }[]>`
    select ip_address from sessions where token = ${token}`;
  return row?.ip_address ?? "";
}

describe("X-Forwarded-For", () => {
  test("of a caller that is no trusted proxy is ignored", async () => {
    expect(await recordedAddress(direct, { "x-forwarded-for": "203.0.113.7" })).toBe("127.0.0.1");
  });

  test.each([
    ["one address", "203.0.113.7", "203.0.113.7"],
    ["what the client wrote itself stands left of what the proxy saw", "198.51.100.1, 203.0.113.7", "203.0.113.7"],
    ["trusted proxies on the right are passed over", "198.51.100.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
    ["all of them trusted", "10.9.9.9, 10.1.2.3", "10.9.9.9"],
    ["not an address", "203.0.113.7, unknown", "127.0.0.1"],
    ["an address with a port", "203.0.113.7:4711", "203.0.113.7"],
    ["an IPv4-mapped address", "::ffff:203.0.113.7", "203.0.113.7"],
    ["an IPv4-mapped proxy", "203.0.113.7, ::ffff:10.0.0.1", "203.0.113.7"],
    ["more hops than there are", `203.0.113.7${", 10.0.0.1".repeat(2_000)}`, "10.0.0.1"],
  ])("of a trusted proxy: %s", async (_, header, expected) => {
    expect(await recordedAddress(proxied, { "x-forwarded-for": header })).toBe(expected);
  });
});

describe("what a limit counts by", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:bbbb:cccc:dddd:eeee", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ])("%s counts as %s", (address, expected) => {
    expect(networkOf(address)).toBe(expected);
  });
});

describe("TRUST_PROXY", () => {
  test.each(["example.com", "10.0.0.0/33", "10.0.0.0/8/8", "1", "::1/129", "*"])("refuses %s by name", (text) => {
    expect(readAddressRange(text)).toBeUndefined();
    expect(() => readSettings({ TRUST_PROXY: `127.0.0.1,${text}` })).toThrow("TRUST_PROXY");
  });
});

describe("the origin of a page that acts with a session", () => {
  const own = (service: TestService, scheme: string, port = new URL(service.url).port) =>
    `${scheme}://127.0.0.1:${port}`;

  async function statuses(service: TestService, person: Person, headers: Record<string, string>): Promise<number[]> {
    const given = { cookie: person.cookie, ...headers };
    const change = { currentPassword: "not the password", newPassword: "another long password" };
    const answers = [
      await post(service, "/trpc/organization.update", {}, given),
      await fetch(`${service.url}/trpc/team.me`, { headers: given }),
      await post(service, "/auth/change-password", change, given),
    ];
    return answers.map(({ status }) => status);
  }
  const REFUSED = [403, 403, 403];
  // Refused for what they ask, not for where they come from.
  const ACCEPTED = [400, 200, 400];

  test("has another scheme or port: refused", async () => {
    expect(await statuses(direct, owner, { Origin: own(direct, "https") })).toEqual(REFUSED);
    expect(await statuses(direct, owner, { Origin: own(direct, "http", "1") })).toEqual(REFUSED);
    expect(await statuses(direct, owner, { Origin: "https://mailberth.example" })).toEqual(REFUSED);
    expect(await statuses(direct, owner, { Origin: "http://mailberth.example:8080" })).toEqual(REFUSED);
  });

  test("is this one, or that of PUBLIC_URL: accepted", async () => {
    expect(await statuses(direct, owner, { Origin: own(direct, "http") })).toEqual(ACCEPTED);
    expect(await statuses(direct, owner, { Origin: "http://mailberth.example" })).toEqual(ACCEPTED);
  });

  test("has the scheme that a trusted proxy names, and only a trusted one", async () => {
    const secure = { "X-Forwarded-Proto": "https" };
    expect(await statuses(proxied, owner, { ...secure, Origin: own(proxied, "https") })).toEqual(ACCEPTED);
    expect(await statuses(proxied, owner, { ...secure, Origin: own(proxied, "http") })).toEqual(REFUSED);
    expect(await statuses(direct, owner, { ...secure, Origin: own(direct, "https") })).toEqual(REFUSED);
  });
});
