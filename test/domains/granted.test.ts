// Domains that the operator granted: their mail is signed once DNS has the record of their key, and until then it is said that it is not.
import { authenticate } from "mailauth";
import { afterAll, expect, test } from "vitest";
import { createDnsResolver } from "#server/adapters/dns-resolver.ts";
import { recheckDomains } from "#server/domains/recheck.ts";
import { transmitQueued } from "#server/sending/transmit.ts";
import { inboxPath, type Page } from "#test/support/api.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { type DnsRecord, type Domain, loadZoneFile, recordOf, startDomains } from "./rig.ts";

const ENCRYPTION_KEY = Buffer.alloc(32, 9).toString("base64");
const UNSIGNED = "Mail leaves unsigned by this service: your relay must sign it.";

const sink = await startSmtpSink();
const rig = await startDomains({ ROLES: "web", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url, ENCRYPTION_KEY });
const { service, client, clock, dns, zone, path, claim, zoneFile, own } = rig;
zone["mx.mail.example"] = { A: ["127.0.0.1"] };
afterAll(async () => {
  await rig.stop();
  await sink.close();
});

const command = (...args: string[]) => rig.command(["domains", ...args], { ENCRYPTION_KEY });

async function records(...args: string[]): Promise<DnsRecord[]> {
  const { code, text } = await command(...args, "--json");
  if (code !== 0) throw new Error(text);
  return (JSON.parse(text) as { data: DnsRecord[] }).data;
}

/** An organization to which the operator grants a domain, with a mailbox there. */
async function granted(domain: string, at = domain) {
  const { organizationId, agentKey } = await service.newOrganization();
  const { code, text } = await command("grant", "--organization", organizationId, domain);
  if (code !== 0) throw new Error(text);
  const { agentKey: key } = await service.newEnrollment(organizationId, { allowedDomains: [domain, `*.${domain}`] });
  const { address } = await client.createInbox(key, { domain: at });
  const show = async () => (await client.get<Domain & { granted: boolean }>(path(domain), { key })).body;
  return { organizationId, agentKey, key, address, show };
}

/** Publishes all records of a domain but the proof of ownership. */
async function publish(key: string, domain: string): Promise<void> {
  const text = await zoneFile(key, domain);
  loadZoneFile(zone, text.replace(/^_mailberth.*$/m, ""));
}

/** Sends a mail, and checks it as the receiving server does. */
async function judged({ key, address }: { key: string; address: string }, subject: string) {
  const json = { to: "you@far.example", subject, text: "Hello" };
  expect((await client.post(inboxPath(address, "/send"), json, { key })).status).toBe(202);
  await transmitQueued(service.system);
  const mail = sink.received.find(({ raw }) => raw.toString().includes(`Subject: ${subject}\r\n`));
  if (!mail) throw new Error(`${subject} has not left`);
  // Without answers of an earlier mail.
  const resolver = createDnsResolver({ servers: [dns.address] });
  const resolve = (name: string, type: string) => resolver.resolve(name, type as "TXT") as Promise<never>;
  const { spf, dkim, dmarc } = await authenticate(mail.raw, {
    ip: "127.0.0.1",
    helo: "mx.mail.example",
    sender: mail.from,
    resolver: resolve,
    trustReceived: false,
  });
  resolver.close();
  const signatures = dkim.results.map(({ status, signingDomain }) => [status.result, signingDomain]);
  return {
    from: mail.from,
    signatures: signatures.filter(([result]) => result !== "none"),
    spf: spf ? spf.status.result : null,
    dmarc: dmarc ? dmarc.status.result : null,
  };
}

test("mail is unsigned and said to be so until the records are published, then it verifies and aligns", async () => {
  const sender = await granted("signed.example");
  expect((await judged(sender, "before the records")).signatures).toEqual([]);
  expect(await sender.show()).toMatchObject({ status: "pending", granted: true });
  expect((await sender.show()).sending.reason).toContain(UNSIGNED);
  expect((await command("show", "signed.example")).text).toContain(UNSIGNED);

  const before = await records("check", "signed.example");
  expect(before.every(({ status }) => status === "missing")).toBe(true);
  await publish(sender.key, "signed.example");
  const after = await records("check", "signed.example");
  expect(after.filter(({ status }) => status !== "found").map(({ purpose }) => purpose)).toEqual(["ownership"]);
  expect((await sender.show()).sending).toEqual({ status: "ready", reason: null });
  // A process keeps what it knows of a From domain for some seconds, so this is another one.
  const { address } = await client.createInbox(sender.key, { domain: "agents.signed.example" });
  expect(await judged({ ...sender, address }, "after the records")).toMatchObject({
    from: expect.stringContaining("@bounce.signed.example"),
    signatures: [["pass", "signed.example"]],
    spf: "pass",
    dmarc: "pass",
  });
});

test("a mailbox below the granted domain is signed by the domain, and bounces to it once its records are found", async () => {
  const sender = await granted("above.example", "agents.above.example");
  expect((await judged(sender, "from below, early")).from).toContain("@bounce.agents.above.example");
  const { address } = await client.createInbox(sender.key, { domain: "more.above.example" });
  await publish(sender.key, "above.example");
  await records("check", "above.example");
  expect(await judged({ ...sender, address }, "from below")).toMatchObject({
    from: expect.stringContaining("@bounce.above.example"),
    signatures: [["pass", "above.example"]],
    spf: "pass",
  });
});

