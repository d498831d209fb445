// The organization's own page: what members read of it and of the service, and what an owner changes.
import { afterAll, describe, expect, test } from "vitest";
import { revokeEnrollmentKey } from "#server/keys/revoke.ts";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const service = await startTestService({ SERVICE_NAME: "Harbor", SEND_CAP_RAMP: "5,10" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

async function team(grant: Parameters<typeof service.newOrganization>[0] = {}) {
  const organization = await service.newOrganization(grant);
  const owner = await newOwner(service, organization.organizationId);
  return { ...organization, owner };
}

const refused = (code: string) => ({ data: { error: { code } } });

describe("organization.get", () => {
  test("tells a member of the organization and of the service", async () => {
    const { owner, organizationId } = await team();
    const member = await newMember(service, owner, "member");
    expect(await member.trpc.organization.get.query()).toEqual({
      id: organizationId,
      name: (await member.trpc.team.me.query()).organization.name,
      owner_emails: [],
      notice_addresses: [],
      paid_provisioning: false,
      require_company_sign_in: false,
      require_second_factor: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      domains: { in_use: [], allowed: ["mail.example"] },
      service: {
        service_name: "Harbor",
        default_domain: "mail.example",
        public_url: "http://mailberth.example",
        smtp_host: "127.0.0.1",
        smtp_port: 0,
        submission: null,
        outbound: "local",
        webhook_targets: "any",
        send_cap_ramp: [5, 10],
        payments: { enabled: false, network: "eip155:84532", price_per_mailbox: "100000" },
      },
    });
  });

  test("names the domains of live mailboxes and of keys that are good", async () => {
    const allowedDomains = ["b.example", "a.example", "*.c.example"];
    const { owner, agentKey: key, enrollmentKeyId, organizationId } = await team({ allowedDomains });
    await client.createInbox(key, { domain: "b.example" });
    await client.createInbox(key, { domain: "deep.c.example" });
    const gone = await client.createInbox(key, { domain: "a.example" });
    await client.delete(`/v1/inboxes/${gone.id}`, { key });
    await service.newEnrollment(organizationId, { allowedDomains: ["b.example", "d.example"] });
    const domains = async () => (await owner.trpc.organization.get.query()).domains;
    const in_use = ["b.example", "deep.c.example"];
    expect(await domains()).toEqual({ in_use, allowed: ["*.c.example", "a.example", "b.example", "d.example"] });
    await revokeEnrollmentKey(service.system, enrollmentKeyId);
    expect(await domains()).toEqual({ in_use, allowed: ["b.example", "d.example"] });
  });

  test("tells nothing of another organization", async () => {
    const [here, elsewhere] = [await team(), await team({ allowedDomains: ["foreign.example"] })];
    await client.createInbox(elsewhere.agentKey, { domain: "foreign.example" });
    const { id, domains } = await here.owner.trpc.organization.get.query();
    expect([id, JSON.stringify(domains)]).toEqual([here.organizationId, expect.not.stringContaining("foreign")]);
  });
});

describe("organization.update", () => {
  test("changes each alone, and what it answers is what is read", async () => {
    const { owner } = await team();
    const name = `Renamed ${owner.email}`;
    const renamed = await owner.trpc.organization.update.mutate({ name: ` ${name} ` });
    expect(renamed).toMatchObject({ name, owner_emails: [] });
    const owner_emails = ["a@ops.example", "a@ops.example", " b@ops.example"];
    const told = await owner.trpc.organization.update.mutate({ owner_emails });
    expect(told).toMatchObject({ name, owner_emails: ["a@ops.example", "b@ops.example"] });
    expect(await owner.trpc.organization.get.query()).toMatchObject(told);
    expect((await owner.trpc.team.me.query()).organization.name).toBe(name);
    expect((await owner.trpc.organization.update.mutate({ owner_emails: [] })).owner_emails).toEqual([]);
  });

  test("takes the name it has already", async () => {
    const { owner } = await team();
    const { name } = await owner.trpc.organization.get.query();
    expect((await owner.trpc.organization.update.mutate({ name })).name).toBe(name);
  });

  test("takes a name that another organization has: a refusal would tell that there is one", async () => {
    const [here, elsewhere] = [await team(), await team()];
    const { name } = await elsewhere.owner.trpc.organization.get.query();
    expect((await here.owner.trpc.organization.update.mutate({ name })).name).toBe(name);
  });

  test.each([
    ["name", { name: "  " }],
    ["name", { name: "two\nlines" }],
    ["name", { name: "x".repeat(101) }],
    ["owner_emails", { owner_emails: ["nobody"] }],
    ["owner_emails", { owner_emails: ["a@b@c"] }],
    ["owner_emails", { owner_emails: Array.from({ length: 21 }, (_, n) => `a${n}@ops.example`) }],
    ["", {}],
  ])("refuses what is wrong with %j: %j", async (path, change) => {
    const { owner } = await team();
    const before = await owner.trpc.organization.get.query();
    await expect(owner.trpc.organization.update.mutate(change)).rejects.toMatchObject({
      data: { error: { code: "invalid_request", issues: [{ path }] } },
    });
    expect(await owner.trpc.organization.get.query()).toEqual(before);
  });

  test.each(["admin", "member"] as const)("is not for the role %s", async (role) => {
    const { owner } = await team();
    const { trpc } = await newMember(service, owner, role);
    await expect(trpc.organization.update.mutate({ name: "Mine" })).rejects.toMatchObject(refused("insufficient_role"));
  });

  test("says nothing of payments: those are the operator's", async () => {
    const { owner } = await team();
    const change = { name: `Paid ${owner.email}`, paid_provisioning: true };
    await expect(owner.trpc.organization.update.mutate(change)).rejects.toThrow("paid_provisioning: unknown field");
    expect((await owner.trpc.organization.get.query()).paid_provisioning).toBe(false);
  });
});
