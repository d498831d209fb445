// The DNS queries of one mail: deduplicated, counted, and ended at the mail's deadline.
import type { DNSResolver } from "mailauth";
import type { Dns, DnsType } from "../ports/dns.ts";

/**
 * More than all limits of mailauth together: SPF 111, DKIM and ARC 61 keys, DMARC 11 walks of at most 8 names, twice.
 */
const QUESTIONS = 400;
/** Answers that mean there is no such record. */
const DEFINITE = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

export type BoundedDns = {
  /** The function that mailauth calls. After the mail's deadline, unknown names give `ETIMEOUT`. */
  resolver: DNSResolver;
  /** Names, in lower case, whose query failed temporarily. */
  unknown: Set<string>;
};

function timeout(name: string): Error {
  return Object.assign(new Error(`no time left to query ${name}`), { code: "ETIMEOUT" });
}

/** `ended` aborts at the mail's deadline. */
export function boundDns(dns: Dns, ended: AbortSignal): BoundedDns {
  const unknown = new Set<string>();
  const answers = new Map<string, Promise<unknown>>();

  function ask(name: string, type: string): Promise<unknown> {
    if (ended.aborted || answers.size >= QUESTIONS) return Promise.reject(timeout(name));
    return new Promise((resolve, reject) => {
      const onEnd = () => reject(timeout(name));
      ended.addEventListener("abort", onEnd, { once: true });
      dns
        .resolve(name, type as DnsType)
        .then(resolve, reject)
        .finally(() => ended.removeEventListener("abort", onEnd));
    });
  }

  return {
    unknown,
    async resolver(name, type) {
      const key = `${type} ${name.toLowerCase()}`;
      const answer = answers.get(key) ?? ask(name, type);
      if (answers.size < QUESTIONS) answers.set(key, answer);
      try {
        return (await answer) as string[][];
      } catch (error) {
        if (!DEFINITE.has((error as { code?: string }).code ?? "")) unknown.add(name.toLowerCase());
        throw error;
      }
    },
  };
}
