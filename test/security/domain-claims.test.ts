// Claims of domains: what is refused to members and operators, how long a grant lasts, and what its end stops.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { grantDomain, revokeDomain } from "#server/domains/operator/grant.ts";
import { listGrants } from "#server/grants/domain-grants.ts";
import { revokeEnrollmentKey } from "#server/keys/revoke.ts";
import { findOrganization } from "#server/organizations/organizations.ts";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { PRELOAD } from "#test/support/process.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DAY_MS = 86_400_000;
/** Each command is a separate process. */
const clock = adjustableClock();
const service = await startTestService({ DEFAULT_DOMAIN: "mail.service.example" }, { now: clock.now });
const { system } = service;
const client = api(service);
afterAll(() => client.close().then(service.stop));

let made = 0;
function newDomain(): string {
  made += 1;
  return `d${made}.example`;
}

async function team() {
  const organization = await service.newOrganization();
  const { trpc } = await newOwner(service, organization.organizationId);
  const issue = (domain: string) =>
    trpc.keys.issue.mutate({ name: "x", max_mailboxes: 1_000, allowed_domains: [domain] });
  return { ...organization, trpc, issue };
}

const grant = async (organization: string, domain: string) =>
  grantDomain(system, await findOrganization(system, organization), { domain });
const issueByOperator = (organization: string, domain: string, expiresAt?: Date) =>
  service.newEnrollment(organization, { allowedDomains: [domain], ...(expiresAt && { expiresAt }) });
const createAt = async (key: string, domain: string) => (await client.post("/v1/inboxes", { domain }, { key })).status;
const HELD = /is granted to .* with everything below it/;
const refusedField = { data: { error: { code: "domain_not_verified", issues: [{ path: "allowed_domains.0" }] } } };

function admin(...args: string[]) {
  const { PATH = "", HOME = "" } = process.env;
  const { DATA_DIR, DEFAULT_DOMAIN } = service.settings;
  const env = { NODE_ENV: "test" as const, PATH, HOME, DATA_DIR, DEFAULT_DOMAIN, DATABASE_URL: service.database.url };
  const child = spawn(process.execPath, [...PRELOAD, "server/admin.ts", ...args, "--json"], { cwd: ROOT, env });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
  });
}

describe("no organization is granted", async () => {
  const { organizationId, issue } = await team();
  test.each([
    "com",
    "co.uk",
    "github.io",
    "xn--55qx5d.cn",
    "example",
    "localhost",
    "mail.localhost",
    "a.invalid",
    "printer.local",
    "a.onion",
    "1a.in-addr.arpa",
    "x.mail.service.example",
    "SERVICE.example",
  ])("%s", async (domain) => {
    const why = /public suffix|reserved|DEFAULT_DOMAIN/;
    await expect(grant(organizationId, domain)).rejects.toThrow(why);
    for (const allowed of [domain, `*.${domain}`]) {
      await expect(issue(allowed)).rejects.toMatchObject(refusedField);
      await expect(issueByOperator(organizationId, allowed)).rejects.toThrow(why);
    }
    expect((await listGrants(system)).map(({ org_id }) => org_id)).not.toContain(organizationId);
  });

  test("DEFAULT_DOMAIN, which every organization may use, or what is below it", async () => {
    await expect(grant(organizationId, "mail.service.example")).rejects.toThrow(/DEFAULT_DOMAIN/);
    await expect(issue("*.mail.service.example")).rejects.toMatchObject(refusedField);
    const { agent_key } = await service.enroll((await issue("mail.service.example")).key);
    expect(await createAt(agent_key, "mail.service.example")).toBe(201);
  });
});

describe("a grant of one organization", () => {
  test("refuses the same domain and its children to every other, but not its parents", async () => {
    const [acme, other] = [await team(), await team()];
    const parent = newDomain();
    const domain = `mail.${parent}`;
    await grant(acme.organizationId, domain);
    const refuseAll = async (names: string[]) => {
      for (const name of names) {
        await expect(issueByOperator(other.organizationId, name), name).rejects.toThrow(HELD);
        await expect(other.issue(name), name).rejects.toMatchObject(refusedField);
      }
    };
    await refuseAll([domain, `*.${domain}`, `a.b.${domain}`]);
    await expect(grant(other.organizationId, domain)).rejects.toThrow(`domains revoke ${domain}`);
    await grant(other.organizationId, parent);
    await refuseAll([domain, `*.${domain}`, `a.b.${domain}`]);
    await expect(grant(acme.organizationId, `web.${parent}`)).rejects.toThrow(`domains revoke ${parent}`);
    await grant(acme.organizationId, `a.${domain}`);
    await other.issue(`*.web.${parent}`);
    // A name with the same end is another domain.
    await grant(other.organizationId, `x${parent}`);
  });

  test("lets its members issue keys for the domain and what is below it", async () => {
    const { organizationId, issue, trpc } = await team();
    const domain = newDomain();
    await expect(issue(domain)).rejects.toMatchObject(refusedField);
    await grant(organizationId, domain.toUpperCase());
    expect((await trpc.keys.defaults.query()).domains).toEqual(["mail.service.example", domain]);
    for (const allowed of [domain, `*.${domain}`, `a.${domain}`, `*.b.${domain}`]) {
      expect((await issue(allowed)).allowed_domains).toEqual([allowed]);
    }
  });

  test("is not made by a member's key", async () => {
    const [acme, other] = [await team(), await team()];
    const domain = newDomain();
    await grant(acme.organizationId, domain);
    await acme.issue(domain);
    await revokeDomain(system, domain);
    expect(await grant(other.organizationId, domain)).toMatchObject({ domain });
  });
});

