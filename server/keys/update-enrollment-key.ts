// Changes the name, the quota and the expiry of an enrollment key, for members and for the operators' command. No agent may: it would
// raise its own quota.
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { domainGrants, enrollmentKeys } from "#db/schema/enrollment.ts";
import { settingsBetween } from "../activity/shown.ts";
import type { Ctx, Member, System } from "../base/context.ts";
import { invalidField } from "../base/errors.ts";
import { findEnrollmentKey } from "./find.ts";
import { readExpiry, readQuota } from "./issue-enrollment-key.ts";
import { getEnrollmentKey } from "./list-enrollment-keys.ts";

type Patch = {
  id: string;
  name?: string | undefined;
  /** At least what is created and what is bought in advance. */
  max_mailboxes?: number | undefined;
  /** ISO 8601, in the future. Null: it does not expire. */
  expires_at?: string | null | undefined;
};

/**
 * Omitted fields stay.
 * @returns what `getEnrollmentKey` returns
 * @throws ServiceError `enrollment_key_not_found`; `invalid_request` for a revoked key, for a quota below what is used, and for a later
 * expiry of a key that grants domains, by a member: only the operator may extend a grant
 */
export async function updateEnrollmentKey(ctx: Ctx<System | Member>, { id: wireId, ...patch }: Patch) {
  const { id } = await findEnrollmentKey(ctx, wireId);
  const { name, max_mailboxes, expires_at } = patch;
  const set = {
    ...(name !== undefined && { name }),
    ...(max_mailboxes !== undefined && { max_mailboxes: readQuota(max_mailboxes) }),
    ...(expires_at !== undefined && { expires_at: readExpiry(ctx, expires_at ?? undefined) }),
  };
  await ctx.db.transaction(async (tx) => {
    // Creates hold it while they count.
    const [key] = await tx.select().from(enrollmentKeys).where(eq(enrollmentKeys.id, id)).for("no key update");
    if (!key || key.revoked_at) throw invalidField("id", "This key was revoked, for good. Issue another one");
    const used = key.used_count + key.prepaid;
    if (set.max_mailboxes !== undefined && set.max_mailboxes < used) {
      throw invalidField("max_mailboxes", `at least ${used}: as many were created or bought`);
    }
    const isLater = key.expires_at && "expires_at" in set && (!set.expires_at || set.expires_at > key.expires_at);
    if (isLater && ctx.actor.kind === "member" && (await grants(tx, id))) {
      throw invalidField("expires_at", "The operator granted domains until this key expires. Ask the operator");
    }
    const names = Object.keys(set) as (keyof typeof set)[];
    if (names.length === 0) return;
    await tx.update(enrollmentKeys).set(set).where(eq(enrollmentKeys.id, id));
    const before = Object.fromEntries(names.map((each) => [each, key[each]]));
    await ctx.act?.note(tx, settingsBetween(before, set));
  });
  return getEnrollmentKey(ctx, wireId);
}

async function grants(tx: Transaction, keyId: string): Promise<boolean> {
  const isOfKey = and(eq(domainGrants.enrollment_key_id, keyId), isNull(domainGrants.revoked_at));
  const rows = await tx.select({ one: sql`1` }).from(domainGrants).where(isOfKey).limit(1);
  return rows.length > 0;
}
