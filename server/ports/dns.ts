// The port to the DNS: what the checks of a mail's sender ask.
// Implemented by server/adapters/dns-resolver.ts and by the tests' zones, both held to test/contracts/dns.

/** What an answer holds, by record type. Never empty; TXT as the character-strings of each record. */
export type DnsAnswers = {
  TXT: string[][];
  MX: { exchange: string; priority: number }[];
  A: string[];
  AAAA: string[];
  PTR: string[];
  CNAME: string[];
};

export type DnsType = keyof DnsAnswers;

export type Dns = {
  /**
   * The records of a name, CNAMEs followed; names without a dot at the end, in any case. Who gets them never changes them.
   * Rejects with an error whose `code` says why, as Node's resolver does: `ENOTFOUND` no such name, `ENODATA` a name
   * without such records, `EBADNAME` no name at all (RFC 1035 §2.3.4); anything else (`ETIMEOUT`, `ESERVFAIL`, `EREFUSED`,
   * `ECONNREFUSED`, `ECANCELLED`) means that nobody knows, this time.
   */
  resolve<T extends DnsType>(name: string, type: T): Promise<DnsAnswers[T]>;
  /** Ends what is under way with `ECANCELLED`, and whatever is asked afterwards. */
  close(): void;
};
