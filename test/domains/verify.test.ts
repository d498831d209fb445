// POST /v1/domains/{domain}/verify against a real DNS server: what makes a record found, and what DNS must not do.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ZoneName } from "#test/support/zone.ts";
import { type Domain, loadZoneFile, recordOf, startDomains } from "./rig.ts";

const rig = await startDomains({ SPF_MECHANISMS: "a:mx.mail.example include:_spf.relay.example" });
const { service, client, clock, dns, zone, path, claim, verify, zoneFile, own } = rig;
afterAll(rig.stop);

const { agentKey: key } = await service.newOrganization();

test("the zone file, loaded into a DNS server, verifies the domain without an edit", async () => {
  await claim(key, "zone.example");
  const answer = await client.get<string>(path("zone.example", "/zone-file"), { key });
  expect(answer.headers["content-type"]).toBe("text/plain");
  const strings = [...answer.text.matchAll(/"([^"]*)"/g)].map(([, text = ""]) => text.length);
  expect(Math.max(...strings)).toBe(255);
  loadZoneFile(zone, answer.text);
  const { body } = await verify(key, "zone.example");
  expect(body).toMatchObject({
    status: "verified",
    ownership: { status: "ready", reason: null },
    sending: { status: "ready", reason: null },
    receiving: { status: "ready", reason: null },
  });
  for (const record of body.records) expect(record).toMatchObject({ status: "found", fix: null });
  expect(body.verified_at).not.toBeNull();
});

test("records turn found one after the other, with the first missing one as the reason", async () => {
  const domain = await claim(key, "slow.example");
  let last: Domain = domain;
  for (const record of domain.records) {
    loadZoneFile(zone, `${record.name}. 3600 IN ${lineOf(record)}`);
    last = (await verify(key, "slow.example")).body;
    expect(last.records.find(({ purpose }) => purpose === record.purpose)?.status).toBe("found");
  }
  expect(last.sending.status).toBe("ready");
});

function lineOf({ type, value, priority }: Domain["records"][number]): string {
  return type === "MX" ? `MX ${priority} ${value}.` : `TXT "${value.slice(0, 200)}" "${value.slice(200)}"`;
}

test("checks a domain once in 10 seconds", async () => {
  await claim(key, "often.example");
  await verify(key, "often.example");
  const again = await client.post(path("often.example", "/verify"), undefined, { key });
  expect(again).toMatchObject({ status: 429, body: { error: { code: "rate_limited" } } });
  const seconds = Number(again.headers["retry-after"]);
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(10);
  clock.advance(seconds * 1_000);
  expect((await client.post(path("often.example", "/verify"), undefined, { key })).status).toBe(200);
});

