// Enrollment keys, as operators and members issue and revoke them, and as operators list them.
import { and, desc, eq, isNull } from "drizzle-orm";
import type { TransactionSql } from "postgres";
import { enrollmentKeys } from "#db/schema/enrollment.ts";
import { type Ctx, SCOPES, type System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId, newId } from "../base/ids.ts";
import { newToken, tokenHash } from "../base/secrets.ts";
import { checkMembersDomains, readAllowedDomain } from "../domains/allowed-domains.ts";
import { claimDomains } from "../domains/domain-grants.ts";
import { baseOf } from "../domains/granted-domains.ts";
import { findOrganization } from "../organizations/organizations.ts";
import { isKept, type Keeper } from "./key-admin.ts";
import { enrollmentKeyView } from "./view.ts";

export const MAILBOXES_MAX = 10_000_000;

export type EnrollmentGrant = {
  /** Id or name, for the operators to say; a member's is known. */
  organization?: string | undefined;
  maxMailboxes: number;
  /** Exact domains, or `*.example.com`; absent: DEFAULT_DOMAIN alone. */
  allowedDomains?: string[] | undefined;
  expiresAt?: Date | undefined;
  name?: string | undefined;
};

/**
 * Domains of a key that the operators' command issues are granted to the organization for as long as the key is neither revoked
 * nor expired. A member's key grants nothing.
 * @returns the key's row and `key`, the bearer token `mb_enroll_…`, which is shown nowhere else
 * @throws ServiceError `not_found` (organization), `invalid_request`
 */
export async function issueEnrollmentKey(ctx: Ctx<Keeper>, grant: EnrollmentGrant) {
  const { settings, actor } = ctx;
  const organizationId = await organizationOf(ctx, grant);
  const { maxMailboxes } = grant;
  if (!Number.isSafeInteger(maxMailboxes) || maxMailboxes < 0 || maxMailboxes > MAILBOXES_MAX) {
    throw new ServiceError("invalid_request", `max-mailboxes: a whole number from 0 to ${MAILBOXES_MAX}`);
  }
  const allowed = await domainsOf(ctx, grant);
  const id = newId();
  const key = newToken("enroll", id);
  const row = {
    id,
    organization_id: organizationId,
    name: grant.name ?? "",
    secret_hash: tokenHash(key),
    allowed_domains: allowed,
    scopes: [...SCOPES],
    max_mailboxes: maxMailboxes,
    expires_at: grant.expiresAt ?? null,
    created_at: ctx.now(),
  };
  const domains = allowed.filter((domain) => domain !== settings.DEFAULT_DOMAIN).map(baseOf);
  return ctx.sql.begin(async (tx) => {
    const inserted = await insertKey(tx, row);
    if (actor.kind === "system") await claimDomains(tx, ctx, { organizationId, domains, enrollmentKeyId: id });
    return { ...enrollmentKeyView(inserted), key };
  });
}

type KeyRow = typeof enrollmentKeys.$inferSelect;

async function insertKey(tx: TransactionSql, row: Partial<KeyRow>): Promise<KeyRow> {
  const [inserted] = await tx<[KeyRow]>`insert into enrollment_keys ${tx(row)} returning *`;
  return inserted;
}

async function organizationOf(ctx: Ctx<Keeper>, { organization = "" }: EnrollmentGrant): Promise<string> {
  const { actor } = ctx;
  if (actor.kind === "member") return actor.organizationId;
  const { id } = await findOrganization({ ...ctx, actor }, organization);
  return id;
}

async function domainsOf(ctx: Ctx<Keeper>, { allowedDomains }: EnrollmentGrant): Promise<string[]> {
  const { actor, settings } = ctx;
  const domains = (allowedDomains ?? [settings.DEFAULT_DOMAIN]).map((text) => {
    const domain = readAllowedDomain(text);
    if (!domain) throw new ServiceError("invalid_request", `allowed-domains: ${text} is not a domain name`);
    return domain;
  });
  if (actor.kind === "member") await checkMembersDomains({ ...ctx, actor }, domains);
  return [...new Set(domains)];
}

/** Every enrollment key, newest first, without secrets. */
export async function listEnrollmentKeys(ctx: Ctx<System>) {
  const rows = await ctx.db.select().from(enrollmentKeys).orderBy(desc(enrollmentKeys.id));
  return rows.map(enrollmentKeyView);
}

/**
 * Revokes the key and, with it, every agent that was enrolled with it.
 * @throws ServiceError `enrollment_key_not_found`
 */
export async function revokeEnrollmentKey(ctx: Ctx<Keeper>, wireId: string) {
  const id = decodeId("ekey", wireId);
  const named = id && and(eq(enrollmentKeys.id, id), isKept(ctx, enrollmentKeys.organization_id));
  if (named) {
    await ctx.db
      .update(enrollmentKeys)
      .set({ revoked_at: ctx.now() })
      .where(and(named, isNull(enrollmentKeys.revoked_at)));
  }
  const [row] = named ? await ctx.db.select().from(enrollmentKeys).where(named) : [];
  if (!row) throw new ServiceError("enrollment_key_not_found", `There is no enrollment key ${wireId}.`);
  return enrollmentKeyView(row);
}
