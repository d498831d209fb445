// A domain that another organization verifies: mailboxes of its former organizations receive no more mail.
import { afterAll, expect, test } from "vitest";
import { revokeDomain } from "#server/domains/operator/grant.ts";
import { recheckDomains } from "#server/domains/recheck.ts";
import { setOwners } from "#server/organizations/organizations.ts";
import type { Failure, Inbox } from "#test/support/api.ts";
import { handOver } from "#test/support/smtp-clients.ts";
import { newOwner } from "#test/support/team.ts";
import { type Domain, startDomains } from "./rig.ts";

const HOUR_MS = 3_600_000;
const MORE_THAN_A_BATCH = 1_100;

const rig = await startDomains({ ROLES: "web,smtp" });
const { service, client, clock, zone, path, own } = rig;
const { system } = service;
afterAll(rig.stop);

const mailTo = (address: string) => handOver(service.smtpPort, "127.0.0.1", address);

/** An organization with an owner, a verified domain, and a key of a member for it and everything below it. */
async function holder(domain: string) {
  const organization = await service.newOrganization();
  await own(organization.agentKey, domain);
  const owner = await newOwner(service, organization.organizationId);
  await setOwners(system, organization.organizationId, [owner.email]);
  const wish = { name: "x", max_mailboxes: 1_000_000, allowed_domains: [domain, `*.${domain}`, "mail.example"] };
  const { agent_key: key } = await service.enroll((await owner.trpc.keys.issue.mutate(wish)).key);
  return { ...organization, owner, key };
}

/** The domain becomes lost: its ownership record is gone for 72 hours. */
async function lose(domain: string, key: string): Promise<void> {
  delete zone[`_mailberth.${domain}`];
  for (let hours = 0; hours < 96; hours += 8) {
    clock.advance(8 * HOUR_MS);
    while ((await recheckDomains(system)) > 0);
  }
  expect((await client.get<Domain>(path(domain), { key })).body.status).toBe("lost");
}

const emails = (to: string) =>
  system.sql<
    { subject: string; text: string }[]
  >`select subject, text from notices where to_address = ${to} order by id`;

test("mail to a mailbox of the former organization is refused after another organization verified the domain", async () => {
  const former = await holder("moved.example");
  const [at, below, elsewhere] = await Promise.all(
    ["moved.example", "sub.moved.example", "mail.example"].map((domain) => client.createInbox(former.key, { domain })),
  );
  const gone = [at?.address ?? "", below?.address ?? ""];
  await lose("moved.example", former.agentKey);
  for (const address of gone) expect(await mailTo(address)).toMatch(/^250 /);

  const next = await service.newOrganization();
  await own(next.agentKey, "moved.example");

  for (const address of gone) expect(await mailTo(address)).toMatch(/^550 /);
  expect(await mailTo(elsewhere?.address ?? "")).toMatch(/^250 /);
  const { body } = await client.get<{ data: Inbox[] }>("/v1/inboxes", { key: former.key });
  expect(body.data.map(({ address }) => address)).toEqual([elsewhere?.address]);
  expect((await client.get<Domain>(path("moved.example"), { key: former.agentKey })).body.status).toBe("lost");
  const acts = (await former.owner.trpc.team.audit.query({})).data;
  expect(acts.filter(({ action }) => action === "domains.takenOver")).toMatchObject([
    { subject: "moved.example", outcome: "done" },
  ]);
  const written = (await emails(former.owner.email)).map(({ subject }) => subject);
  expect(written).toEqual(["A domain is lost", "The mailboxes of a domain were deleted"]);
});

test("the new organization cannot use an address that the former one used, and the error says why", async () => {
  const former = await holder("reused.example");
  await client.createInbox(former.key, { domain: "reused.example", username: "sales" });
  await lose("reused.example", former.agentKey);
  const next = await holder("reused.example");
  const wish = { domain: "reused.example", username: "sales" };
  const { status, body } = await client.post<Failure>("/v1/inboxes", wish, { key: next.key });
  expect({ status, code: body.error.code }).toEqual({ status: 409, code: "address_taken" });
  expect(body.error.message).toContain("An address that was used once is never given to another organization again.");
  expect((await client.createInbox(next.key, { ...wish, username: "hello" })).address).toBe("hello@reused.example");
});

test("the mailboxes of an organization whose grant was revoked are deleted too, however many there are", async () => {
  const former = await service.newOrganization({ allowedDomains: ["granted.example"] });
  const { address } = await client.createInbox(former.agentKey, { domain: "granted.example" });
  await system.sql`
    insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata, status,
      identity_status, created_at)
    select gen_random_uuid(), organization_id, enrollment_key_id, agent_id, 'n' || n || '@' || domain, domain, '', '{}',
      'live', 'open', created_at
    from inboxes, generate_series(1, ${MORE_THAN_A_BATCH}) n where address = ${address}`;
  const next = await service.newOrganization();
  const refused = await client.post("/v1/domains", { domain: "granted.example" }, { key: next.agentKey });
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "domain_taken" } } });
  expect(await mailTo(address)).toMatch(/^250 /);
  await revokeDomain(system, "granted.example");
  await own(next.agentKey, "granted.example");
  expect(await mailTo(address)).toMatch(/^550 /);
  const [left] =
    await system.sql`select count(*)::int as n from inboxes where domain = 'granted.example' and status = 'live'`;
  expect(left).toEqual({ n: 0 });
});

test("the mailboxes stay when the same organization verifies its domain again", async () => {
  const same = await holder("back.example");
  const { address } = await client.createInbox(same.key, { domain: "back.example" });
  const record = zone["_mailberth.back.example"] ?? {};
  await lose("back.example", same.agentKey);
  zone["_mailberth.back.example"] = record;
  expect((await rig.verify(same.agentKey, "back.example")).body.status).toBe("verified");
  expect(await mailTo(address)).toMatch(/^250 /);
});
