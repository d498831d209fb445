// Registers a verified domain with the mail provider, and reads the records and the status that it has there.
import type { ProviderDomain } from "#db/domain-records.ts";
import type { domains } from "#db/schema/domains.ts";
import type { Services } from "../../base/context.ts";
import type { IdentityFailure, Outbound } from "../../base/ports/outbound.ts";

const REASON_CHARS = 500;
const RETRY_AFTER_MAX_MS = 6 * 3_600_000;
const NOTHING: ProviderDomain = {
  ref: null,
  status: "pending",
  reason: null,
  is_waiting: false,
  retry_at: null,
  records: [],
};

type Row = Pick<typeof domains.$inferSelect, "domain" | "status" | "provider"> & { granted?: boolean };
type Needs = Pick<Services, "outbound" | "now">;
type Identities = NonNullable<Outbound["identities"]>;

/**
 * The provider's account belongs to the operator, so a domain is registered only while it is verified, or if the operator
 * granted it.
 * @returns null if the provider has no identities
 */
export async function askProvider({ outbound, now }: Needs, row: Row): Promise<ProviderDomain | null> {
  const { identities } = outbound;
  if (!identities) return null;
  const before = row.provider ?? NOTHING;
  if (row.status !== "verified" && !row.granted) return row.provider;
  if (before.retry_at !== null && now() < new Date(before.retry_at)) return before;
  const opened =
    before.ref === null ? await identities.open(row.domain) : { outcome: "done" as const, ref: before.ref };
  if (opened.outcome !== "done") return troubled(before, opened, now());
  // The operator gave no right to see domains, so nothing is known of them.
  if (opened.ref === null) return { ...NOTHING, status: "ready" };
  return shown(identities, row.domain, { ...before, ref: opened.ref }, now());
}

async function shown(
  identities: Identities,
  domain: string,
  before: ProviderDomain & { ref: string },
  now: Date,
): Promise<ProviderDomain> {
  const state = await identities.show(domain, before.ref);
  if (state.outcome === "gone") {
    return { ...NOTHING, reason: "The mail provider no longer has the domain. The next check adds it again." };
  }
  if (state.outcome !== "done") return troubled(before, state, now);
  const { status, detail, records, isWaiting } = state;
  const reason = status === "ready" ? null : `The mail provider has not verified the domain. Its status is ${detail}.`;
  return { ref: before.ref, status, reason, is_waiting: isWaiting, retry_at: null, records };
}

/** A domain that could send can still send. */
function troubled(before: ProviderDomain, failure: IdentityFailure, now: Date): ProviderDomain {
  const error = failure.error.replace(/\p{Cc}+/gu, " ").slice(0, REASON_CHARS);
  const pause = failure.outcome === "retry" ? failure.retryAfterMs : undefined;
  const retryAt = pause === undefined ? null : new Date(now.getTime() + Math.min(pause, RETRY_AFTER_MAX_MS));
  return {
    ...before,
    reason: before.status === "ready" ? null : `The mail provider did not answer as expected: ${error}`,
    retry_at: retryAt?.toISOString() ?? null,
  };
}

/** Makes the provider check DNS, if it waits for that. The next check reads its result. */
export async function startVerification(
  { outbound, now }: Needs,
  provider: ProviderDomain | null,
): Promise<ProviderDomain | null> {
  if (!outbound.identities || !provider?.ref || !provider.is_waiting || provider.retry_at !== null) return provider;
  const started = await outbound.identities.verify(provider.ref);
  return started.outcome === "done" ? provider : troubled(provider, started, now());
}
