// Lists the DNS records that a domain needs.
import type { DomainRecord, ProviderRecord } from "#db/domain-records.ts";
import { isLoopback, type Settings } from "../../base/env.ts";
import { POLICY_HOST, policyId } from "./mta-sts.ts";

const MX_PRIORITY = 10;

export type Expected = Pick<DomainRecord, "purpose" | "type" | "name" | "value" | "priority" | "required">;
/** The result for one record; `observed` is limited to what concerns it. */
export type Judgement = Pick<DomainRecord, "status" | "observed" | "fix">;
type Names = Pick<Settings, "SMTP_HOSTNAME" | "SPF_MECHANISMS" | "SMTP_TLS_CERT" | "PUBLIC_URL">;
/** `state`: only the key that signs is required. */
export type PublishedKey = { selector: string; public_key: string; state: "signing" | "next" | "retired" };

/** The longest name below a domain that is looked up. */
export const LONGEST_PREFIX = "_mailberth.bounce.";

/** The domain of the envelope sender of mail from `domain`. */
function returnPathDomain(domain: string): string {
  return `bounce.${domain}`;
}

function ownershipValue(token: string): string {
  return `mailberth-verification=${token}`;
}

function txt(purpose: DomainRecord["purpose"], name: string, value: string): Expected {
  return { purpose, type: "TXT", name, value, priority: null, required: true };
}

function mx(purpose: DomainRecord["purpose"], name: string, { SMTP_HOSTNAME }: Names): Expected {
  return { purpose, type: "MX", name, value: SMTP_HOSTNAME.toLowerCase(), priority: MX_PRIORITY, required: true };
}

/** The records that this service's own sending needs: for a relay, and for DEFAULT_DOMAIN. */
function ownSending(domain: string, keys: PublishedKey[], settings: Names): Expected[] {
  const path = returnPathDomain(domain);
  return [
    txt("spf", domain, `v=spf1 ${settings.SPF_MECHANISMS} ~all`),
    ...keys.map((key) => ({
      ...txt("dkim", `${key.selector}._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${key.public_key}`),
      required: key.state === "signing",
    })),
    mx("return_path_mx", path, settings),
    txt("return_path_spf", path, `v=spf1 ${settings.SPF_MECHANISMS} -all`),
  ];
}

/**
 * The records by which senders insist on TLS, and report where it fails (RFC 8460). A policy is only offered where this service
 * has a certificate of the operator and can be reached for it.
 */
function transport(domain: string, settings: Names): Expected[] {
  const reports = txt("tls_rpt", `_smtp._tls.${domain}`, `v=TLSRPTv1; rua=mailto:postmaster@${domain}`);
  const { protocol, hostname } = new URL(settings.PUBLIC_URL);
  if (!settings.SMTP_TLS_CERT || protocol !== "https:" || isLoopback(hostname)) return [reports];
  return [
    txt("mta_sts", `_mta-sts.${domain}`, `v=STSv1; id=${policyId(settings)}`),
    { ...txt("mta_sts_policy", `${POLICY_HOST}${domain}`, hostname), type: "CNAME" },
    reports,
  ];
}

/**
 * @param domain `token`: null for DEFAULT_DOMAIN, which no organization can claim. `keys`: all that may still be looked up.
 * `provider`: the records of a mail provider that replace ours; undefined where mail is sent by ourselves
 */
export function expectedRecords(
  settings: Names,
  domain: { domain: string; token: string | null; keys: PublishedKey[]; provider: ProviderRecord[] | undefined },
): Expected[] {
  const { domain: name, token, keys, provider } = domain;
  return [
    ...(token === null ? [] : [txt("ownership", `_mailberth.${name}`, ownershipValue(token))]),
    mx("mx", name, settings),
    ...(provider?.map((record) => ({ ...record, required: true })) ?? ownSending(name, keys, settings)),
    ...[txt("dmarc", `_dmarc.${name}`, "v=DMARC1; p=none;"), ...transport(name, settings)].map((record) => ({
      ...record,
      required: false,
    })),
  ];
}
