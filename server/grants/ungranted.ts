// Checks the domains of mailboxes again, in the transaction that creates them.
import type { TransactionSql } from "postgres";
import type { inboxes } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";

type Wished = Pick<typeof inboxes.$inferSelect, "id" | "organization_id" | "domain">;

/**
 * The ids of the wished mailboxes whose domain their organization may no longer use. The request was checked before the locks, and
 * the domain may have been deleted, revoked or verified by another organization since then.
 */
export async function readUngranted(
  tx: TransactionSql,
  wishes: { row: Wished }[],
  { settings, now }: Pick<Services, "settings" | "now">,
): Promise<Set<string>> {
  const rows = wishes.map(({ row }) => row).filter(({ domain }) => domain !== settings.DEFAULT_DOMAIN);
  if (rows.length === 0) return new Set();
  const gone = await tx<Pick<Wished, "id">[]>`
    select w.id from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map((row) => row.organization_id)}::uuid[],
      ${rows.map(({ domain }) => domain)}::text[]) as w(id, organization_id, domain)
    where not exists (
      select from domain_grants g left join enrollment_keys k on k.id = g.enrollment_key_id
      where g.organization_id = w.organization_id and (w.domain = g.domain or w.domain like '%.' || g.domain)
        and g.revoked_at is null and (g.enrollment_key_id is null
          or (k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now()}))))`;
  return new Set(gone.map(({ id }) => id));
}