describe("what a name may hold", () => {
  let domain: Domain;
  beforeAll(async () => {
    domain = await own(key, "judge.example");
  });

  async function judged(name: string, records: ZoneName, purpose: string) {
    const before = zone[name];
    zone[name] = records;
    const { body } = await verify(key, "judge.example");
    if (before) zone[name] = before;
    else delete zone[name];
    return recordOf(body, purpose);
  }
  const spf = (...texts: string[][]) =>
    judged("judge.example", { MX: zone["judge.example"]?.MX ?? [], TXT: texts }, "spf");
  const dkim = (...texts: string[][]) => judged("mb1._domainkey.judge.example", { TXT: texts }, "dkim");
  const needed = "a:mx.mail.example include:_spf.relay.example";

  test.each([
    ["other mechanisms beside ours", [[`v=spf1 ip4:192.0.2.1 ${needed} -all`]]],
    ["upper case and a qualifier", [["V=SPF1 +A:MX.mail.example +INCLUDE:_spf.relay.example ?all"]]],
    ["other TXT records", [["google-site-verification=x"], [`v=spf1 ${needed} ~all`]]],
    ["several strings, joined without spaces", [["v=spf1 a:mx.mail", `.example include:_spf.relay.example -all`]]],
  ])("SPF is found with %s", async (_what, texts) => {
    expect(await spf(...texts)).toMatchObject({ status: "found", fix: null });
  });

  test("quotation marks in the value are a mismatch that is named", async () => {
    const fix = "Remove the quotation marks from the value of the TXT record";
    const text = `"v=spf1 ${needed} ~all"`;
    expect(await spf([text])).toMatchObject({ status: "mismatch", observed: [text], fix: `${fix} judge.example.` });
    const { value } = recordOf(domain, "dkim");
    const split = `"${value.slice(0, 200)}" "${value.slice(200)}"`;
    expect(await dkim([split])).toMatchObject({ status: "mismatch", fix: expect.stringContaining(fix) });
    expect(await spf([`"v=spf1 -all"`])).toMatchObject({ status: "missing" });
  });

  test("two SPF records are a mismatch, and the fix is one record", async () => {
    const record = await spf(["v=spf1 include:_spf.google.com ~all"], [`v=spf1 ${needed} -all`]);
    expect(record.status).toBe("mismatch");
    expect(record.observed).toHaveLength(2);
    expect(record.fix).toContain(`v=spf1 ${needed} include:_spf.google.com -all`);
  });

  test.each([
    ["without one of our mechanisms", "v=spf1 a:mx.mail.example -all"],
    ["with ours after `all`", `v=spf1 -all ${needed}`],
    ["with ours refused", "v=spf1 -a:mx.mail.example -include:_spf.relay.example ~all"],
  ])("SPF %s is a mismatch, and the fix is the whole record", async (_what, text) => {
    const record = await spf([text]);
    expect(record).toMatchObject({ status: "mismatch", observed: [text] });
    expect(record.fix).toContain(`v=spf1 ${needed}`);
  });

  test("an MX record beside ours is a mismatch only where it comes first", async () => {
    const TXT = zone["judge.example"]?.TXT ?? [];
    const ours = { exchange: "MX.mail.example", priority: 10 };
    const other = (priority: number) => ({ exchange: "mx.else.example", priority });
    expect(await judged("judge.example", { TXT, MX: [other(20), ours] }, "mx")).toMatchObject({ status: "found" });
    expect(await judged("judge.example", { TXT, MX: [ours, other(10)] }, "mx")).toMatchObject({ status: "mismatch" });
    const first = await judged("judge.example", { TXT, MX: [ours, other(5)] }, "mx");
    expect(first).toMatchObject({ status: "mismatch", observed: expect.arrayContaining(["5 mx.else.example"]) });
    expect(first.fix).toContain("lowest priority");
  });

  test("a DKIM key is found with any spaces and strings, and not with another key", async () => {
    const { value } = recordOf(domain, "dkim");
    const p = value.split("p=")[1] ?? "";
    const spaced = ["k=rsa;", ` p = ${p.slice(0, 100)} `, ` ${p.slice(100)} ; t=s`];
    expect(await dkim(spaced)).toMatchObject({ status: "found" });
    expect(await dkim([`v=DKIM1; p=${p.slice(4)}`])).toMatchObject({ status: "mismatch" });
    expect(await dkim(["v=DKIM1; p="])).toMatchObject({ status: "mismatch" });
    expect(await dkim([value], ["v=DKIM1; p=AAAA"])).toMatchObject({ status: "mismatch" });
    expect(await dkim(["unrelated"])).toMatchObject({ status: "missing", observed: [] });
  });

  test("a stricter DMARC policy is found; two or broken ones are not", async () => {
    const dmarc = (...texts: string[][]) => judged("_dmarc.judge.example", { TXT: texts }, "dmarc");
    expect(await dmarc(["v=DMARC1; p=reject; rua=mailto:x@judge.example"])).toMatchObject({ status: "found" });
    expect(await dmarc(["v=DMARC1; p=none"], ["v=DMARC1; p=reject"])).toMatchObject({ status: "mismatch" });
    expect(await dmarc(["v=DMARC1; pct=3"])).toMatchObject({ status: "mismatch" });
  });

  test("a missing DMARC policy does not stop mail from being sent", async () => {
    const before = zone["_dmarc.judge.example"];
    delete zone["_dmarc.judge.example"];
    const { body } = await verify(key, "judge.example");
    expect(recordOf(body, "dmarc").status).toBe("missing");
    expect(body.sending.status).toBe("ready");
    zone["_dmarc.judge.example"] = before ?? {};
  });

  test("a CNAME at the name is named, with its target", async () => {
    const record = await judged("_mailberth.judge.example", { CNAME: ["parking.example"] }, "ownership");
    expect(record).toMatchObject({ status: "mismatch", observed: ["CNAME parking.example"] });
    expect(record.fix).toContain("Remove the CNAME record at _mailberth.judge.example");
  });

  test("a CNAME to a name that has the record counts", async () => {
    zone["their-dns.example"] = { TXT: [[recordOf(domain, "ownership").value]] };
    expect(await judged("_mailberth.judge.example", { CNAME: ["their-dns.example"] }, "ownership")).toMatchObject({
      status: "found",
    });
  });

  test("another organization's ownership record may stand beside ours", async () => {
    const { value } = recordOf(domain, "ownership");
    const records = { TXT: [["mailberth-verification=another"], [value]] };
    expect(await judged("_mailberth.judge.example", records, "ownership")).toMatchObject({ status: "found" });
  });

  test("octets that are no text, and control characters, are shown as text", async () => {
    const record = await judged("_mailberth.judge.example", { TXT: [["a\u0000b\u001b[31mc"]] }, "ownership");
    expect(record).toMatchObject({ status: "mismatch" });
    expect(JSON.stringify(record.observed)).not.toMatch(/\\u00(00|1b)/);
  });

  test("64 kB of TXT records are shown in part", async () => {
    const text = Array.from({ length: 15 }, () => "x".repeat(250));
    const TXT = Array.from({ length: 16 }, (_, i) => [`${i} `, ...text]);
    const record = await judged("_mailberth.judge.example", { TXT }, "ownership");
    expect(record.status).toBe("mismatch");
    expect(record.observed).toHaveLength(5);
    for (const observed of record.observed) expect(observed.length).toBeLessThanOrEqual(500);
  });
});

