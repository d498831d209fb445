// Account takeover through hosted mailboxes: an address has either a mailbox here or an account, never both.
import { afterAll, describe, expect, test } from "vitest";
import { users } from "#db/schema/team.ts";
import { decodeId, newId } from "#server/base/ids.ts";
import { grantDomain } from "#server/domains/operator/grant.ts";
import { ADDRESS_LOCK, lockAddresses } from "#server/grants/hosted.ts";
import { newOwnerToken } from "#server/organizations/links.ts";
import { findOrganization } from "#server/organizations/organizations.ts";
import { startPaying } from "#test/payments/rig.ts";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { newOwner, PASSWORD, post } from "#test/support/team.ts";

const mailing = await startTestService({ ROLES: "web", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: "smtp://127.0.0.1:9" });
const local = await startTestService({ ROLES: "web" });
const client = api(mailing);
const { sql, db } = mailing.system;
afterAll(async () => {
  await client.close();
  await Promise.all([mailing.stop(), local.stop()]);
});

let made = 0;
function newDomain(): string {
  made += 1;
  return `d${made}.example`;
}

const ownerToken = (service: TestService, organizationId: string) =>
  newOwnerToken(service.system, decodeId("org", organizationId) ?? "");
const join = (service: TestService, token: string, email?: string) =>
  post(service, "/trpc/team.join", { token, name: "Somebody", password: PASSWORD, ...(email && { email }) });
const codeOf = async (answer: Response) =>
  ((await answer.json()) as { error: { data: { error: { code: string } } } }).error.data.error.code;

/** A person with an account, by an owner's link of an organization of their own. */
async function newPerson(service: TestService, email: string) {
  const { organizationId } = await service.newOrganization();
  expect((await join(service, await ownerToken(service, organizationId), email)).status).toBe(200);
}

/** An attacker's organization with an agent that may create mailboxes at the domain. */
async function attackerAt(domain: string) {
  const { agentKey: key } = await mailing.newOrganization({ allowedDomains: [domain] });
  const create = (username: string) => client.post("/v1/inboxes", { username, domain }, { key });
  return { key, create };
}

describe("a mailbox is not created", () => {
  test("at the address of an account, in any case and with any tag", async () => {
    const domain = newDomain();
    await newPerson(mailing, `victim@${domain}`);
    await newPerson(mailing, `Tagged+news+x@${domain}`);
    const { create } = await attackerAt(domain);
    for (const username of ["victim", "VICTIM", "tagged"]) {
      const { status, body } = await create(username);
      expect([username, status, body.error.code]).toEqual([username, 409, "address_taken"]);
    }
    expect((await create("somebody-else")).status).toBe(201);
  });

  test("at the address of an open invitation, until that ends", async () => {
    const { trpc } = await newOwner(mailing, (await mailing.newOrganization()).organizationId);
    const domain = newDomain();
    const email = `invited+x@${domain}`;
    await trpc.team.invite.mutate({ email, role: "member" });
    const { create } = await attackerAt(domain);
    expect((await create("invited")).body.error.code).toBe("address_taken");
    await trpc.team.cancelInvitation.mutate({ email });
    expect((await create("invited")).status).toBe(201);
  });

  test("by paying for it: nothing is asked", async () => {
    const paying = await startPaying();
    const domain = newDomain();
    await newPerson(paying.service, `victim@${domain}`);
    const { key } = await paying.newOrganization({ allowedDomains: [domain] });
    for (const signed of [undefined, await paying.sign()]) {
      const { status, body } = await paying.create(key, { username: "victim", domain }, signed);
      expect([status, body.error.code]).toEqual([409, "address_taken"]);
    }
    expect(await paying.rows()).toEqual([]);
    await paying.stop();
  });
});

describe("an account is not made", () => {
  test("at an address that this service hosts, by an owner's link or an invitation", async () => {
    const [granted, used] = [newDomain(), newDomain()];
    const { organizationId } = await mailing.newOrganization();
    const { trpc } = await newOwner(mailing, organizationId);
    await grantDomain(mailing.system, await findOrganization(mailing.system, organizationId), { domain: granted });
    const { create } = await attackerAt(used);
    expect((await create("somebody")).status).toBe(201);
    const token = await ownerToken(mailing, organizationId);
    for (const domain of ["mail.example", granted, `below.${granted}`, used, used.toUpperCase()]) {
      const email = `anybody@${domain}`;
      const answer = await join(mailing, token, email);
      expect([domain, answer.status, await codeOf(answer)]).toEqual([domain, 409, "hosted_address"]);
      const refused = trpc.team.invite.mutate({ email, role: "member" });
      await expect(refused, domain).rejects.toMatchObject({ data: { error: { code: "hosted_address" } } });
    }
    expect(await sql`select 1 from users where email like 'anybody@%'`).toHaveLength(0);
    expect((await join(mailing, token, "anybody@elsewhere.example")).status).toBe(200);
  });

  test("by an invitation whose address is hosted since", async () => {
    const domain = newDomain();
    const { organizationId } = await local.newOrganization();
    const { trpc } = await newOwner(local, organizationId);
    const { link } = await trpc.team.invite.mutate({ email: `late@${domain}`, role: "member" });
    await grantDomain(local.system, await findOrganization(local.system, organizationId), { domain });
    const answer = await join(local, link?.split("#")[1] ?? "");
    expect([answer.status, await codeOf(answer)]).toEqual([409, "hosted_address"]);
  });
});

describe("of an account and a mailbox at one address, made at the same time, only the first is made", () => {
  const waiting = () => waitingForLocks(sql);

  test("the account", async () => {
    const domain = newDomain();
    const { create } = await attackerAt(domain);
    const { creating } = await db.transaction(async (tx) => {
      await lockAddresses(tx);
      const row = { id: newId(), name: "x", email: `first@${domain}`, emailVerified: true };
      await tx.insert(users).values({ ...row, createdAt: new Date(), updatedAt: new Date() });
      const creating = create("first");
      await eventually(async () => expect(await waiting()).toBe(1));
      return { creating };
    });
    expect((await creating).body.error.code).toBe("address_taken");
  });

  test("the mailbox", async () => {
    const domain = newDomain();
    const { organizationId, enrollmentKeyId } = await mailing.newOrganization();
    const token = await ownerToken(mailing, organizationId);
    const { joining } = await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock_shared(${ADDRESS_LOCK})`;
      await tx`
        insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata, status,
          identity_status, created_at)
        values (${newId()}, ${decodeId("org", organizationId) ?? ""}, ${decodeId("ekey", enrollmentKeyId) ?? ""}, ${newId()},
          ${`first@${domain}`}, ${domain}, '', '{}', 'live', 'open', now())`;
      const joining = join(mailing, token, `first@${domain}`);
      await eventually(async () => expect(await waiting()).toBe(1));
      return { joining };
    });
    expect(await codeOf(await joining)).toBe("hosted_address");
  });
});
