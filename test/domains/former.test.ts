// Mailboxes on a domain that the operator took from their organization: who receives and sends there afterwards.
import { afterAll, describe, expect, test } from "vitest";
import { grantDomain, revokeDomain } from "#server/domains/operator/grant.ts";
import { recheckDomains } from "#server/domains/recheck.ts";
import { findOrganization, setOwners } from "#server/organizations/organizations.ts";
import { transmitQueued } from "#server/sending/transmit.ts";
import { type Failure, type Inbox, inboxPath } from "#test/support/api.ts";
import { handOver } from "#test/support/smtp-clients.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner } from "#test/support/team.ts";
import { startDomains } from "./rig.ts";

const HOUR_MS = 3_600_000;

const sink = await startSmtpSink();
const rig = await startDomains({ ROLES: "web,smtp", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
const { service, client, path, claim, own } = rig;
const { system } = service;
afterAll(async () => {
  await rig.stop();
  await sink.close();
});

const mailTo = (address: string) => handOver(service.smtpPort, "127.0.0.1", address);
const send = (key: string, address: string, subject = "Hello") =>
  client.post<{ id: string } & Failure>(
    inboxPath(address, "/send"),
    { to: "you@far.example", subject, text: "Hello" },
    { key },
  );

const command = (...args: string[]) => rig.command([...args, "--json"]);

async function grant(organization: string, domain: string): Promise<void> {
  await grantDomain(system, await findOrganization(system, organization), { domain });
}

/** An organization with an owner, a granted domain, and mailboxes on it, below it and at DEFAULT_DOMAIN. */
async function holder(domain: string) {
  const organization = await service.newOrganization();
  await grant(organization.organizationId, domain);
  const owner = await newOwner(service, organization.organizationId);
  await setOwners(system, organization.organizationId, [owner.email]);
  const wish = { name: "x", max_mailboxes: 100, allowed_domains: [domain, `*.${domain}`, "mail.example"] };
  const { agent_key: key } = await service.enroll((await owner.trpc.keys.issue.mutate(wish)).key);
  const create = async (at: string) => (await client.createInbox(key, { domain: at })).address;
  return {
    ...organization,
    owner,
    key,
    at: await create(domain),
    below: await create(`sub.${domain}`),
    elsewhere: await create("mail.example"),
  };
}

describe("after domains revoke", () => {
  test("mailboxes receive mail and send none, until the domain is granted again", async () => {
    const { key, at, below, elsewhere, organizationId } = await holder("revoked.example");
    expect((await send(key, at)).status).toBe(202);
    await revokeDomain(system, "revoked.example");
    for (const address of [at, below]) {
      expect(await mailTo(address)).toMatch(/^250 /);
      const { status, body } = await send(key, address);
      expect([status, body.error.code]).toEqual([409, "domain_not_ready"]);
      expect(body.error.message).toMatch(/no longer holds the domain .*revoked\.example/);
      expect(body.error.fix).toContain("POST /v1/domains");
    }
    expect((await send(key, elsewhere)).status).toBe(202);
    await grant(organizationId, "revoked.example");
    for (const address of [at, below]) expect((await send(key, address)).status).toBe(202);
    await revokeDomain(system, "revoked.example");
    expect((await send(key, at)).status).toBe(409);
  });

  test("mail that was queued before does not leave, and says why", async () => {
    const { key, at, elsewhere } = await holder("queued.example");
    const [gone, left] = [await send(key, at, "never leaves"), await send(key, elsewhere, "leaves")];
    await revokeDomain(system, "queued.example");
    await transmitQueued(system);
    type Message = { status: string; recipients: { status: string; reason: string }[] };
    const read = async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
    const reason = "The organization no longer holds the domain of the mailbox.";
    expect(await read(gone.body.id)).toMatchObject({ status: "failed", recipients: [{ status: "failed", reason }] });
    expect((await read(left.body.id)).status).toBe("sent");
    const sent = sink.received.map(({ raw }) => /^Subject: (.*)\r$/m.exec(raw.toString())?.[1]);
    expect(sent).toContain("leaves");
    expect(sent).not.toContain("never leaves");
  });

  test("mail that was held is not approved, and still waits", async () => {
    const { key, at, owner, organizationId } = await holder("reviewed.example");
    await owner.trpc.reviews.setPolicy.mutate({ review: "all" });
    const { id } = (await send(key, at)).body;
    const { sha256 } = await owner.trpc.reviews.get.query({ id });
    await revokeDomain(system, "reviewed.example");
    await expect(owner.trpc.reviews.approve.mutate({ id, sha256 })).rejects.toMatchObject({
      data: { error: { code: "domain_not_ready" } },
    });
    await grant(organizationId, "reviewed.example");
    await owner.trpc.reviews.approve.mutate({ id, sha256 });
    await transmitQueued(system);
    expect((await client.get<{ status: string }>(`/v1/messages/${id}`, { key })).body.status).toBe("sent");
  });

  test("a claim of the domain gives it back when it is verified, and not before", async () => {
    const { key, agentKey, at } = await holder("again.example");
    await revokeDomain(system, "again.example");
    await claim(agentKey, "again.example");
    expect((await send(key, at)).status).toBe(409);
    await own(agentKey, "again.example");
    expect((await send(key, at)).status).toBe(202);
  });

  test("a check before sending names it", async () => {
    const { key, at } = await holder("planned.example");
    await revokeDomain(system, "planned.example");
    const dry = await client.post<{ refusals: { code: string }[] }>(
      inboxPath(at, "/send?dry_run=true"),
      { to: "you@far.example", text: "Hello" },
      { key },
    );
    expect(JSON.stringify(dry.body)).toContain("domain_not_ready");
  });
});

describe("after the claim of a domain is lost", () => {
  /** Days without the ownership record. */
  async function lose(domain: string): Promise<void> {
    delete rig.zone[`_mailberth.${domain}`];
    for (let day = 0; day < 4; day += 1) {
      rig.clock.advance(24 * HOUR_MS);
      while ((await recheckDomains(system)) > 0);
    }
  }

  test("mailboxes send no more", async () => {
    const { key, agentKey, at } = await holder("lost-all.example");
    await revokeDomain(system, "lost-all.example");
    await own(agentKey, "lost-all.example");
    await lose("lost-all.example");
    expect((await send(key, at)).status).toBe(409);
  });

  test("mailboxes go on sending if the operator granted the domain, before the claim or after it", async () => {
    const { key, agentKey, at, organizationId } = await holder("granted-too.example");
    await own(agentKey, "granted-too.example");
    await lose("granted-too.example");
    expect((await send(key, at)).status).toBe(202);
    await revokeDomain(system, "granted-too.example");
    await own(agentKey, "granted-too.example");
    await grant(organizationId, "granted-too.example");
    await lose("granted-too.example");
    expect((await send(key, at)).status).toBe(202);
  });

  test("mailboxes go on sending if the organization holds the domain above it", async () => {
    const { key, agentKey, below } = await holder("above.example");
    await own(agentKey, "sub.above.example");
    await lose("sub.above.example");
    const { body } = await send(key, below, "below a domain that is held");
    await transmitQueued(system);
    const { status } = (await client.get<{ status: string }>(`/v1/messages/${body.id}`, { key })).body;
    expect(status).toBe("sent");
  });
});

test("agents of an enrollment key that expired go on sending from the domain that it granted", async () => {
  const organization = await service.newOrganization();
  const { agentKey: key } = await service.newEnrollment(organization.organizationId, {
    allowedDomains: ["ended.example"],
  });
  const { address } = await client.createInbox(key, { domain: "ended.example" });
  await system.sql`
    update enrollment_keys set expires_at = created_at where 'ended.example' = any(allowed_domains)`;
  expect((await send(key, address)).status).toBe(202);
});

describe("a grant to another organization", () => {
  test("is refused while a former organization has mailboxes, also by a key, and deletes nothing", async () => {
    const former = await holder("kept.example");
    await revokeDomain(system, "kept.example");
    const next = await service.newOrganization();
    const how = ["--organization", next.organizationId];
    for (const args of [
      ["domains", "grant", ...how, "kept.example"],
      ["domains", "grant", ...how, "sub.kept.example"],
      ["enrollment-keys", "issue", ...how, "--max-mailboxes", "1", "--allowed-domains", "kept.example"],
    ]) {
      const { code, text } = await command(...args);
      expect(code).toBe(1);
      expect(text).toMatch(/has mailboxes on (sub\.)?kept\.example or below it, such as .+@(sub\.)?kept\.example/);
      expect(text).toContain("--delete-mailboxes");
    }
    for (const address of [former.at, former.below]) expect(await mailTo(address)).toMatch(/^250 /);
  });

  test("with --delete-mailboxes deletes them, and tells their owners", async () => {
    const former = await holder("given.example");
    await revokeDomain(system, "given.example");
    const next = await service.newOrganization();
    const { code, text } = await command(
      ...["domains", "grant", "--organization", next.organizationId, "--delete-mailboxes", "given.example"],
    );
    expect({ code, ...(JSON.parse(text) as object) }).toMatchObject({ code: 0, deleted_mailboxes: 2 });
    for (const address of [former.at, former.below]) {
      expect(await mailTo(address)).toMatch(/^550 /);
      const { status, body } = await send(former.key, address);
      expect([status, body.error.code]).toEqual([404, "inbox_not_found"]);
    }
    expect(await mailTo(former.elsewhere)).toMatch(/^250 /);
    const { body } = await client.get<{ data: Inbox[] }>("/v1/inboxes", { key: former.key });
    expect(body.data.map(({ address }) => address)).toEqual([former.elsewhere]);
    const acts = (await former.owner.trpc.team.audit.query({})).data;
    expect(acts.filter(({ action }) => action === "domains.takenOver")).toMatchObject([
      { subject: "given.example", outcome: "done" },
    ]);
    const emails = await system.sql<{ subject: string; text: string }[]>`
      select subject, text from notices where to_address = ${former.owner.email} order by id`;
    expect(emails.map(({ subject }) => subject)).toEqual(["The mailboxes of a domain were deleted"]);
    expect(emails[0]?.text).toContain("The operator of");
    expect(emails[0]?.text).toContain("given[.]example");
    const { agentKey: key } = await service.newEnrollment(next.organizationId, { allowedDomains: ["given.example"] });
    const { address } = await client.createInbox(key, { domain: "given.example" });
    expect(await mailTo(address)).toMatch(/^250 /);
    expect((await send(key, address)).status).toBe(202);
  });

  test("with --delete-mailboxes touches none of an organization that holds the domain", async () => {
    const holding = await holder("held.example");
    const next = await service.newOrganization();
    const { code, text } = await command(
      ...["domains", "grant", "--organization", next.organizationId, "--delete-mailboxes", "held.example"],
    );
    expect(code).toBe(1);
    expect(text).toContain("is granted to");
    expect(await mailTo(holding.at)).toMatch(/^250 /);
    expect((await client.get(path("held.example"), { key: next.agentKey })).status).toBe(404);
  });
});
