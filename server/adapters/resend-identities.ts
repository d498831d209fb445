// Sender identities at Resend: its domains, which are found or created, shown with their DNS records, and removed.
import type { DomainRecords, DomainStatus, Resend } from "resend";
import { getDomain } from "tldts";
import type { IdentityOutcome, IdentityRecord, IdentityState, Outbound } from "../base/ports/outbound.ts";
import { type Failure, failed, type Within } from "./resend-failures.ts";

type Identities = NonNullable<Outbound["identities"]>;

const DOMAIN_TIMEOUT_MS = 15_000;
const DOMAINS_PER_PAGE = 100;
const MAX_DOMAIN_PAGES = 50;
/** Resend allows a few requests a second, so mailboxes created together on one domain share one lookup. */
const DOMAIN_KNOWN_FOR_MS = 60_000;
const DOMAINS_KNOWN_MAX = 1_000;
/** With our own records, at most 20 are shown. */
const RECORDS_MAX = 15;
const CREATED = "created:";

/** A sending-only key cannot list domains. The operator then manages them, and there is nothing to open or close. */
function identityFailed(failure: Failure): IdentityOutcome {
  return failure.error.name === "restricted_api_key" ? { outcome: "done", ref: null } : failed(failure);
}

/** The id of a domain of this account; undefined if there is none of that name. */
async function findDomain(resend: Resend, name: string, within: Within): Promise<Failure | { id: string | undefined }> {
  let after: string | undefined;
  for (let page = 0; page < MAX_DOMAIN_PAGES; page++) {
    const query = { limit: DOMAINS_PER_PAGE, ...(after && { after }) };
    const answer = await resend.domains.list(query, within(DOMAIN_TIMEOUT_MS));
    if (answer.error) return answer;
    const found = answer.data.data.find((domain) => domain.name.toLowerCase() === name);
    after = answer.data.data.at(-1)?.id;
    if (found || !answer.data.has_more || !after) return { id: found?.id };
  }
  return { id: undefined };
}

/** Resend names records within the zone: below the registrable domain, or in full. */
function fullName(name: string, domain: string): string {
  const plain = name.toLowerCase().replace(/\.$/, "");
  if (plain === "" || plain === "@") return domain;
  if (plain === domain || plain.endsWith(`.${domain}`)) return plain;
  const zone = getDomain(domain, { allowPrivateDomains: true }) ?? domain;
  const below = domain === zone ? "" : domain.slice(0, -zone.length - 1);
  return below && (plain === below || plain.endsWith(`.${below}`)) ? `${plain}.${zone}` : `${plain}.${domain}`;
}

/** Undefined for records that sending does not need: receiving and tracking. */
function recordOf(domain: string, record: DomainRecords): IdentityRecord | undefined {
  if (record.record !== "SPF" && record.record !== "DKIM") return undefined;
  const { type, value } = record;
  const returnPath = type === "TXT" ? "return_path_spf" : "return_path_mx";
  return {
    purpose: record.record === "DKIM" ? "dkim" : returnPath,
    type,
    name: fullName(record.name, domain),
    value: type === "TXT" ? value.replace(/^"(.*)"$/, "$1") : value.toLowerCase().replace(/\.$/, ""),
    priority: type === "MX" ? (record.priority ?? 10) : null,
  };
}

/** https://resend.com/docs/dashboard/domains/manage-domains: `partially_…`: sending and receiving differ. */
function stateOf(domain: string, status: DomainStatus, all: DomainRecords[]): IdentityState {
  const ours = all.filter(({ record }) => record === "SPF" || record === "DKIM").slice(0, RECORDS_MAX);
  const isReady = status === "verified" || (ours.length > 0 && ours.every((one) => one.status === "verified"));
  const hasFailed = /fail/.test(status);
  return {
    status: isReady ? "ready" : hasFailed ? "failed" : "pending",
    detail: status,
    isWaiting: !isReady && (status === "not_started" || hasFailed),
    records: ours.flatMap((record) => recordOf(domain, record) ?? []),
  };
}

function idOf(ref: string): string {
  return ref.slice(ref.indexOf(":") + 1);
}

type Api = { resend: Resend; within: Within };

/** A domain that existed before is the operator's. */
async function removeCreated({ resend, within }: Api, refs: string[]): Promise<IdentityOutcome> {
  for (const ref of new Set(refs.filter((one) => one.startsWith(CREATED)))) {
    const answer = await resend.domains.remove(idOf(ref), within(DOMAIN_TIMEOUT_MS));
    if (answer.error && answer.error.name !== "not_found") return identityFailed(answer);
  }
  return { outcome: "done", ref: null };
}

async function showDomain({ resend, within }: Api, domain: string, ref: string): ReturnType<Identities["show"]> {
  const answer = await resend.domains.get(idOf(ref), within(DOMAIN_TIMEOUT_MS));
  if (answer.error && answer.error.name !== "not_found") return failed(answer);
  if (answer.data?.name.toLowerCase() !== domain) return { outcome: "gone" };
  return { outcome: "done", ...stateOf(domain, answer.data.status, answer.data.records) };
}

/** A sender identity is a domain, which its mailboxes share. */
export function domainIdentities(resend: Resend, within: Within): Identities {
  const known = new Map<string, { id: string; until: number }>();
  function done(domain: string, id: string, how: "found" | "created"): IdentityOutcome {
    if (known.size >= DOMAINS_KNOWN_MAX) known.clear();
    known.set(domain, { id, until: performance.now() + DOMAIN_KNOWN_FOR_MS });
    return { outcome: "done", ref: `${how}:${id}` };
  }
  async function open(domain: string): Promise<IdentityOutcome> {
    const seen = known.get(domain);
    if (seen && performance.now() < seen.until) return { outcome: "done", ref: `found:${seen.id}` };
    const before = await findDomain(resend, domain, within);
    if ("error" in before) return identityFailed(before);
    if (before.id) return done(domain, before.id, "found");
    const created = await resend.domains.create({ name: domain }, within(DOMAIN_TIMEOUT_MS));
    if (!created.error) return done(domain, created.data.id, "created");
    // Another worker may have created it since the lookup.
    const since = await findDomain(resend, domain, within);
    return "id" in since && since.id ? done(domain, since.id, "found") : identityFailed(created);
  }
  return {
    open,
    close(domain, refs) {
      known.delete(domain);
      return removeCreated({ resend, within }, refs);
    },
    async show(domain, ref) {
      const state = await showDomain({ resend, within }, domain, ref);
      if (state.outcome === "gone") known.delete(domain);
      return state;
    },
    async verify(ref) {
      const answer = await resend.domains.verify(idOf(ref), within(DOMAIN_TIMEOUT_MS));
      return answer.error ? failed(answer) : { outcome: "done", ref };
    },
  };
}
