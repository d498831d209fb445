// Shows a domain on the wire.
import type { DomainRecord, RecordPurpose } from "#db/domain-records.ts";
import type { Services } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import type { ProviderName } from "../base/ports/provider-events.ts";
import type { DomainRow } from "./find.ts";

export const SENDING: RecordPurpose[] = ["spf", "dkim", "return_path_mx", "return_path_spf"];

type Needs = Pick<Services, "settings" | "providerEvents">;
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

type Outcomes = { by: ("local" | "return_path" | ProviderName)[]; reason: string | null };
/** They replace the return path. Names below these hosts, as their documentation gives them. */
const REPLACING: { name: ProviderName; hosts: RegExp; setting: string }[] = [
  { name: "postmark", hosts: /(?:^|\.)postmarkapp\.com$/i, setting: "POSTMARK_WEBHOOK_SECRET" },
  { name: "mailgun", hosts: /(?:^|\.)mailgun\.(?:org|com)$/i, setting: "MAILGUN_SIGNING_KEY" },
  { name: "sendgrid", hosts: /(?:^|\.)sendgrid\.net$/i, setting: "SENDGRID_PUBLIC_KEY" },
];
const NO_WAY = "Bounces, complaints and deliveries are not reported.";

/** How it becomes known what became of mail that the next server accepted. */
function outcomesOf({ settings, providerEvents }: Needs, { records }: DomainRow): Outcomes {
  const { OUTBOUND, OUTBOUND_SMTP_URL = "" } = settings;
  if (OUTBOUND === "local") return { by: ["local"], reason: null };
  if (OUTBOUND === "resend") {
    if (providerEvents.resend) return { by: ["resend"], reason: null };
    return { by: [], reason: `${NO_WAY} The operator must set RESEND_WEBHOOK_SECRET.` };
  }
  const by: Outcomes["by"] = (Object.keys(providerEvents) as ProviderName[]).filter((name) => name !== "resend");
  const host = URL.parse(OUTBOUND_SMTP_URL)?.hostname ?? "";
  const relay = REPLACING.find(({ hosts }) => hosts.test(host));
  if (relay && !by.includes(relay.name)) {
    return { by, reason: `${NO_WAY} ${host} replaces the return path: the operator must set ${relay.setting}.` };
  }
  if (relay) return { by, reason: null };
  const missing = notFound(records, ["return_path_mx", "return_path_spf"]);
  const hasPath = missing.length === 0 && records.some(({ purpose }) => purpose === "return_path_mx");
  if (hasPath) by.push("return_path");
  if (by.length > 0) return { by, reason: null };
  const [first] = missing;
  const record = first ? problemOf(first) : "The records of its return path are listed after the domain is verified.";
  return {
    by,
    reason: `${NO_WAY} ${record} If the relay replaces the return path, the operator must set up its events.`,
  };
}

function recordView({ purpose, type, name, value, priority, status, observed, fix }: DomainRecord) {
  return { purpose, type, name, value, priority, status, observed, fix };
}

export function domainView(ctx: Needs, row: DomainRow) {
  const { records } = row;
  return {
    id: encodeId("dom", row.id),
    domain: row.domain,
    status: row.status,
    granted: row.granted,
    catch_all: row.status === "verified" ? row.catch_all : null,
    ownership: ownershipOf(row),
    sending: sendingView(row),
    receiving: partOf(records, ["mx"]),
    outcomes: outcomesOf(ctx, row),
    records: records.map(recordView),
    created_at: row.created_at.toISOString(),
    verified_at: row.verified_at?.toISOString() ?? null,
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    next_check_at: row.next_check_at.toISOString(),
  };
}
