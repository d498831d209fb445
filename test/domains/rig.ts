// A service whose DNS is a server on loopback, and what tests of domains do with it.
import { runCommand } from "#server/admin.ts";
import { type Answer, api, type Failure } from "#test/support/api.ts";
import { startDnsServer } from "#test/support/dns-server.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import type { Zone } from "#test/support/zone.ts";

export type DnsRecord = {
  purpose: string;
  type: "TXT" | "MX" | "CNAME";
  name: string;
  value: string;
  priority: number | null;
  status: "missing" | "mismatch" | "found";
  observed: string[];
  fix: string | null;
};
type Part = { status: string; reason: string | null };
export type Domain = {
  id: string;
  domain: string;
  status: string;
  ownership: Part;
  sending: Part;
  receiving: Part;
  records: DnsRecord[];
  verified_at: string | null;
  last_checked_at: string | null;
  next_check_at: string;
};

/** Longer than the pause between two checks of a domain. */
const PAUSE_MS = 11_000;
const LINE = /^(\S+)\. \d+ IN (TXT|MX|CNAME) (.+)$/;

/** The records of a zone file as the DNS server serves them. */
export function loadZoneFile(zone: Zone, text: string): void {
  for (const line of text.split("\n").filter((one) => one && !one.startsWith(";"))) {
    const [, name = "", type, data = ""] = LINE.exec(line) ?? [];
    if (type === "TXT") {
      const strings = [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = ""]) => part.replace(/\\(.)/g, "$1"));
      put(zone, name, { TXT: [strings] });
    } else if (type === "MX") {
      const [priority = "", exchange = ""] = data.split(" ");
      put(zone, name, { MX: [{ priority: Number(priority), exchange: exchange.replace(/\.$/, "") }] });
    } else if (type === "CNAME") {
      put(zone, name, { CNAME: [data.replace(/\.$/, "")] });
    } else throw new Error(`not a line of a zone file: ${line}`);
  }
}

function put(zone: Zone, name: string, records: Zone[string]): void {
  const at = zone[name] ?? {};
  zone[name] = at;
  if (records.TXT) at.TXT = [...(at.TXT ?? []), ...records.TXT];
  if (records.MX) at.MX = [...(at.MX ?? []), ...records.MX];
  if (records.CNAME) at.CNAME = records.CNAME;
}

/** @param environment settings beside those of the DNS */
export async function startDomains(environment: Parameters<typeof startTestService>[0] = {}) {
  const dns = await startDnsServer({});
  const clock = adjustableClock();
  const service = await startTestService(
    { ROLES: "web", SMTP_HOSTNAME: "mx.mail.example", ...environment, DNS_SERVERS: dns.address },
    { now: clock.now },
  );
  const client = api(service);
  const path = (domain: string, rest = "") => `/v1/domains/${encodeURIComponent(domain)}${rest}`;

  async function claim(key: string, domain: string): Promise<Domain> {
    const answer = await client.post<Domain>("/v1/domains", { domain }, { key });
    if (answer.status !== 201) throw new Error(`POST /v1/domains: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** Checks DNS now; the clock moves on first, because a domain is checked once in ten seconds. */
  function verify(key: string, domain: string): Promise<Answer<Domain & Failure>> {
    clock.advance(PAUSE_MS);
    return client.post<Domain & Failure>(path(domain, "/verify"), undefined, { key });
  }

  /** Runs a command of the operator on this service. @param more settings beside those of the service */
  async function command(args: string[], more: object = {}): Promise<{ code: number; text: string }> {
    const { DATA_DIR, DEFAULT_DOMAIN, SMTP_HOSTNAME } = service.settings;
    const output = { text: "" };
    const stdout = { write: (text: string) => (output.text += text) };
    const own = { NODE_ENV: "test" as const, DATA_DIR, DEFAULT_DOMAIN, SMTP_HOSTNAME };
    const reached = { DATABASE_URL: service.database.url, DNS_SERVERS: dns.address };
    const code = await runCommand(args, { environment: { ...own, ...reached, ...more }, stdout, stderr: stdout });
    return { code, ...output };
  }

  async function zoneFile(key: string, domain: string): Promise<string> {
    return (await client.get<string>(path(domain, "/zone-file"), { key })).text;
  }

  /** Claims a domain, publishes all its records and verifies it. */
  async function own(key: string, domain: string): Promise<Domain> {
    await claim(key, domain);
    loadZoneFile(dns.zone, await zoneFile(key, domain));
    const { body, text } = await verify(key, domain);
    if (body.status !== "verified") throw new Error(`${domain} was not verified: ${text}`);
    return body;
  }

  return {
    service,
    client,
    clock,
    dns,
    zone: dns.zone,
    path,
    claim,
    verify,
    command,
    zoneFile,
    own,
    async stop() {
      await client.close();
      await service.stop();
      await dns.close();
    },
  };
}

/** The record of that purpose; the first one, if there are several. */
export function recordOf({ records }: Pick<Domain, "records">, purpose: string): DnsRecord {
  const record = records.find((one) => one.purpose === purpose);
  if (!record) throw new Error(`no record ${purpose}`);
  return record;
}
