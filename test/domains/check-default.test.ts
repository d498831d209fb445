// The operators' command `domains check`: the records of DEFAULT_DOMAIN, and what DNS has of them.
import { afterAll, expect, test } from "vitest";
import { runCommand } from "#server/admin.ts";
import { type DnsRecord, loadZoneFile, startDomains } from "./rig.ts";

const rig = await startDomains();
const { service, dns, zone } = rig;
afterAll(rig.stop);

async function check(): Promise<DnsRecord[]> {
  const { DATA_DIR, DEFAULT_DOMAIN, SMTP_HOSTNAME } = service.settings;
  const output = { text: "" };
  const stdout = { write: (text: string) => (output.text += text) };
  const code = await runCommand(["domains", "check", "--json"], {
    environment: {
      NODE_ENV: "test",
      DATA_DIR,
      DEFAULT_DOMAIN,
      SMTP_HOSTNAME,
      DATABASE_URL: service.database.url,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
      DNS_SERVERS: dns.address,
    },
    stdout,
    stderr: stdout,
  });
  if (code !== 0) throw new Error(output.text);
  return (JSON.parse(output.text) as { data: DnsRecord[] }).data;
}

test("prints each record; all are found once they are published, with the same DKIM key", async () => {
  const before = await check();
  expect(before.map(({ purpose, status }) => [purpose, status])).toEqual(
    ["mx", "spf", "dkim", "return_path_mx", "return_path_spf", "dmarc"].map((purpose) => [purpose, "missing"]),
  );
  for (const { name, type, value, priority } of before) {
    const data = type === "MX" ? `MX ${priority} ${value}.` : `TXT "${value}"`;
    loadZoneFile(zone, `${name}. 3600 IN ${data}`);
  }
  expect((await check()).map(({ status }) => status)).toEqual(before.map(() => "found"));
});
