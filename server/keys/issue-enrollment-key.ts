// Issues an enrollment key, for the operators' command and for members.
import { enrollmentKeys } from "#db/schema/enrollment.ts";
import { DEFAULT_SCOPES, type InboxAccess } from "#db/scopes.ts";
import { type Ctx, type Member, SCOPES, type Scope, type System } from "../base/context.ts";
import { invalidField } from "../base/errors.ts";
import { readTime } from "../base/id-range.ts";
import { encodeId, newId } from "../base/ids.ts";
import { newToken, tokenHash } from "../base/secrets.ts";
import { checkMembersDomains, readAllowedDomain } from "../grants/allowed-domains.ts";
import { claimDomains } from "../grants/domain-grants.ts";
import { baseOf } from "../grants/granted-domains.ts";
import { findOrganization } from "../organizations/organizations.ts";
import { getEnrollmentKey } from "./list-enrollment-keys.ts";

export const MAILBOXES_MAX = 10_000_000;

type IssueInput = {
  /** Id or name; for the operators' command, which must give it. */
  organization?: string | undefined;
  name?: string | undefined;
  max_mailboxes: number;
  /** Exact domains, or `*.example.com`; absent: DEFAULT_DOMAIN alone. */
  allowed_domains?: string[] | undefined;
  /** Absent: DEFAULT_SCOPES. */
  scopes?: string[] | undefined;
  /** Absent: `organization`. */
  inbox_access?: InboxAccess | undefined;
  /** ISO 8601, in the future; absent: the key does not expire. */
  expires_at?: string | undefined;
};

/**
 * The operators' command also grants the domains of the key to its organization, until the key is revoked or expires. A member's
 * key grants nothing.
 * @returns what `getEnrollmentKey` returns, and `key`, the bearer token `mb_enroll_…`, which is shown nowhere else
 * @throws ServiceError `not_found` (organization), `invalid_request`, `domain_not_verified`
 */
export async function issueEnrollmentKey(ctx: Ctx<System | Member>, input: IssueInput) {
  const { actor, settings } = ctx;
  const organizationId = await readOrganization(ctx, input.organization);
  const allowed = await readDomains(ctx, input.allowed_domains ?? [settings.DEFAULT_DOMAIN]);
  const id = newId();
  const key = newToken("enroll", id);
  const row = {
    id,
    organization_id: organizationId,
    name: input.name ?? "",
    secret_hash: tokenHash(key),
    allowed_domains: allowed,
    inbox_access: input.inbox_access ?? "organization",
    scopes: readScopes(input.scopes ?? [...DEFAULT_SCOPES]),
    max_mailboxes: readQuota(input.max_mailboxes),
    expires_at: readExpiry(ctx, input.expires_at),
    created_at: ctx.now(),
  };
  const domains = allowed.filter((domain) => domain !== settings.DEFAULT_DOMAIN).map(baseOf);
  await ctx.db.transaction(async (tx) => {
    await tx.insert(enrollmentKeys).values(row);
    if (actor.kind === "system") await claimDomains(tx, ctx, { organizationId, domains, enrollmentKeyId: id });
  });
  return { ...(await getEnrollmentKey(ctx, encodeId("ekey", id))), key };
}

async function readOrganization(ctx: Ctx<System | Member>, organization = ""): Promise<string> {
  const { actor } = ctx;
  if (actor.kind === "member") return actor.organizationId;
  return (await findOrganization({ ...ctx, actor }, organization)).id;
}

async function readDomains(ctx: Ctx<System | Member>, texts: string[]): Promise<string[]> {
  const { actor } = ctx;
  const domains = texts.map((text) => {
    const domain = readAllowedDomain(text);
    if (!domain) throw invalidField("allowed_domains", `${text} is not a domain name`);
    return domain;
  });
  if (actor.kind === "member") await checkMembersDomains({ ...ctx, actor }, domains);
  return [...new Set(domains)];
}

function readScopes(names: string[]): Scope[] {
  if (names.length === 0) throw invalidField("scopes", `at least one of ${SCOPES.join(" ")}`);
  return [...new Set(names.map(readScope))];
}

/** @throws ServiceError `invalid_request` */
export function readScope(name: string): Scope {
  const scope = SCOPES.find((known) => known === name);
  if (!scope) throw invalidField("scopes", `${name} is none of ${SCOPES.join(" ")}`);
  return scope;
}

export function readQuota(mailboxes: number): number {
  const isQuota = Number.isSafeInteger(mailboxes) && mailboxes >= 0 && mailboxes <= MAILBOXES_MAX;
  if (!isQuota) throw invalidField("max_mailboxes", `must be a whole number from 0 to ${MAILBOXES_MAX}`);
  return mailboxes;
}

export function readExpiry({ now }: Ctx<System | Member>, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const expiry = readTime(text);
  if (expiry <= now()) throw invalidField("expires_at", "This time has passed.");
  return expiry;
}
