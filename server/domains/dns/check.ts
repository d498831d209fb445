// Looks up all records of a domain and compares them with the expected ones.
import { getDomain } from "tldts";
import type { DomainRecord } from "#db/domain-records.ts";
import type { Services } from "../../base/context.ts";
import { type DnsAnswers, NO_RECORD } from "../../base/ports/dns.ts";
import type { Expected, Judgement } from "./expected.ts";
import { addFix, judge } from "./judge.ts";

// Reads DNS records of one name as bounded text, without waiting longer than a limit.
const LOOKUP_MS = 8_000;
/** Of one answer; further records are ignored. */
const RECORDS_MAX = 100;
/** Of one record; a 2048-bit DKIM key needs about 420. */
const RECORD_CHARS = 4_096;

/** `unreadable`: DNS did not answer, so nothing is known. */
type Lookup = { state: "found"; values: string[] } | { state: "none" } | { state: "unreadable"; code: string };

/** An MX record is `<priority> <host>`. The strings of one TXT record are joined (RFC 7208 §3.3, RFC 6376 §3.6.2.2). */
async function readRecords(
  { dns }: Pick<Services, "dns">,
  name: string,
  type: "TXT" | "MX" | "CNAME",
): Promise<Lookup> {
  try {
    const answer = await within(LOOKUP_MS, dns.resolve(name, type, { fresh: true }));
    return { state: "found", values: answer.slice(0, RECORDS_MAX).map(textOf) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no code";
    return NO_RECORD.has(code) ? { state: "none" } : { state: "unreadable", code };
  }
}

function textOf(record: DnsAnswers["TXT" | "MX" | "CNAME"][number]): string {
  if (typeof record === "string") return plain(record).toLowerCase();
  if (Array.isArray(record)) return plain(record.join(""));
  return `${record.priority} ${plain(record.exchange).toLowerCase().replace(/\.$/, "")}`;
}

/** DNS may contain any octet; PostgreSQL and JSON do not store all of them. */
function plain(text: string): string {
  return text
    .slice(0, RECORD_CHARS)
    .replace(/\p{Cc}/gu, "�")
    .toWellFormed();
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error(`no answer within ${ms} ms`), { code: "ETIMEOUT" });
    timer = setTimeout(() => reject(error), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const OBSERVED_MAX = 5;
const OBSERVED_CHARS = 500;
const FIX_CHARS = 1_000;

/** Whether two records are the same one: its value may have changed since. */
function isSameRecord(a: Pick<Expected, "purpose" | "name">, b: Pick<Expected, "purpose" | "name">): boolean {
  return a.purpose === b.purpose && a.name === b.name;
}

const UNKNOWN = { status: "missing" as const, observed: [], found_before: false, readable: true };

/** The expected records, with the results that are known of them. */
export function withKnown(expected: Expected[], known: DomainRecord[]): DomainRecord[] {
  return expected.map((record) => {
    const before = known.find((one) => isSameRecord(one, record) && one.value === record.value);
    return { ...(before ?? { ...UNKNOWN, fix: ended(addFix(record)) }), ...record };
  });
}

/** @param known results of earlier checks: a record that cannot be read keeps its status */
export async function checkRecords(
  services: Pick<Services, "dns">,
  expected: Expected[],
  known: DomainRecord[],
): Promise<DomainRecord[]> {
  return Promise.all(
    withKnown(expected, known).map(async (before) => {
      const { status, observed, fix, readable = true } = await checkRecord(services, before);
      return {
        ...before,
        status,
        observed: observed.slice(0, OBSERVED_MAX).map((text) => text.slice(0, OBSERVED_CHARS)),
        fix: fix === null ? null : ended(fix),
        found_before: before.found_before || status === "found",
        readable,
      };
    }),
  );
}

function ended(fix: string): string {
  return `${fix.slice(0, FIX_CHARS)}.`;
}

type Result = Judgement & { readable?: boolean };

async function checkRecord(services: Pick<Services, "dns">, before: DomainRecord): Promise<Result> {
  const lookup = await readRecords(services, before.name, before.type);
  if (lookup.state === "unreadable") return unreadable(before, lookup.code);
  const judgement = judge(before, lookup.state === "found" ? lookup.values : []);
  if (judgement.status === "found" || before.type === "CNAME") return judgement;
  if (before.purpose === "dmarc" && judgement.status === "missing") {
    return (await inheritedPolicy(services, before)) ?? judgement;
  }
  return (await aliasAt(services, before)) ?? judgement;
}

/** Nothing is known, so the last result stays. */
function unreadable({ status, name, type, fix }: DomainRecord, code: string): Result {
  const observed = [`could not be read (${code})`];
  const wait = `The name servers of ${name} did not answer for ${type}: check them, or wait for the next check`;
  return { status, observed, fix: status === "found" ? null : (fix?.replace(/\.$/, "") ?? wait), readable: false };
}

/** A subdomain uses the policy of its organizational domain (RFC 7489 §6.6.3). */
async function inheritedPolicy(services: Pick<Services, "dns">, record: DomainRecord): Promise<Judgement | undefined> {
  const domain = record.name.slice("_dmarc.".length);
  const above = getDomain(domain, { allowPrivateDomains: true });
  if (above === null || above === domain) return undefined;
  const lookup = await readRecords(services, `_dmarc.${above}`, "TXT");
  const judgement = lookup.state === "found" ? judge(record, lookup.values) : undefined;
  return judgement?.status === "found" ? judgement : undefined;
}

/** A CNAME at the name hides every other record there (RFC 1034 §3.6.2). */
async function aliasAt(services: Pick<Services, "dns">, record: DomainRecord): Promise<Judgement | undefined> {
  const lookup: Lookup = await readRecords(services, record.name, "CNAME");
  if (lookup.state !== "found") return undefined;
  const observed = lookup.values.map((target) => `CNAME ${target}`);
  return {
    status: "mismatch",
    observed,
    fix: `Remove the CNAME record at ${record.name}, then ${addFix(record).replace(/^Add/, "add")}`,
  };
}
