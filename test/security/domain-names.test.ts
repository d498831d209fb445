// Names that are no valid internationalized domains are refused wherever a domain enters.
import { afterAll, describe, expect, test } from "vitest";
import { grantDomain } from "#server/domains/operator/grant.ts";
import { findOrganization } from "#server/organizations/organizations.ts";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));
const organization = await service.newOrganization();
const { trpc } = await newOwner(service, organization.organizationId);
const key = organization.agentKey;
const { body: inbox } = await client.post<{ address: string }>("/v1/inboxes", {}, { key });

const INVALID = ["xn--a.example", "mail.xn--0.example", "xn--abc-.example", "xn--ab---epa.example", "xn--dca.example"];
const VALID = "xn--bcher-kva.example";

const ways: [string, (domain: string) => Promise<{ status: number; body: { error: { code: string } } }>][] = [
  ["a claim", (domain) => client.post("/v1/domains", { domain }, { key })],
  ["a mailbox", (domain) => client.post("/v1/inboxes", { domain }, { key })],
  [
    "a recipient",
    (domain) =>
      client.post(`/v1/inboxes/${inbox.address}/send`, { to: [`a@${domain}`], subject: "x", text: "x" }, { key }),
  ],
  ["a list", (domain) => client.post("/v1/lists/send/block", { entry: domain }, { key })],
  ["a suppression", (domain) => client.post("/v1/suppressions", { address: `a@${domain}` }, { key })],
];

describe.each(ways)("%s", (_, send) => {
  test.each(INVALID)("of %s is refused", async (domain) => {
    const { status, body } = await send(domain);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(404);
    expect(body.error.code).toBe("invalid_request");
  });

  test("of a valid one is not refused for its name", async () => {
    const { body } = await send(VALID);
    expect(body.error?.code).not.toBe("invalid_request");
  });
});

test.each(INVALID)("%s is no allowed domain of a key, and is not granted", async (domain) => {
  const issued = trpc.keys.issue.mutate({ name: "x", max_mailboxes: 1, allowed_domains: [domain] });
  await expect(issued).rejects.toMatchObject({ data: { error: { code: "invalid_request" } } });
  const found = await findOrganization(service.system, organization.organizationId);
  await expect(grantDomain(service.system, found, { domain })).rejects.toThrow("is not a domain name");
});
