// Checks the domains of mailboxes again, in the transaction that creates them.
import type { TransactionSql } from "postgres";
import type { inboxes } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";
import { namesFrom } from "./granted-domains.ts";

type Wished = Pick<typeof inboxes.$inferSelect, "id" | "organization_id" | "domain">;

/**
 * The ids of the wished mailboxes whose domain their organization may not use. The request was checked before the locks, and the domain
 * may have been deleted, revoked or verified by another organization since then. Below its own domain, another organization may hold
 * a closer one. A closer one that it no longer holds is reserved while it has mailboxes on the wished domain.
 */
export async function readUngranted(
  tx: TransactionSql,
  wishes: { row: Wished }[],
  { settings, now }: Pick<Services, "settings" | "now">,
): Promise<Set<string>> {
  const rows = wishes.map(({ row }) => row).filter(({ domain }) => domain !== settings.DEFAULT_DOMAIN);
  if (rows.length === 0) return new Set();
  const covering = rows.flatMap(({ id, domain }) => namesFrom(domain).map((name) => ({ id, name })));
  const gone = await tx<Pick<Wished, "id">[]>`
    with wished as (
      select * from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map((row) => row.organization_id)}::uuid[],
        ${rows.map(({ domain }) => domain)}::text[]) as w(id, organization_id, domain)
    ), covering as (
      select * from unnest(${covering.map(({ id }) => id)}::uuid[], ${covering.map(({ name }) => name)}::text[]) as c(id, name)
    ), given as (
      select c.id, g.organization_id, c.name, g.revoked_at is null and (g.enrollment_key_id is null
        or (k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now()}))) as is_in_effect
      from covering c join domain_grants g on g.domain = c.name left join enrollment_keys k on k.id = g.enrollment_key_id
      union all
      select c.id, d.organization_id, c.name, false from covering c join domains d on d.domain = c.name and d.status = 'lost'
    )
    select w.id from wished w
    where not exists (
      select from given own where own.id = w.id and own.organization_id = w.organization_id and own.is_in_effect and not exists (
        select from given other
        where other.id = w.id and other.organization_id <> w.organization_id and length(other.name) > length(own.name)
          and (other.is_in_effect or exists (
            select from inboxes i
            where i.domain = w.domain and i.organization_id = other.organization_id and i.status <> 'deleted'))))`;
  return new Set(gone.map(({ id }) => id));
}