test("a record that is gone, or has another key, ends the signature", async () => {
  const sender = await granted("dropped.example");
  await publish(sender.key, "dropped.example");
  const { name } = recordOf({ records: await records("check", "dropped.example") }, "dkim");
  zone[name] = { TXT: [["v=DKIM1; k=rsa; p=AAAA"]] };
  await records("check", "dropped.example");
  expect((await judged(sender, "after the record was changed")).signatures).toEqual([]);
  expect((await sender.show()).sending).toMatchObject({
    status: "failing",
    reason: expect.stringContaining(UNSIGNED),
  });
});

test("the worker adds domains that a key granted, and finds their records", async () => {
  const { agentKey: key } = await service.newOrganization({ allowedDomains: ["bykey.example"] });
  expect((await client.get<Page<Domain>>("/v1/domains", { key })).body.data).toEqual([]);
  await recheckDomains(service.system);
  const [added] = (await client.get<Page<Domain>>("/v1/domains", { key })).body.data;
  expect(added).toMatchObject({ domain: "bykey.example", status: "pending", granted: true });
  await publish(key, "bykey.example");
  clock.advance(70_000);
  await recheckDomains(service.system);
  const { address } = await client.createInbox(key, { domain: "bykey.example" });
  expect((await judged({ key, address }, "by key")).signatures).toEqual([["pass", "bykey.example"]]);
});

test("an organization that claims its granted domain gets the same key, and may prove it", async () => {
  const sender = await granted("both.example");
  const claimed = await claim(sender.agentKey, "both.example");
  expect(claimed.id).toBe((await sender.show()).id);
  const verified = await own(sender.agentKey, "both.example");
  expect(verified).toMatchObject({ id: claimed.id, status: "verified" });
  expect((await judged(sender, "proven too")).signatures).toEqual([["pass", "both.example"]]);
});

test("the grant of one domain is none of another that its organization claims", async () => {
  const sender = await granted("given.example");
  await claim(sender.agentKey, "wished.example");
  const { body } = await client.get<{ granted: boolean }>(path("wished.example"), { key: sender.agentKey });
  expect([body.granted, (await sender.show()).granted]).toEqual([false, true]);
});

test("the claim of another organization never signs, also with its record in DNS", async () => {
  const sender = await granted("mine.example");
  const other = await service.newOrganization();
  expect((await client.post("/v1/domains", { domain: "mine.example" }, { key: other.agentKey })).status).toBe(409);
  const [early, late] = [await service.newOrganization(), await service.newOrganization()];
  await command("grant", "--organization", early.organizationId, "unrelated.example");
  await claim(early.agentKey, "later.example");
  await publish(early.agentKey, "later.example");
  await rig.verify(early.agentKey, "later.example");
  await command("grant", "--organization", late.organizationId, "later.example");
  const { agentKey: key } = await service.newEnrollment(late.organizationId, { allowedDomains: ["later.example"] });
  const { address } = await client.createInbox(key, { domain: "later.example" });
  expect((await judged({ key, address }, "not the key of the early one")).signatures).toEqual([]);
  expect((await judged(sender, "still unsigned")).signatures).toEqual([]);
});

test("a second key signs once its record is found", async () => {
  const sender = await granted("rotated.example");
  await publish(sender.key, "rotated.example");
  await records("check", "rotated.example");
  const keys = await records("rotate-dkim", "rotated.example");
  expect(keys.map(({ name, status }) => [name.split(".")[0], status])).toEqual([
    ["mb1", "found"],
    ["mb2", "missing"],
  ]);
  zone[keys[1]?.name ?? ""] = { TXT: [[keys[1]?.value ?? ""]] };
  delete zone[keys[0]?.name ?? ""];
  await records("check", "rotated.example");
  expect((await judged(sender, "with the second key")).signatures).toEqual([["pass", "rotated.example"]]);
});

test("revoking the grant ends the key; the domain cannot be deleted before", async () => {
  const sender = await granted("ended.example");
  const refused = await client.delete<{ error: { code: string; fix: string } }>(path("ended.example"), {
    key: sender.agentKey,
  });
  expect([refused.status, refused.body.error.code]).toEqual([409, "domain_in_use"]);
  expect(refused.body.error.fix).toContain("operator");
  const { id } = await sender.show();
  const { text } = await command("revoke", "ended.example", "--json");
  expect(JSON.parse(text)).toMatchObject({ deleted_claim: id });
  expect((await client.get(path("ended.example"), { key: sender.agentKey })).status).toBe(404);
  await recheckDomains(service.system);
  expect((await client.get(path("ended.example"), { key: sender.agentKey })).status).toBe(404);
});

test("check and rotate-dkim refuse a domain that no organization holds", async () => {
  const { agentKey } = await service.newOrganization();
  await claim(agentKey, "unproven.example");
  for (const action of ["check", "rotate-dkim"]) {
    const { code, text } = await command(action, "unproven.example");
    expect([code, text]).toEqual([1, expect.stringContaining("No organization holds unproven.example")]);
  }
});
