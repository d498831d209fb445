// Reads the domain that a caller names, and decides whether it can be claimed.
import { DOMAIN_CHARS, readDomain } from "../base/addresses.ts";
import type { Settings } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";
import { grantFault } from "../grants/granted-domains.ts";
import { LONGEST_PREFIX } from "./dns/expected.ts";

const CLAIMED_MAX_CHARS = DOMAIN_CHARS - LONGEST_PREFIX.length;

/** A domain in lower-case ASCII. A trailing dot, as zone files write it, is removed. */
export function readName(text: string): string | undefined {
  return readDomain(text.trim().replace(/\.$/, ""));
}

/** @throws ServiceError `invalid_request` if no organization can own the name */
export function readClaim(settings: Settings, text: string): string {
  const domain = readName(text);
  if (!domain) throw invalid("is not a domain name such as example.com");
  const fault = grantFault(settings, domain);
  if (fault) throw invalid(`${fault}. Use a domain that your organization owns`);
  if (domain.length > CLAIMED_MAX_CHARS) throw invalid(`is longer than ${CLAIMED_MAX_CHARS} characters`);
  return domain;
}

function invalid(message: string): ServiceError {
  return new ServiceError("invalid_request", `domain: ${message}.`, { issues: [{ path: "domain", message }] });
}
