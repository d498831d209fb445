// The organization for its members: name, notification addresses, domains, and facts about the service.
import type { Ctx, Member } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { grantedDomains, usableDomains } from "../grants/granted-domains.ts";
import { serviceFacts } from "./service-facts.ts";

/** The newest mailboxes, whose domains are listed. */
const MAILBOXES_LOOKED_AT = 1_000;

type Row = { name: string; owner_emails: string[]; paid_provisioning: boolean; created_at: Date };

export async function getOrganization(ctx: Ctx<Member>) {
  const { actor, settings, sql } = ctx;
  const [row] = await sql<[Row]>`
    select name, owner_emails, paid_provisioning, created_at from organizations where id = ${actor.organizationId}`;
  return {
    id: encodeId("org", actor.organizationId),
    name: row.name,
    owner_emails: row.owner_emails,
    paid_provisioning: row.paid_provisioning,
    created_at: row.created_at.toISOString(),
    domains: await domainsOf(ctx),
    service: {
      ...serviceFacts(settings),
      public_url: settings.PUBLIC_URL,
      send_cap_ramp: settings.SEND_CAP_RAMP,
      payments: {
        enabled: settings.PAYMENTS_ENABLED,
        network: settings.PAYMENTS_NETWORK,
        price_per_mailbox: settings.PAYMENTS_PRICE_PER_MAILBOX,
      },
    },
  };
}

async function domainsOf(ctx: Ctx<Member>) {
  const { actor, sql, settings, now } = ctx;
  const { organizationId } = actor;
  const used = await sql<{ domain: string }[]>`
    select distinct domain from (
      select domain from inboxes where organization_id = ${organizationId} and status = 'live'
      order by id desc limit ${MAILBOXES_LOOKED_AT}) as newest
    order by domain`;
  const allowed = await sql<{ domain: string }[]>`
    select distinct unnest(allowed_domains) as domain from enrollment_keys
    where organization_id = ${organizationId} and revoked_at is null
      and (expires_at is null or expires_at > ${now()})
    order by domain`;
  const names = allowed.map(({ domain }) => domain);
  return {
    in_use: used.map(({ domain }) => domain),
    allowed: usableDomains(settings, names, await grantedDomains(ctx, organizationId)),
  };
}
