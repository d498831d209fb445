// The policy by which senders insist on TLS when they deliver to a domain (MTA-STS, RFC 8461).
import { createHash } from "node:crypto";
import type { Settings } from "../../base/env.ts";

type Named = Pick<Settings, "SMTP_HOSTNAME">;

/** Senders keep a policy this long. */
const MAX_AGE_SECONDS = 604_800;
const ID_CHARS = 20;

/** The host whose certificate and answer prove that a policy is the domain's own (RFC 8461 §3.3). */
export const POLICY_HOST = "mta-sts.";

/** The lines of RFC 8461 §3.2. */
export function policyText({ SMTP_HOSTNAME }: Named): string {
  return `version: STSv1\r\nmode: enforce\r\nmx: ${SMTP_HOSTNAME.toLowerCase()}\r\nmax_age: ${MAX_AGE_SECONDS}\r\n`;
}

/** Another one for another policy, so that senders read it again (RFC 8461 §3.1). */
export function policyId(settings: Named): string {
  return createHash("sha256").update(policyText(settings)).digest("hex").slice(0, ID_CHARS);
}
