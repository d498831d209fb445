// Evaluates DMARC for the author of a mail (RFC 7489, RFC 9989), and whether the author's domain authenticated the
// mail.
import { domainToASCII } from "node:url";
import type { DNSResolver } from "mailauth";
import { evaluateDmarc } from "mailauth/lib/dmarc/index.js";
import { getDomain } from "tldts";

/** The domains of passed checks, and the domains of checks that a failed DNS query left open. */
export type Vouchers = { passed: string[]; unknown: string[] };

type Verdict = { dmarc: "pass" | "fail" | "none" | "temperror" | "permerror"; aligned: boolean };

function plainDomain(domain: string): string {
  return domainToASCII(domain.replace(/\.$/, "")).toLowerCase();
}

/** The domain of an address: the text after its last `@`. */
export function domainOf(address: string): string {
  return plainDomain(address.slice(address.lastIndexOf("@") + 1).trim());
}

/** Relaxed alignment by the Public Suffix List (RFC 7489 §3.2), for domains without a policy. */
function sameOrganization(a: string, b: string): boolean {
  const organization = getDomain(a, { allowPrivateDomains: true });
  return a === b || (organization !== null && organization === getDomain(b, { allowPrivateDomains: true }));
}

async function evaluate(from: string, spfDomains: string[], dkimDomains: string[], resolver: DNSResolver) {
  const { response } = await evaluateDmarc({
    headerFrom: [from],
    fromFields: 1,
    spfDomains,
    dkimDomains: dkimDomains.map((domain) => ({ domain })),
    resolver,
    strict: true,
  });
  return response ? response.status.result : "permerror";
}

/**
 * Queries the policy of `from` during the other checks. A sender can make those slow with its own DNS, and must not get
 * a `temperror` that way.
 */
export async function fetchPolicy(from: string, resolver: DNSResolver): Promise<void> {
  if (domainOf(from)) await evaluate(from, [], [], resolver);
}

/**
 * `from` is the mail's only author. Without a policy, alignment is relaxed. If the policy could not be queried, only
 * the same domain is aligned, as under every policy. A failure that an open check of the author's organization could
 * have changed is a `temperror`.
 */
export async function judgeDmarc(from: string, spf: Vouchers, dkim: Vouchers, resolver: DNSResolver): Promise<Verdict> {
  const author = domainOf(from);
  const vouched = [...spf.passed, ...dkim.passed].map(plainDomain).filter(Boolean);
  const result = author ? await evaluate(from, spf.passed, dkim.passed, resolver) : "permerror";
  if (result === "pass") return { dmarc: "pass", aligned: true };
  if (result === "none") return { dmarc: "none", aligned: vouched.some((domain) => sameOrganization(domain, author)) };
  if (result === "temperror") return { dmarc: "temperror", aligned: vouched.includes(author) };
  if (result !== "fail") return { dmarc: "permerror", aligned: false };
  const unknown = spf.unknown.length + dkim.unknown.length > 0;
  const atBest = unknown ? await evaluate(from, spf.unknown, dkim.unknown, resolver) : "fail";
  return { dmarc: atBest === "fail" ? "fail" : "temperror", aligned: false };
}
