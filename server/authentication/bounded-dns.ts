// One mail's questions to the DNS: each asked once, counted, and ended with the mail's time.
import type { DNSResolver } from "mailauth";
import type { Dns, DnsType } from "../ports/dns.ts";

/** More than all limits of mailauth together: SPF 111, DKIM and ARC 61 keys, DMARC 11 walks of at most 8 names, twice. */
const QUESTIONS = 400;
/** The DNS knows: there is no such record. */
const DEFINITE = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

export type BoundedDns = {
  /** As mailauth calls it. What is known is answered; the rest is `ETIMEOUT` once the mail's time is up. */
  resolver: DNSResolver;
  /** Names, in lower case, whose records nobody knew this time. */
  unknown: Set<string>;
};

function timeout(name: string): Error {
  return Object.assign(new Error(`no time left to ask for ${name}`), { code: "ETIMEOUT" });
}

/** `ended` aborts when the mail's time is up. */
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
