// The RFC 7208 test suite of the OpenSPF project, through `authenticate`, against a zone of each scenario's own.
import { authenticate } from "#server/receiving/authentication/authenticate.ts";
import { type Zone, type ZoneName, zoneDns } from "#test/support/zone.ts";
import { runSuite, type Scenario } from "./suite.ts";

const RAW = Buffer.from("From: ada@example.com\r\n\r\nHello\r\n");
const NO_RECORDS = { A: [], AAAA: [], MX: [], PTR: [], CNAME: [], TXT: [] };

type Vector = { helo: string; host: string; mailfrom: string; result: string | string[] };
type Entry = "TIMEOUT" | Record<string, string | string[] | [number, string]>;
type WithZone = Scenario<Vector> & { zonedata: Record<string, Entry[]> };

/** SPF records are TXT records too, unless the name says what its TXT records are. */
function zoneName(entries: Entry[]): ZoneName {
  const name = structuredClone(NO_RECORDS) as Required<Omit<ZoneName, "fails">>;
  const spf: string[][] = [];
  const records = entries.filter((entry) => entry !== "TIMEOUT").flatMap((entry) => Object.entries(entry));
  for (const [type, value] of records) {
    if (type === "SPF") spf.push([value].flat() as string[]);
    else if (type === "MX") name.MX.push({ priority: Number(value[0]), exchange: String(value[1]) });
    else if (type !== "TXT") name[type as "A" | "AAAA" | "PTR" | "CNAME"].push(String(value));
    else if (value !== "NONE") name.TXT.push([value].flat() as string[]);
  }
  if (!records.some(([type]) => type === "TXT")) name.TXT = spf;
  return entries.includes("TIMEOUT") ? { ...name, fails: "ETIMEOUT" } : name;
}

function zoneOf({ zonedata }: WithZone): Zone {
  return Object.fromEntries(Object.entries(zonedata).map(([name, entries]) => [name, zoneName(entries)]));
}

runSuite<Vector, WithZone>({
  name: "RFC 7208 suite",
  file: "spf/rfc7208-tests.yml",
  vectors: 203,
  expected: ({ result }) => [result].flat(),
  async judge({ helo, host, mailfrom }, scenario) {
    const mail = { raw: RAW, remoteIp: host, helo, envelopeFrom: mailfrom, from: "ada@example.com" };
    return (await authenticate(mail, zoneDns(zoneOf(scenario)), { hostname: "receiver.example.com" })).authentication
      .spf;
  },
  skipped: {},
  deviations: {},
});
