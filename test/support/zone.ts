// A DNS in memory: what a test's names hold, behind the port of server/base/ports/dns.ts.
import { setTimeout } from "node:timers/promises";
import type { Dns, DnsAnswers, DnsType } from "#server/base/ports/dns.ts";

const ALIASES = 8;
const NAME_CHARS = 253;
const LABEL_CHARS = 63;

/** `fails`: every question that the name has no records for ends with this code. */
export type ZoneName = Partial<DnsAnswers> & { fails?: "ETIMEOUT" | "ESERVFAIL" | "EREFUSED" };

/** By name, without a dot at the end, in any case. */
export type Zone = Record<string, ZoneName>;

export type ZoneDns = Dns & {
  /** `TXT example.com`, in the order asked. */
  asked: string[];
};

export type Found = { records: unknown[] } | { code: string };

/** What a resolver says to one question. A name above one that exists exists too (RFC 8020). */
export function lookUp(zone: Zone, name: string, type: DnsType): Found {
  const labels = name.split(".");
  if (name.length > NAME_CHARS || labels.some((label) => !label || label.length > LABEL_CHARS))
    return { code: "EBADNAME" };
  const names = new Map(Object.entries(zone).map(([key, value]) => [key.toLowerCase(), value]));
  let at = name.toLowerCase();
  for (let hops = 0; hops < ALIASES; hops += 1) {
    const entry = names.get(at);
    const records = entry?.[type];
    if (records && records.length > 0) return { records };
    if (entry?.fails) return { code: entry.fails };
    const alias = entry?.CNAME?.[0];
    if (!alias)
      return { code: entry || [...names.keys()].some((key) => key.endsWith(`.${at}`)) ? "ENODATA" : "ENOTFOUND" };
    at = alias.toLowerCase();
  }
  return { code: "ESERVFAIL" };
}

/** Answers after `delayMs`, as the network would. */
export function zoneDns(zone: Zone, { delayMs = 0 }: { delayMs?: number } = {}): ZoneDns {
  const asked: string[] = [];
  let closed = false;
  return {
    asked,
    async resolve<T extends DnsType>(name: string, type: T): Promise<DnsAnswers[T]> {
      asked.push(`${type} ${name}`);
      if (delayMs > 0) await setTimeout(delayMs);
      const found = closed ? { code: "ECANCELLED" } : lookUp(zone, name, type);
      if ("code" in found) throw Object.assign(new Error(`${type} of ${name}: ${found.code}`), { code: found.code });
      return structuredClone(found.records) as DnsAnswers[T];
    },
    close() {
      closed = true;
    },
  };
}
