// DMARC for the one author of a mail (RFC 7489, RFC 9989), and whether that author's domain vouched for the mail.
import { domainToASCII } from "node:url";
import type { DNSResolver } from "mailauth";
import { evaluateDmarc } from "mailauth/lib/dmarc/index.js";
import { getDomain } from "tldts";

/** What a check found out, as domains: those that vouched, and those that might have, had the DNS answered. */
export type Vouchers = { passed: string[]; unknown: string[] };

type Verdict = { dmarc: "pass" | "fail" | "none" | "temperror" | "permerror"; aligned: boolean };

function plainDomain(domain: string): string {
  return domainToASCII(domain.replace(/\.$/, "")).toLowerCase();
}

/** The domain of an address: what follows its last `@`. */
export function domainOf(address: string): string {
  return plainDomain(address.slice(address.lastIndexOf("@") + 1).trim());
}

/** Relaxed alignment by the Public Suffix List (RFC 7489 §3.2): for domains that publish no policy to walk to. */
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
 * Asks for the policy of `from` while the other checks run: whoever sent the mail can make those slow, with the DNS of
 * domains of their own, and must not gain a `temperror` by it.
 */
export async function fetchPolicy(from: string, resolver: DNSResolver): Promise<void> {
  if (domainOf(from)) await evaluate(from, [], [], resolver);
}

/**
 * `from` is the mail's only author. With no policy published, alignment is relaxed; where the policy could not be asked for,
 * only the same domain is aligned, as it is under every policy. A failure that an unknown voucher of the author's own
 * organization could have turned is a `temperror`.
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
