// How enrollment rows look on the wire.
import type { enrollmentKeys } from "#db/schema/enrollment.ts";
import { encodeId } from "../base/ids.ts";

type EnrollmentKeyRow = typeof enrollmentKeys.$inferSelect;

/** What is left of a quota; never negative. */
export function quotaOf(key: { max_mailboxes: number; used_count: number }) {
  const remaining = Math.max(0, key.max_mailboxes - key.used_count);
  return { max_mailboxes: key.max_mailboxes, used_count: key.used_count, remaining };
}

/** An enrollment key without its secret. */
export function enrollmentKeyView(row: EnrollmentKeyRow) {
  return {
    id: encodeId("ekey", row.id),
    name: row.name,
    org_id: encodeId("org", row.organization_id),
    max_mailboxes: row.max_mailboxes,
    used_count: row.used_count,
    prepaid: row.prepaid,
    allowed_domains: row.allowed_domains,
    scopes: row.scopes,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
