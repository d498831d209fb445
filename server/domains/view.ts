// Shows a domain on the wire.
import type { DomainRecord, RecordPurpose } from "#db/domain-records.ts";
import { encodeId } from "../base/ids.ts";
import type { DomainRow } from "./find.ts";

export const SENDING: RecordPurpose[] = ["spf", "dkim", "return_path_mx", "return_path_spf"];

type Part = { status: "pending" | "ready" | "failing"; reason: string | null };

/** `The TXT record x is missing.` */
function problemOf({ type, name, status }: DomainRecord): string {
  return `The ${type} record ${name} is ${status === "missing" ? "missing" : "not as expected"}.`;
}

/** The records that one part of a domain needs and that were not found. */
export function notFound(records: DomainRecord[], purposes: RecordPurpose[]): DomainRecord[] {
  return records.filter(({ purpose, status, required }) => {
    return required && purposes.includes(purpose) && status !== "found";
  });
}

function partOf(records: DomainRecord[], purposes: RecordPurpose[]): Part {
  const bad = notFound(records, purposes);
  const [first] = bad;
  if (!first) return { status: "ready", reason: null };
  const isFailing = bad.some(({ status, found_before }) => status === "mismatch" || found_before);
  return { status: isFailing ? "failing" : "pending", reason: problemOf(first) };
}

/** DNS first, then what the mail provider says. */
export function sendingOf({ records, provider }: Pick<DomainRow, "records" | "provider">): Part {
  const part = partOf(records, SENDING);
  if (part.status !== "ready") return part;
  if (provider === null) {
    const isListed = records.some(({ purpose }) => purpose === "dkim");
    return isListed ? part : { status: "pending", reason: "Its DNS records are listed after the domain is verified." };
  }
  const { status, reason } = provider;
  return status === "ready" ? part : { status: status === "failed" ? "failing" : "pending", reason };
}

function ownershipOf({ status, records }: DomainRow): Part {
  const part = partOf(records, ["ownership"]);
  if (part.status !== "ready" || status === "verified") return part;
  return { status: "failing", reason: "Another organization holds this domain or one above it." };
}

/** Mail of a granted domain leaves at once; it is signed as soon as DNS has the record of its key. */
function sendingView(row: DomainRow): Part {
  const part = sendingOf(row);
  const isSigned =
    notFound(row.records, ["dkim"]).length === 0 && row.records.some(({ purpose }) => purpose === "dkim");
  if (!row.granted || row.status === "verified" || isSigned) return part;
  const until = partOf(row.records, ["dkim"]).reason ?? part.reason ?? "";
  return { ...part, reason: `Mail leaves unsigned by this service: your relay must sign it. ${until}`.trimEnd() };
}

function recordView({ purpose, type, name, value, priority, status, observed, fix }: DomainRecord) {
  return { purpose, type, name, value, priority, status, observed, fix };
}

export function domainView(row: DomainRow) {
  const { records } = row;
  return {
    id: encodeId("dom", row.id),
    domain: row.domain,
    status: row.status,
    granted: row.granted,
    ownership: ownershipOf(row),
    sending: sendingView(row),
    receiving: partOf(records, ["mx"]),
    records: records.map(recordView),
    created_at: row.created_at.toISOString(),
    verified_at: row.verified_at?.toISOString() ?? null,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    next_check_at: row.next_check_at.toISOString(),
  };
}
