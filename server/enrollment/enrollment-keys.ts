// Enrollment keys, as operators issue, list and revoke them.
import { and, desc, eq, isNull } from "drizzle-orm";
import { enrollmentKeys } from "#db/schema/enrollment.ts";
import { readDomain } from "../addresses.ts";
import { type Ctx, SCOPES, type System } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { decodeId, newId } from "../ids.ts";
import { newToken, tokenHash } from "../secrets.ts";
import { findOrganization } from "./organizations.ts";
import { enrollmentKeyView } from "./view.ts";

const MAILBOXES_MAX = 10_000_000;

export type EnrollmentGrant = {
  /** Id or name. */
  organization: string;
  maxMailboxes: number;
  /** Exact domains, or `*.example.com`; absent: DEFAULT_DOMAIN alone. */
  allowedDomains?: string[] | undefined;
  expiresAt?: Date | undefined;
  name?: string | undefined;
};

/**
 * @returns the key's row and `key`, the bearer token `mb_enroll_…`, which is shown nowhere else
 * @throws ServiceError `not_found` (organization), `invalid_request`
 */
export async function issueEnrollmentKey(ctx: Ctx<System>, grant: EnrollmentGrant) {
  const organization = await findOrganization(ctx, grant.organization);
  const { maxMailboxes } = grant;
  if (!Number.isSafeInteger(maxMailboxes) || maxMailboxes < 0 || maxMailboxes > MAILBOXES_MAX) {
    throw new ServiceError("invalid_request", `max-mailboxes: a whole number from 0 to ${MAILBOXES_MAX}`);
  }
  const id = newId();
  const key = newToken("enroll", id);
  const [row] = await ctx.db
    .insert(enrollmentKeys)
    .values({
      id,
      organization_id: organization.id,
      name: grant.name ?? "",
      secret_hash: tokenHash(key),
      allowed_domains: (grant.allowedDomains ?? [ctx.settings.DEFAULT_DOMAIN]).map(readAllowedDomain),
      scopes: [...SCOPES],
      max_mailboxes: maxMailboxes,
      expires_at: grant.expiresAt,
      created_at: ctx.now(),
    })
    .returning();
  return { ...enrollmentKeyView(row as typeof enrollmentKeys.$inferSelect), key };
}

function readAllowedDomain(text: string): string {
  const wildcard = text.startsWith("*.");
  const domain = readDomain(wildcard ? text.slice(2) : text);
  if (!domain) throw new ServiceError("invalid_request", `allowed-domains: ${text} is not a domain name`);
  return wildcard ? `*.${domain}` : domain;
}

/** Every enrollment key, newest first, without secrets. */
export async function listEnrollmentKeys(ctx: Ctx<System>) {
  const rows = await ctx.db.select().from(enrollmentKeys).orderBy(desc(enrollmentKeys.id));
  return rows.map(enrollmentKeyView);
}

/**
 * Revokes the key and, with it, every agent that was enrolled with it.
 * @throws ServiceError `not_found`
 */
export async function revokeEnrollmentKey(ctx: Ctx<System>, wireId: string) {
  const id = decodeId("ekey", wireId);
  if (id) {
    await ctx.db
      .update(enrollmentKeys)
      .set({ revoked_at: ctx.now() })
      .where(and(eq(enrollmentKeys.id, id), isNull(enrollmentKeys.revoked_at)));
  }
  const [row] = id ? await ctx.db.select().from(enrollmentKeys).where(eq(enrollmentKeys.id, id)) : [];
  if (!row) throw new ServiceError("not_found", `There is no enrollment key ${wireId}.`);
  return enrollmentKeyView(row);
}