describe("DNS that cannot be read", () => {
  test.each(["ESERVFAIL", "ETIMEOUT", "EREFUSED"] as const)(
    "%s leaves a verified domain as it is",
    async (fails) => {
      const name = `${fails.toLowerCase()}.example`;
      await own(key, name);
      for (const at of Object.keys(zone).filter((one) => one.endsWith(name))) zone[at] = { fails };
      const { body, status } = await verify(key, name);
      expect({ status, domain: body.status }).toEqual({ status: 200, domain: "verified" });
      expect([body.ownership.status, body.sending.status, body.receiving.status]).toEqual(["ready", "ready", "ready"]);
      for (const record of body.records) expect(record.observed[0]).toMatch(/^could not be read \(E/);
    },
    60_000,
  );

  test("a record that was found while another organization held the domain proves nothing later", async () => {
    const [holder, other] = [await service.newOrganization(), await service.newOrganization()];
    const name = "handed-on.example";
    await claim(holder.agentKey, name);
    await claim(other.agentKey, name);
    loadZoneFile(zone, await zoneFile(holder.agentKey, name));
    loadZoneFile(zone, await zoneFile(other.agentKey, name));
    expect((await verify(holder.agentKey, name)).body.status).toBe("verified");
    expect((await verify(other.agentKey, name)).body.error?.code).toBe("domain_taken");
    expect((await client.delete(path(name), { key: holder.agentKey })).status).toBe(200);
    const before = zone[`_mailberth.${name}`] ?? {};
    zone[`_mailberth.${name}`] = { fails: "ESERVFAIL" };
    const { body, status } = await verify(other.agentKey, name);
    expect({ status, domain: body.status }).toEqual({ status: 200, domain: "pending" });
    zone[`_mailberth.${name}`] = before;
    expect((await verify(other.agentKey, name)).body.status).toBe("verified");
  });

  test.each(["loop", "wrong_id", "garbage"] as const)(
    "%s verifies nothing",
    async (lie) => {
      const name = `${lie.replace("_", "-")}.example`;
      await claim(key, name);
      loadZoneFile(zone, await zoneFile(key, name));
      dns.lies.set(`_mailberth.${name}`, lie);
      const { body, status } = await verify(key, name);
      expect({ status, domain: body.status }).toEqual({ status: 200, domain: "pending" });
      dns.lies.delete(`_mailberth.${name}`);
      expect((await verify(key, name)).body.status).toBe("verified");
    },
    60_000,
  );
});
