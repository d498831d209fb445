// Domains with OUTBOUND=resend (its double): registered when they are verified, shown with Resend's records, ready when Resend says so.
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { revokeDomain } from "#server/domains/operator/grant.ts";
import { advanceRemovals, removeAtProvider } from "#server/domains/provider/remove.ts";
import { settleIdentities } from "#server/inboxes/identities.ts";
import { transmitQueued } from "#server/sending/transmit.ts";
import { inboxPath } from "#test/support/api.ts";
import { startResendDouble } from "#test/support/resend-double.ts";
import { loadZoneFile, recordOf, startDomains } from "./rig.ts";

const double = await startResendDouble(["mail.example"]);
const rig = await startDomains({
  ROLES: "web",
  OUTBOUND: "resend",
  RESEND_API_KEY: double.apiKey,
  RESEND_BASE_URL: double.url,
});
const { service, client, clock, zone, path, claim, verify, zoneFile } = rig;
afterEach(() => {
  double.faults.answer = undefined;
  double.account.restricted = false;
});
afterAll(async () => {
  await rig.stop();
  await double.close();
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Runs the worker's job until no removal is due. */
async function settleRemovals(): Promise<void> {
  while ((await removeAtProvider(service.system)) > 0);
}

const atResend = (domain: string) => double.account.domains.find(({ name }) => name === domain);

/** A domain whose ownership record is published, checked once. */
async function proven(domain: string) {
  const organization = await service.newOrganization();
  const claimed = await claim(organization.agentKey, domain);
  const ownership = recordOf(claimed, "ownership");
  zone[ownership.name] = { TXT: [[ownership.value]] };
  return { ...organization, claimed, checked: (await verify(organization.agentKey, domain)).body };
}

/** Publishes every record that is not in DNS yet, and lets Resend verify the domain. */
async function complete(key: string, domain: string) {
  for (const { name, purpose } of (
    await client.get<{ records: { name: string; purpose: string }[] }>(path(domain), { key })
  ).body.records) {
    if (purpose !== "ownership") delete zone[name];
  }
  const text = (await zoneFile(key, domain)).split("\n").filter((line) => !line.startsWith("_mailberth."));
  loadZoneFile(zone, text.join("\n"));
  await verify(key, domain);
  const there = atResend(domain);
  if (!there) throw new Error(`Resend does not have ${domain}`);
  there.status = "verified";
  return (await verify(key, domain)).body;
}

describe("a claimed domain", () => {
  test("is not at Resend, and not ready to send, until it is verified", async () => {
    const { agentKey } = await service.newOrganization();
    const domain = await claim(agentKey, "early.example");
    expect(domain.sending).toEqual({
      status: "pending",
      reason: "Its DNS records are listed after the domain is verified.",
    });
    const { body } = await verify(agentKey, "early.example");
    expect(body.sending.status).toBe("pending");
    expect(atResend("early.example")).toBeUndefined();
  });

  test("that is verified shows Resend's records with what DNS has, and Resend checks them when all are found", async () => {
    const { agentKey, checked } = await proven("alpha.example");
    expect(checked.status).toBe("verified");
    expect(checked.records.map(({ purpose, name, status }) => [purpose, name, status])).toEqual([
      ["ownership", "_mailberth.alpha.example", "found"],
      ["mx", "alpha.example", "missing"],
      ["return_path_mx", "send.alpha.example", "missing"],
      ["return_path_spf", "send.alpha.example", "missing"],
      ["dkim", "resend._domainkey.alpha.example", "missing"],
      ["dkim", "two._domainkey.alpha.example", "missing"],
      ["dmarc", "_dmarc.alpha.example", "missing"],
      ["tls_rpt", "_smtp._tls.alpha.example", "missing"],
    ]);
    expect(checked.sending).toEqual({ status: "pending", reason: "The MX record send.alpha.example is missing." });
    expect(atResend("alpha.example")?.status).toBe("not_started");
    loadZoneFile(zone, (await zoneFile(agentKey, "alpha.example")).replace(/^_mailberth\..*$/m, ""));
    expect((await verify(agentKey, "alpha.example")).body.sending.status).toBe("pending");
    expect(atResend("alpha.example")?.status).toBe("pending");
    Object.assign(atResend("alpha.example") ?? {}, { status: "verified" });
    const { body } = await verify(agentKey, "alpha.example");
    expect(body.sending).toEqual({ status: "ready", reason: null });
    expect(body.records.map(({ status }) => status)).toEqual(Array.from(body.records, () => "found"));
  });

  test("that Resend failed to verify is failing, and Resend is asked again", async () => {
    const { agentKey } = await proven("beta.example");
    await complete(agentKey, "beta.example");
    Object.assign(atResend("beta.example") ?? {}, { status: "failed" });
    const { body } = await verify(agentKey, "beta.example");
    expect(body.sending).toEqual({ status: "failing", reason: expect.stringContaining("Its status is failed.") });
    expect(atResend("beta.example")?.status).toBe("pending");
  });

  test("sends through Resend when it is ready, and answers 409 with the record before", async () => {
    const { agentKey, organizationId } = await proven("gamma.example");
    const { agentKey: key } = await service.newEnrollment(organizationId, { allowedDomains: ["gamma.example"] });
    const { address } = await client.createInbox(key, { domain: "gamma.example" });
    const send = () => client.post(inboxPath(address, "/send"), { to: "a@far.example", text: "x" }, { key });
    const early = await send();
    expect([early.status, early.body.error.code]).toEqual([409, "domain_not_ready"]);
    expect(early.body.error.message).toContain("The MX record send.gamma.example is missing");
    expect((await complete(agentKey, "gamma.example")).sending.status).toBe("ready");
    expect((await send()).status).toBe(202);
    await settleIdentities(service.system);
    await transmitQueued(service.system);
    expect(double.account.emails.map(({ from }) => from)).toContainEqual(expect.stringContaining(address));
  });

  test("has no DKIM key of its own to rotate", async () => {
    const { agentKey } = await proven("delta.example");
    const { status, body } = await client.post(path("delta.example", "/rotate-dkim"), undefined, { key: agentKey });
    expect([status, body.error.code]).toEqual([400, "invalid_request"]);
    expect(body.error.message).toContain("The mail provider makes and rotates the DKIM keys");
  });
});

describe("while Resend does not answer as expected", () => {
  test("the reason is shown, and Resend is not asked before its retry-after", async () => {
    double.faults.answer = { status: 429, name: "rate_limit_exceeded", retryAfter: "600" };
    const { agentKey, checked } = await proven("busy.example");
    expect(checked.status).toBe("verified");
    expect(checked.sending).toEqual({ status: "pending", reason: expect.stringContaining("429 rate_limit_exceeded") });
    expect(Date.parse(checked.next_check_at) - clock.now().getTime()).toBeGreaterThan(500_000);
    double.faults.answer = undefined;
    expect((await verify(agentKey, "busy.example")).body.sending.reason).toContain("429");
    expect(atResend("busy.example")).toBeUndefined();
    clock.advance(600_000);
    await verify(agentKey, "busy.example");
    expect(atResend("busy.example")).toBeDefined();
  });

  test("a refusal is shown, and tried again at the next check", async () => {
    double.faults.answer = { status: 403, name: "validation_error" };
    const { agentKey, checked } = await proven("refused.example");
    expect(checked.sending.reason).toContain("403 validation_error");
    double.faults.answer = undefined;
    expect((await verify(agentKey, "refused.example")).body.sending.reason).toContain("send.refused.example");
  });

  test("a domain that was ready stays ready", async () => {
    const { agentKey } = await proven("steady.example");
    await complete(agentKey, "steady.example");
    double.faults.answer = { status: 500, name: "internal_server_error" };
    expect((await verify(agentKey, "steady.example")).body.sending).toEqual({ status: "ready", reason: null });
  });

  test("a domain that was removed there is added again", async () => {
    const { agentKey } = await proven("again.example");
    double.account.domains = double.account.domains.filter(({ name }) => name !== "again.example");
    await verify(agentKey, "again.example");
    await verify(agentKey, "again.example");
    expect(atResend("again.example")).toBeDefined();
  });

  test("a key for sending only leaves domains to the operator", async () => {
    double.account.restricted = true;
    const { checked } = await proven("managed.example");
    expect(checked.sending).toEqual({ status: "ready", reason: null });
  });
});

describe("deleting", () => {
  const remove = (key: string, domain: string) => client.delete(path(domain), { key });

  test("removes the domain at Resend if it was created here", async () => {
    const { agentKey } = await proven("created.example");
    expect((await remove(agentKey, "created.example")).status).toBe(200);
    await settleRemovals();
    expect(atResend("created.example")).toBeUndefined();
  });

  test("leaves a domain that the operator had at Resend before", async () => {
    double.account.domains.push({ id: "d-operator", name: "before.example", status: "verified" });
    const { agentKey } = await proven("before.example");
    expect((await remove(agentKey, "before.example")).status).toBe(200);
    await settleRemovals();
    expect(atResend("before.example")).toBeDefined();
  });

  test.each([
    ["does not answer", { status: 500, name: "internal_server_error" }],
    ["refuses", { status: 403, name: "validation_error" }],
  ])("tries the removal again while Resend %s", async (_what, fault) => {
    const domain = `later${fault.status}.example`;
    const { agentKey } = await proven(domain);
    double.faults.answer = fault;
    expect((await remove(agentKey, domain)).status).toBe(200);
    await settleRemovals();
    expect(atResend(domain)).toBeDefined();
    double.faults.answer = undefined;
    expect(await removeAtProvider(service.system)).toBe(0);
    clock.advance(HOUR_MS);
    await settleRemovals();
    expect(atResend(domain)).toBeUndefined();
    clock.advance(DAY_MS);
    expect(await removeAtProvider(service.system)).toBe(0);
  });

  test("the last mailbox of a verified domain leaves the domain at Resend", async () => {
    const { organizationId } = await proven("stays.example");
    const { agentKey: key } = await service.newEnrollment(organizationId, { allowedDomains: ["stays.example"] });
    const { address } = await client.createInbox(key, { domain: "stays.example" });
    await settleIdentities(service.system);
    await client.delete(inboxPath(address), { key });
    clock.advance(10_000);
    await settleIdentities(service.system);
    const [row] = await service.system.sql`select identity_status from inboxes where address = ${address}`;
    expect(row?.identity_status).toBe("closed");
    expect(atResend("stays.example")).toBeDefined();
  });
});

describe("domains revoke", () => {
  test("removes the domain at Resend, also after Resend did not answer", async () => {
    await proven("revoked.example");
    double.faults.answer = { status: 500, name: "internal_server_error" };
    await revokeDomain(service.system, "revoked.example");
    await settleRemovals();
    expect(atResend("revoked.example")).toBeDefined();
    double.faults.answer = undefined;
    clock.advance(HOUR_MS);
    await settleRemovals();
    expect(atResend("revoked.example")).toBeUndefined();
  });

  test("leaves a domain that the operator had at Resend before", async () => {
    double.account.domains.push({ id: "d-older", name: "older.example", status: "verified" });
    await proven("older.example");
    await revokeDomain(service.system, "older.example");
    await settleRemovals();
    expect(atResend("older.example")).toBeDefined();
  });

  test("leaves a domain that another organization verified since, until that one deletes it too", async () => {
    await proven("passed.example");
    await revokeDomain(service.system, "passed.example");
    delete zone["_mailberth.passed.example"];
    const next = await proven("passed.example");
    expect(next.checked.status).toBe("verified");
    await settleRemovals();
    clock.advance(DAY_MS);
    await settleRemovals();
    expect(atResend("passed.example")).toBeDefined();
    expect((await client.delete(path("passed.example"), { key: next.agentKey })).status).toBe(200);
    await settleRemovals();
    expect(atResend("passed.example")).toBeUndefined();
  });

  test("leaves a domain with mailboxes until the last one is deleted", async () => {
    const { organizationId } = await proven("boxes.example");
    const { agentKey: key } = await service.newEnrollment(organizationId, { allowedDomains: ["boxes.example"] });
    const { address } = await client.createInbox(key, { domain: "boxes.example" });
    await revokeDomain(service.system, "boxes.example");
    await settleRemovals();
    expect(atResend("boxes.example")).toBeDefined();
    await client.delete(inboxPath(address), { key });
    await settleIdentities(service.system);
    expect(atResend("boxes.example")).toBeUndefined();
    clock.advance(DAY_MS);
    await settleRemovals();
  });
});

test("a removal that a wrong clock scheduled too late is tried at the next turn", async () => {
  const { agentKey } = await proven("clock.example");
  clock.advance(10 * DAY_MS);
  double.faults.answer = { status: 500, name: "internal_server_error" };
  await client.delete(path("clock.example"), { key: agentKey });
  await settleRemovals();
  clock.advance(-10 * DAY_MS);
  double.faults.answer = undefined;
  expect(await removeAtProvider(service.system)).toBe(0);
  expect(await advanceRemovals(service.system)).toBe(1);
  await settleRemovals();
  expect(atResend("clock.example")).toBeUndefined();
});
