// The types of the jsonb columns of `domains`, and the size of their token.

/** The token that proves a claim in DNS, in hex there. */
export const CLAIM_TOKEN_BYTES = 20;

export const RECORD_PURPOSES = [
  "ownership",
  "mx",
  "spf",
  "dkim",
  "dmarc",
  "mta_sts",
  "mta_sts_policy",
  "tls_rpt",
  "return_path_mx",
  "return_path_spf",
] as const;
export type RecordPurpose = (typeof RECORD_PURPOSES)[number];

/** A DNS record that the domain should have, with the result of the last check. */
export type DomainRecord = {
  purpose: RecordPurpose;
  type: "TXT" | "MX" | "CNAME";
  name: string;
  value: string;
  /** Of an MX record. */
  priority: number | null;
  status: "missing" | "mismatch" | "found";
  /** What DNS answered, as bounded text. */
  observed: string[];
  /** What to do; null where the record was found. */
  fix: string | null;
  /** Whether an earlier check found it. */
  found_before: boolean;
  /** Whether the last check got an answer. Without one, `status` is that of the check before. */
  readable: boolean;
  /** Whether its part of the domain needs it. A policy is recommended, and the next or the last DKIM key can wait. */
  required: boolean;
};

/** A record that the mail provider wants for its own sending identity. */
export type ProviderRecord = Pick<DomainRecord, "purpose" | "type" | "name" | "value" | "priority">;

/** A domain at the mail provider. */
export type ProviderDomain = {
  /** The provider's id of it; null if it has none yet, or if the operator manages domains there. */
  ref: string | null;
  status: "pending" | "ready" | "failed";
  /** Why it cannot send; null if it can. */
  reason: string | null;
  /** The provider checks the records only when asked to. */
  is_waiting: boolean;
  /** The provider asked for no request before this time. */
  retry_at: string | null;
  records: ProviderRecord[];
};