describe("a key that operators issued", () => {
  test("claims its domains until it is revoked", async () => {
    const [squatter, rightful] = [await team(), await team()];
    const domain = newDomain();
    const { enrollmentKeyId } = await issueByOperator(squatter.organizationId, `*.${domain}`);
    await expect(grant(rightful.organizationId, domain)).rejects.toThrow(HELD);
    await revokeEnrollmentKey(system, enrollmentKeyId);
    await grant(rightful.organizationId, domain);
    await rightful.issue(domain);
  });

  test("claims its domains until it expires", async () => {
    const [squatter, rightful] = [await team(), await team()];
    const domain = newDomain();
    await issueByOperator(squatter.organizationId, domain, new Date(clock.now().getTime() + DAY_MS));
    await expect(grant(rightful.organizationId, domain)).rejects.toThrow(HELD);
    clock.advance(DAY_MS + 1_000);
    await grant(rightful.organizationId, domain);
    clock.set(new Date());
  });
});

describe("the end of a grant", () => {
  test("stops creates of keys that allow the domain, within a second; mailboxes stay", async () => {
    const { organizationId, trpc, issue } = await team();
    const domain = newDomain();
    await grant(organizationId, domain);
    const { key, id } = await issue(domain);
    const { agent_key } = await service.enroll(key);
    const { address } = await client.createInbox(agent_key, { domain });
    await revokeDomain(system, domain);
    await eventually(async () => expect(await createAt(agent_key, domain)).toBe(403));
    await eventually(async () => {
      const me = await client.get<{ allowed_domains: string[] }>("/v1/auth/me", { key: agent_key });
      expect(me.body.allowed_domains).toEqual([]);
    });
    const byMember = trpc.inboxes.createWith.mutate({ enrollment_key_id: id, domain });
    await expect(byMember).rejects.toMatchObject({ data: { error: { code: "domain_not_allowed" } } });
    expect((await client.get(`/v1/inboxes/${address}`, { key: agent_key })).status).toBe(200);
    await grant(organizationId, domain);
    await eventually(async () => expect(await createAt(agent_key, domain)).toBe(201));
  });

  test("by a key's revocation stops other keys of the organization too", async () => {
    const { organizationId, issue } = await team();
    const domain = newDomain();
    const { enrollmentKeyId } = await issueByOperator(organizationId, domain);
    const { agent_key } = await service.enroll((await issue(domain)).key);
    expect(await createAt(agent_key, domain)).toBe(201);
    await revokeEnrollmentKey(system, enrollmentKeyId);
    await eventually(async () => expect(await createAt(agent_key, domain)).toBe(403));
  });
});

describe("the operators' command", () => {
  test("grants, lists and revokes; of two grants of one domain at the same time, one succeeds", async () => {
    const [a, b] = [await service.newOrganization(), await service.newOrganization()];
    const domain = newDomain();
    const outcomes = await Promise.all([
      admin("domains", "grant", "--organization", a.organizationId, domain),
      admin("domains", "grant", "--organization", b.organizationId, domain),
    ]);
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(outcomes.find(({ code }) => code === 1)?.stderr).toMatch(/is granted to .*domains revoke/s);
    const granted = JSON.parse(outcomes.find(({ code }) => code === 0)?.stdout ?? "") as { domain: string };
    const listed = await admin("domains", "list");
    expect(JSON.parse(listed.stdout).data).toContainEqual(
      expect.objectContaining({ domain: granted.domain, enrollment_key: null, problem: null }),
    );
    const revoked = await admin("domains", "revoke", granted.domain);
    expect(JSON.parse(revoked.stdout)).toEqual({
      domain: granted.domain,
      revoked_from: [expect.any(String)],
      deleted_claim: expect.stringMatching(/^dom_/),
    });
    await expect(revokeDomain(system, granted.domain)).rejects.toThrow(/granted to no organization/);
  });

  test("of many claims of one domain at the same time, one succeeds", async () => {
    const domain = newDomain();
    const names = [domain, `*.${domain}`, `*.${domain}`, domain, domain];
    const claims = names.map(async (name, i) => {
      const { organizationId } = await service.newOrganization();
      return i % 2 ? issueByOperator(organizationId, name) : grant(organizationId, name.replace("*.", ""));
    });
    const settled = await Promise.allSettled(claims);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});
