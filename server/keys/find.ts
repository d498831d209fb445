// Finds enrollment keys: those of a member's organization, or for the operators' command all.
import { and, eq } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { enrollmentKeys } from "#db/schema/enrollment.ts";
import type { Ctx, Member, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";

/** The condition that rows belong to the caller's organization; undefined for the operators' command. */
export function isOwn({ actor }: Ctx<System | Member>, organizationId: PgColumn) {
  return actor.kind === "member" ? eq(organizationId, actor.organizationId) : undefined;
}

/** What the cursor of a list is bound to: an organization, or all of them. */
export function scopeOf({ actor }: Ctx<System | Member>): string {
  return actor.kind === "member" ? actor.organizationId : "all";
}

/**
 * @param wireId `ekey_…`
 * @throws ServiceError `enrollment_key_not_found`, the same for a key that never existed and for another organization's
 */
export async function findEnrollmentKey(ctx: Ctx<System | Member>, wireId: string) {
  const id = decodeId("ekey", wireId);
  const [row] = id
    ? await ctx.db
        .select()
        .from(enrollmentKeys)
        .where(and(eq(enrollmentKeys.id, id), isOwn(ctx, enrollmentKeys.organization_id)))
    : [];
  if (!row) throw new ServiceError("enrollment_key_not_found", `There is no enrollment key ${wireId}.`);
  return row;
}
