// Mail from organizations' own domains, as a relay gets it: SPF, DKIM and DMARC pass and align, and nothing leaves from a domain that is not ready.
import { authenticate } from "mailauth";
import { afterAll, describe, expect, test } from "vitest";
import { createDnsResolver } from "#server/adapters/dns-resolver.ts";
import { size } from "#test/sizes.ts";
import { inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { handOver } from "#test/support/smtp-clients.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { loadZoneFile, recordOf, startDomains } from "./rig.ts";

const MAILS_TIMEOUT_MS = 300_000;

const sink = await startSmtpSink();
const rig = await startDomains({ ROLES: "web,worker,smtp", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
const { service, client, dns, zone, path, claim, verify, zoneFile, own } = rig;
zone["mx.mail.example"] = { A: ["127.0.0.1"] };
const resolver = createDnsResolver({ servers: [dns.address] });
afterAll(async () => {
  resolver.close();
  await rig.stop();
  await sink.close();
});

async function team(domain: string) {
  const organization = await service.newOrganization();
  await own(organization.agentKey, domain);
  const { agentKey: key } = await service.newEnrollment(organization.organizationId, {
    allowedDomains: [domain, `*.${domain}`],
    maxMailboxes: 10_000,
  });
  return { ...organization, key };
}

const send = (key: string, address: string, subject = "Hello") =>
  client.post<{ id: string }>(inboxPath(address, "/send"), { to: "you@far.example", subject, text: "Hello" }, { key });

/** What the relay got with this subject. */
const arrived = (subject: string) =>
  eventually(() => {
    const mail = sink.received.find(({ raw }) => raw.toString().includes(`Subject: ${subject}\r\n`));
    if (!mail) throw new Error(`${subject} has not left`);
    return mail;
  });

function judge({ from, raw }: { from: string; raw: Buffer }) {
  const resolve = (name: string, type: string) => resolver.resolve(name, type as "TXT") as Promise<never>;
  return authenticate(raw, {
    ip: "127.0.0.1",
    helo: "mx.mail.example",
    sender: from,
    resolver: resolve,
    trustReceived: false,
  });
}

async function expectAligned(subject: string, domain: string): Promise<void> {
  const { spf, dkim, dmarc } = await judge(await arrived(subject));
  if (!spf || !dmarc) throw new Error("SPF and DMARC were not judged");
  expect(spf.status.result).toBe("pass");
  expect(dkim.results.map(({ status, signingDomain }) => [status.result, signingDomain])).toEqual([["pass", domain]]);
  expect(dmarc.status.result).toBe("pass");
  expect(dmarc.alignment).toMatchObject({
    spf: { result: expect.stringContaining(".example") },
    dkim: { result: expect.stringContaining(".example") },
  });
}

test("mails of two organizations pass SPF, DKIM and DMARC, each with its own domain", async () => {
  for (const domain of ["alpha.example", "beta.example"]) {
    const { key } = await team(domain);
    const { address } = await client.createInbox(key, { domain });
    expect((await send(key, address, `from ${domain}`)).status).toBe(202);
    await expectAligned(`from ${domain}`, domain);
  }
});

test("mail of a subdomain is signed by the domain above it, and bounces to it", async () => {
  const { key } = await team("gamma.example");
  const { address } = await client.createInbox(key, { domain: "agents.gamma.example" });
  await send(key, address, "from a subdomain");
  await expectAligned("from a subdomain", "gamma.example");
  const { from } = await arrived("from a subdomain");
  expect(from.split("@").at(-1)).toBe("bounce.gamma.example");
  expect(await handOver(service.smtpPort, "127.0.0.1", from)).toMatch(/^250 /);
});

test("the closest verified domain has the return path", async () => {
  const { key, agentKey } = await team("delta.example");
  await own(agentKey, "near.delta.example");
  const { address } = await client.createInbox(key, { domain: "x.near.delta.example" });
  await send(key, address, "from below two");
  await expectAligned("from below two", "near.delta.example");
  expect((await arrived("from below two")).from.split("@").at(-1)).toBe("bounce.near.delta.example");
});

describe("a domain that is not ready", () => {
  test("sends nothing: the answer names the first missing record and what to add", async () => {
    const { agentKey, organizationId } = await service.newOrganization();
    const domain = await claim(agentKey, "bare.example");
    const ownership = recordOf(domain, "ownership");
    zone[ownership.name] = { TXT: [[ownership.value]] };
    expect((await verify(agentKey, "bare.example")).body.status).toBe("verified");
    const { agentKey: key } = await service.newEnrollment(organizationId, { allowedDomains: ["bare.example"] });
    const { address } = await client.createInbox(key, { domain: "bare.example" });
    const { status, body } = await client.post(
      inboxPath(address, "/send"),
      { to: "a@far.example", text: "x" },
      { key },
    );
    expect({ status, code: body.error.code }).toEqual({ status: 409, code: "domain_not_ready" });
    expect(body.error.message).toContain("The TXT record bare.example is missing");
    expect(body.error.fix).toContain("v=spf1 a:mx.mail.example ~all");
    expect(body.error.fix).toContain("POST /v1/domains/bare.example/verify");
    loadZoneFile(zone, await zoneFile(key, "bare.example"));
    await verify(agentKey, "bare.example");
    expect((await send(key, address)).status).toBe(202);
  });

  test("DEFAULT_DOMAIN, and a domain that the operator granted, are not held back", async () => {
    const granted = await service.newOrganization({ allowedDomains: ["mail.example", "granted.example"] });
    for (const domain of ["mail.example", "granted.example"]) {
      const { address } = await client.createInbox(granted.agentKey, { domain });
      expect((await send(granted.agentKey, address)).status).toBe(202);
    }
  });
});

test("the next key signs nothing until its record is found", async () => {
  const { key, agentKey } = await team("early.example");
  const { address } = await client.createInbox(key, { domain: "early.example" });
  await client.post(path("early.example", "/rotate-dkim"), undefined, { key: agentKey });
  expect((await verify(agentKey, "early.example")).status).toBe(200);
  await send(key, address, "before the record");
  await expectAligned("before the record", "early.example");
});

test(
  "while the key rotates, every mail verifies",
  async () => {
    const mails = size("DKIM_MAILS");
    const { key, agentKey } = await team("turn.example");
    const addresses = await Promise.all(
      Array.from(
        { length: Math.ceil(mails / 10) },
        async () => (await client.createInbox(key, { domain: "turn.example" })).address,
      ),
    );
    const subjects = Array.from({ length: mails }, (_, i) => `turn ${i} of ${mails}`);
    const sendPart = (part: string[]) =>
      Promise.all(part.map((subject, i) => send(key, addresses[i % addresses.length] ?? "", subject)));
    const third = Math.ceil(mails / 3);
    await sendPart(subjects.slice(0, third));
    const rotated = await client.post<{ records: { purpose: string; name: string; value: string }[] }>(
      path("turn.example", "/rotate-dkim"),
      undefined,
      { key: agentKey },
    );
    const next = rotated.body.records.filter(({ purpose }) => purpose === "dkim").at(-1);
    expect(next?.name).toBe("mb2._domainkey.turn.example");
    await sendPart(subjects.slice(third, 2 * third));
    zone[next?.name ?? ""] = { TXT: [[next?.value ?? ""]] };
    const [after] = await Promise.all([verify(agentKey, "turn.example"), sendPart(subjects.slice(2 * third))]);
    expect(after.body.records.filter(({ purpose }) => purpose === "dkim")).toHaveLength(2);
    const selectors = new Set<string>();
    for (const subject of subjects) {
      const { dkim } = await judge(await arrived(subject));
      expect(dkim.results.map(({ status }) => status.result)).toEqual(["pass"]);
      for (const { selector } of dkim.results) selectors.add(String(selector));
    }
    expect(selectors).toContain("mb1");
    await eventually(async () => {
      const subject = `after the rotation ${Math.random()}`;
      const { address } = await client.createInbox(key, { domain: "turn.example" });
      await send(key, address, subject);
      const { dkim } = await judge(await arrived(subject));
      expect(dkim.results.map(({ selector }) => selector)).toEqual(["mb2"]);
    });
  },
  MAILS_TIMEOUT_MS,
);
