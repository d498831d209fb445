// Reads DNS records of one name as bounded text, without waiting longer than a limit.
import type { Services } from "../../base/context.ts";
import type { DnsAnswers } from "../../ports/dns.ts";

const LOOKUP_MS = 8_000;
/** Of one answer; further records are ignored. */
const RECORDS_MAX = 100;
/** Of one record; a 2048-bit DKIM key needs about 420. */
const RECORD_CHARS = 4_096;
const NO_RECORDS = new Set(["ENOTFOUND", "ENODATA"]);

/** `unreadable`: DNS did not answer, so nothing is known. */
export type Lookup = { state: "found"; values: string[] } | { state: "none" } | { state: "unreadable"; code: string };

/** An MX record is `<priority> <host>`. The strings of one TXT record are joined (RFC 7208 §3.3, RFC 6376 §3.6.2.2). */
export async function readRecords(
  { dns }: Pick<Services, "dns">,
  name: string,
  type: "TXT" | "MX" | "CNAME",
): Promise<Lookup> {
  try {
    const answer = await within(LOOKUP_MS, dns.resolve(name, type, { fresh: true }));
    return { state: "found", values: answer.slice(0, RECORDS_MAX).map(textOf) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no code";
    return NO_RECORDS.has(code) ? { state: "none" } : { state: "unreadable", code };
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
