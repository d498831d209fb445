// The operators' command `domains check`: the records of DEFAULT_DOMAIN, and what DNS has of them.
import { afterAll, describe, expect, test } from "vitest";
import { startResendDouble } from "#test/support/resend-double.ts";
import { type DnsRecord, loadZoneFile, startDomains } from "./rig.ts";

const rig = await startDomains();
const { service, zone } = rig;
afterAll(rig.stop);

async function check(more: object = {}): Promise<DnsRecord[]> {
  const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");
  const { code, text } = await rig.command(["domains", "check", "--json"], { ENCRYPTION_KEY, ...more });
  if (code !== 0) throw new Error(text);
  return (JSON.parse(text) as { data: DnsRecord[] }).data;
}

test("prints each record; all are found once they are published, with the same DKIM key", async () => {
  const before = await check();
  expect(before.map(({ purpose, status }) => [purpose, status])).toEqual(
    ["mx", "spf", "dkim", "return_path_mx", "return_path_spf", "dmarc", "tls_rpt"].map((purpose) => [
      purpose,
      "missing",
    ]),
  );
  for (const { name, type, value, priority } of before) {
    const data = type === "MX" ? `MX ${priority} ${value}.` : `TXT "${value}"`;
    loadZoneFile(zone, `${name}. 3600 IN ${data}`);
  }
  expect((await check()).map(({ status }) => status)).toEqual(before.map(() => "found"));
});

test("a record whose name is too long for DNS is missing, whatever the name servers do", async () => {
  const domain = `${"long-label.".repeat(22)}org`;
  const name = `mb1._domainkey.${domain}`;
  expect([domain.length, name.length]).toEqual([245, 260]);
  const dkim = (await check({ DEFAULT_DOMAIN: domain })).find((record) => record.name === name);
  expect(dkim).toMatchObject({ purpose: "dkim", status: "missing", observed: [], fix: expect.stringMatching(/^Add /) });
});

describe("with OUTBOUND=resend", async () => {
  const double = await startResendDouble();
  const settings = { OUTBOUND: "resend", RESEND_API_KEY: double.apiKey, RESEND_BASE_URL: double.url };
  afterAll(() => double.close());

  test("says why Resend does not show the domain", async () => {
    double.faults.answer = { status: 500, name: "internal_server_error" };
    await expect(check(settings)).rejects.toThrow(/The mail provider did not answer as expected: 500/);
    double.faults.answer = undefined;
  });

  test("prints Resend's records, and Resend checks them once DNS has them", async () => {
    const before = await check(settings);
    const { DEFAULT_DOMAIN: domain } = service.settings;
    expect(before.map(({ purpose, name }) => [purpose, name])).toEqual([
      ["mx", domain],
      ["return_path_mx", `send.${domain}`],
      ["return_path_spf", `send.${domain}`],
      ["dkim", `resend._domainkey.${domain}`],
      ["dkim", `two._domainkey.${domain}`],
      ["dmarc", `_dmarc.${domain}`],
      ["tls_rpt", `_smtp._tls.${domain}`],
    ]);
    const [there] = double.account.domains;
    expect(there).toMatchObject({ name: domain, status: "not_started" });
    for (const { name, type, value, priority } of before.filter(({ status }) => status !== "found")) {
      const data = type === "TXT" ? `TXT "${value}"` : `${type} ${priority === null ? "" : `${priority} `}${value}.`;
      loadZoneFile(zone, `${name}. 3600 IN ${data}`);
    }
    expect((await check(settings)).map(({ status }) => status)).toEqual(before.map(() => "found"));
    expect(there?.status).toBe("pending");
  });
});
