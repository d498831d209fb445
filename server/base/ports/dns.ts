// The port to the DNS, for sender authentication and for checks of domains. Implemented by server/adapters/dns-resolver.ts and by the zones of the
// tests; both are tested by test/contracts/dns.

/** The records of an answer, by type. Never empty; TXT as the character-strings of each record. */
export type DnsAnswers = {
  TXT: string[][];
  MX: { exchange: string; priority: number }[];
  A: string[];
  AAAA: string[];
  PTR: string[];
  CNAME: string[];
};

export type DnsType = keyof DnsAnswers;

/** Codes of an answer that there is no such record. Any other code is a temporary failure. */
export const NO_RECORD: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

export type Dns = {
  /**
   * Resolves a name, following CNAMEs; the name has no trailing dot and may be in any case. Callers must not change the
   * result. Rejects with an error whose `code` is that of Node's resolver: `ENOTFOUND` no such name, `ENODATA` no such
   * records, `EBADNAME` not a valid name (RFC 1035 §2.3.4). Any other code (`ETIMEOUT`, `ESERVFAIL`, `EREFUSED`,
   * `ECONNREFUSED`, `ECANCELLED`) is a temporary failure.
   * @param options `fresh`: asks the servers even if an answer is cached
   */
  resolve<T extends DnsType>(name: string, type: T, options?: { fresh?: boolean }): Promise<DnsAnswers[T]>;
  /** Ends running and later queries with `ECANCELLED`. */
  close(): void;
};
