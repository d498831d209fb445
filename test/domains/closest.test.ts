// The closest grant above a name decides who holds it: the owner of a parent gets everything but what another organization holds below it.
import { afterAll, describe, expect, test } from "vitest";
import { grantDomain, revokeDomain } from "#server/domains/operator/grant.ts";
import { recheckDomains } from "#server/domains/recheck.ts";
import { findOrganization, setOwners } from "#server/organizations/organizations.ts";
import { transmitQueued } from "#server/sending/transmit.ts";
import { type Failure, type Inbox, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { handOver } from "#test/support/smtp-clients.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner } from "#test/support/team.ts";
import { type Domain, loadZoneFile, startDomains } from "./rig.ts";

const HOUR_MS = 3_600_000;
const ROUNDS = 10;

const sink = await startSmtpSink();
const rig = await startDomains({ ROLES: "web,smtp", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
const { service, client, clock, zone, path, claim, verify, zoneFile, own } = rig;
const { system } = service;
afterAll(async () => {
  await rig.stop();
  await sink.close();
});

const taken = { status: 409, body: { error: { code: "domain_taken" } } };
const notAllowed = { status: 403, body: { error: { code: "domain_not_allowed" } } };
const notReady = { status: 409, body: { error: { code: "domain_not_ready" } } };

/** An organization with an owner who gets its notices, and with keys of a member for domains. */
async function team() {
  const organization = await service.newOrganization();
  const owner = await newOwner(service, organization.organizationId);
  await setOwners(system, organization.organizationId, [owner.email]);
  const issue = (...allowed_domains: string[]) =>
    owner.trpc.keys.issue.mutate({ name: "x", max_mailboxes: 1_000, allowed_domains });
  const enroll = async (...domains: string[]) => (await service.enroll((await issue(...domains)).key)).agent_key;
  return { ...organization, key: organization.agentKey, owner, issue, enroll };
}

const create = (key: string, domain: string) => client.post<Inbox & Failure>("/v1/inboxes", { domain }, { key });
const wanted = (key: string, domain: string) => client.post<Domain & Failure>("/v1/domains", { domain }, { key });
const mailTo = (address: string) => handOver(service.smtpPort, "127.0.0.1", address);
const send = (key: string, address: string, subject = "Hello") =>
  client.post<Failure>(inboxPath(address, "/send"), { to: "you@far.example", subject, text: "Hello" }, { key });
const statusOf = async (key: string, domain: string) => (await client.get<Domain>(path(domain), { key })).body.status;

async function addressAt(key: string, domain: string): Promise<string> {
  const { status, body, text } = await create(key, domain);
  if (status !== 201) throw new Error(`a mailbox at ${domain}: ${status} ${text}`);
  return body.address;
}

/** The ownership record is gone for more than 72 hours. */
async function lose(key: string, domain: string): Promise<void> {
  delete zone[`_mailberth.${domain}`];
  for (let hours = 0; hours < 96; hours += 8) {
    clock.advance(8 * HOUR_MS);
    while ((await recheckDomains(system)) > 0);
  }
  expect(await statusOf(key, domain)).toBe("lost");
}

/** A tenant who verified `shop.<parent>`, with a mailbox there, and the owner of the parent, who verified it afterwards. */
async function tenantAndOwner(parent: string) {
  const [tenant, owner] = [await team(), await team()];
  const child = `shop.${parent}`;
  await own(tenant.key, child);
  const tenantKey = await tenant.enroll(child, `*.${child}`);
  const address = await addressAt(tenantKey, child);
  await own(owner.key, parent);
  const ownerKey = await owner.enroll(parent, `*.${parent}`);
  return { tenant, owner, child, tenantKey, ownerKey, address };
}

describe("the owner of a parent verifies it although another organization holds a domain below it", async () => {
  const both = await tenantAndOwner("parent.example");
  const { tenant, owner, child, tenantKey, ownerKey, address } = both;

  test("and both hold what is theirs", async () => {
    expect(await statusOf(owner.key, "parent.example")).toBe("verified");
    expect(await statusOf(tenant.key, child)).toBe("verified");
    expect(await mailTo(address)).toMatch(/^250 /);
    expect((await send(tenantKey, address)).status).toBe(202);
    for (const domain of [child, `deep.below.${child}`]) expect((await create(tenantKey, domain)).status).toBe(201);
    for (const domain of ["parent.example", "other.parent.example"]) {
      expect((await create(ownerKey, domain)).status).toBe(201);
    }
  });

  test.each([child, `below.${child}`])("and creates no mailboxes at %s", async (domain) => {
    expect(await create(ownerKey, domain)).toMatchObject(notAllowed);
    const refused = { data: { error: { code: "domain_not_verified", issues: [{ path: "allowed_domains.0" }] } } };
    await expect(owner.issue(domain)).rejects.toMatchObject(refused);
    expect(await wanted(owner.key, domain)).toMatchObject(taken);
  });

  test("and the other organization gets no more names below the parent, except below its own", async () => {
    for (const domain of ["parent.example", "new.parent.example"]) {
      expect(await wanted(tenant.key, domain)).toMatchObject(taken);
    }
    expect((await own(tenant.key, `more.${child}`)).status).toBe("verified");
  });

  test("and mail to postmaster goes to the closest holder", async () => {
    const told = async ({ owner: { email } }: typeof tenant) =>
      (
        await system.sql<
          { text: string }[]
        >`select text from notices where to_address = ${email} and topic = 'postmaster'`
      )
        .map(({ text }) => text)
        .join();
    expect(await mailTo(`postmaster@below.${child}`)).toMatch(/^250 /);
    expect(await mailTo("postmaster@other.parent.example")).toMatch(/^250 /);
    await eventually(async () => expect(await told(tenant)).toContain("at below[.]shop[.]parent[.]example"));
    await eventually(async () => expect(await told(owner)).toContain("at other[.]parent[.]example"));
    expect(await told(owner)).not.toContain("shop");
  });
});

test("a grant of the operator below the parent is held too, and its mail is never signed by the parent's key", async () => {
  const [tenant, owner] = [await team(), await team()];
  const organization = await findOrganization(system, tenant.organizationId);
  await grantDomain(system, organization, { domain: "shop.signer.example" });
  const key = await tenant.enroll("shop.signer.example");
  const address = await addressAt(key, "shop.signer.example");
  await own(owner.key, "signer.example");
  const ownerKey = await owner.enroll("signer.example");
  const signed = await addressAt(ownerKey, "signer.example");
  for (const [by, from, subject] of [
    [key, address, "From the tenant"],
    [ownerKey, signed, "From the owner"],
  ] as const) {
    expect((await send(by, from, subject)).status).toBe(202);
  }
  await transmitQueued(system);
  const mailOf = (subject: string) => sink.received.find(({ raw }) => raw.toString().includes(subject))?.raw.toString();
  expect(mailOf("From the owner")).toContain("d=signer.example");
  expect(mailOf("From the tenant")).toContain("shop.signer.example");
  expect(mailOf("From the tenant")).not.toContain("DKIM-Signature");
});

describe("a domain below the parent that its holder lost", () => {
  test("keeps its mailboxes, which send nothing, and is reserved while they exist", async () => {
    const { tenant, child, tenantKey, ownerKey, address } = await tenantAndOwner("reserved.example");
    await lose(tenant.key, child);
    expect(await mailTo(address)).toMatch(/^250 /);
    expect(await send(tenantKey, address)).toMatchObject(notReady);
    expect(await create(tenantKey, child)).toMatchObject(notAllowed);
    expect(await create(ownerKey, child)).toMatchObject(notAllowed);
    expect((await create(ownerKey, "other.reserved.example")).status).toBe(201);
    expect((await client.delete(inboxPath(address), { key: tenantKey })).status).toBe(200);
    const next = await addressAt(ownerKey, child);
    expect(await mailTo(next)).toMatch(/^250 /);
    expect(await mailTo(address)).toMatch(/^550 /);
  });

  test("does not come back by its record, and the email to its owners says so", async () => {
    const { tenant, child } = await tenantAndOwner("back.example");
    const record = zone[`_mailberth.${child}`] ?? {};
    await lose(tenant.key, child);
    zone[`_mailberth.${child}`] = record;
    expect(await verify(tenant.key, child)).toMatchObject(taken);
    const [email] = await system.sql<{ text: string }[]>`
      select text from notices where to_address = ${tenant.owner.email} and topic = 'domain_lost'`;
    expect(email?.text).toContain("Another organization holds a domain above it");
    expect(email?.text).toContain("ask the operator");
    expect(email?.text).not.toContain("add this TXT record");
  });

  test("goes to the parent's owner by verifying the domain itself, which deletes the mailboxes", async () => {
    const { tenant, owner, child, ownerKey, address } = await tenantAndOwner("proven.example");
    await lose(tenant.key, child);
    await own(owner.key, child);
    expect(await mailTo(address)).toMatch(/^550 /);
    expect((await create(ownerKey, child)).status).toBe(201);
  });
});

test("the operator ends a tenant's domain, and gives it to the parent's owner", async () => {
  const { owner, child, tenantKey, ownerKey, address } = await tenantAndOwner("settled.example");
  await revokeDomain(system, child);
  expect(await mailTo(address)).toMatch(/^250 /);
  expect(await send(tenantKey, address)).toMatchObject(notReady);
  expect(await create(ownerKey, child)).toMatchObject(notAllowed);
  const organization = await findOrganization(system, owner.organizationId);
  await expect(grantDomain(system, organization, { domain: child })).rejects.toThrow("--delete-mailboxes");
  expect(await grantDomain(system, organization, { domain: child, deleteMailboxes: true })).toMatchObject({
    deleted_mailboxes: 1,
  });
  expect(await mailTo(address)).toMatch(/^550 /);
  expect((await create(ownerKey, child)).status).toBe(201);
});

test.each(["lost", "revoked"])(
  "a mailbox sends nothing when its domain was %s and another organization holds a closer one",
  async (how) => {
    const domain = `${how}.example`;
    const [outer, middle] = [await team(), await team()];
    await own(outer.key, `a.b.${domain}`);
    const key = await outer.enroll(`a.b.${domain}`);
    const address = await addressAt(key, `a.b.${domain}`);
    await own(middle.key, `b.${domain}`);
    await own(outer.key, domain);
    expect((await send(key, address)).status).toBe(202);
    if (how === "lost") await lose(outer.key, `a.b.${domain}`);
    else await revokeDomain(system, `a.b.${domain}`);
    expect(await statusOf(outer.key, domain)).toBe("verified");
    expect(await send(key, address)).toMatchObject(notReady);
    expect(await create(key, `a.b.${domain}`)).toMatchObject(notAllowed);
  },
);

test("of a parent and a child that two organizations verify at the same time, the child never follows the parent", async () => {
  const [a, b] = [await service.newOrganization(), await service.newOrganization()];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [parent, child] = [`round${round}.example`, `shop.round${round}.example`];
    for (const [key, name] of [[a.agentKey, parent] as const, [b.agentKey, child] as const]) {
      await claim(key, name);
      loadZoneFile(zone, await zoneFile(key, name));
    }
    clock.advance(11_000);
    const [ofParent, ofChild] = await Promise.all([
      client.post<Domain>(path(parent, "/verify"), undefined, { key: a.agentKey }),
      client.post<Domain>(path(child, "/verify"), undefined, { key: b.agentKey }),
    ]);
    expect(ofParent.body.status).toBe("verified");
    const grants = await system.sql<{ domain: string }[]>`
      select domain from domain_grants where domain = any(${[parent, child]}) order by id`;
    expect(grants.map(({ domain }) => domain)).toEqual(ofChild.status === 200 ? [child, parent] : [parent]);
    if (ofChild.status !== 200) expect(ofChild).toMatchObject(taken);
  }
});
