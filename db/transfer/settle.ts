// Makes imported rows count and hold here what they may: an export is no proof of a domain, a payment or a count.
import { randomBytes } from "node:crypto";
import type { TransactionSql } from "postgres";
import { EVERY_INBOX } from "../conditions.ts";
import { CLAIM_TOKEN_BYTES } from "../domain-records.ts";
import type { ImportRules } from "./rules.ts";

/** As server/inboxes/storage/count.ts has it. */
const STORED_MIN_BYTES = 4_096;

export type Settling = { tx: TransactionSql; organization: string; defaultDomain: string; rules: ImportRules };
/** With commas between: domains to grant, claims to verify, addresses that were notified. */
export type Left = { domains: string; claims: string; owners: string };

/**
 * @param granted the domains that the other operator had granted
 * @throws Error if an address is a person's, if a domain is another organization's, or if a key has more mailboxes than its quota
 */
export async function settle(settling: Settling, granted: string[]): Promise<Left> {
  const { tx, rules } = settling;
  await tx`select pg_advisory_xact_lock(${rules.locks.grants})`;
  await tx`select pg_advisory_xact_lock_shared(${rules.locks.addresses})`;
  await refusePeople(settling);
  const used = await domainsUsed(settling);
  for (const domain of new Set([...used, ...granted])) await refuseHeld(settling, domain);
  await recount(settling);
  const owners = await forgetOwners(settling);
  const claims = await reopenClaims(settling);
  await withhold(settling, used);
  await forgetLocalSenders(settling);
  const isClaimed = (domain: string) => claims.some((claim) => domain === claim || domain.endsWith(`.${claim}`));
  const domains = [...new Set([...granted, ...used])].filter((domain) => !isClaimed(domain)).sort();
  return { domains: domains.join(", "), claims: claims.join(", "), owners: owners.join(", ") };
}

/** A mailbox at the address of a person could read the mail that opens the account. */
async function refusePeople({ tx, organization }: Settling): Promise<void> {
  const [taken] = await tx<{ address: string }[]>`
    select i.address from inboxes i where i.organization_id = ${organization} and (
      exists (select from users u where u.mailbox = i.address)
      or exists (select from invitations v where v.mailbox = i.address and v.status = 'pending' and v.expires_at > now())) limit 1`;
  if (!taken) return;
  throw new Error(
    `The address ${taken.address} is that of a person who has an account or an invitation here. Delete the mailbox in the other installation, and export again.`,
  );
}

/** Domains of mailboxes, without DEFAULT_DOMAIN. Addresses that were used again have none. */
async function domainsUsed({ tx, organization, defaultDomain }: Settling): Promise<string[]> {
  const rows = await tx<{ domain: string }[]>`
    select distinct domain from inboxes where organization_id = ${organization} and domain <> ${defaultDomain}
      and address not like 'superseded %' order by domain`;
  return rows.map(({ domain }) => domain);
}

/** Mail to the domain belongs to an organization that proved it or got it from the operator. */
async function refuseHeld({ tx, organization, rules }: Settling, domain: string): Promise<void> {
  const fault = rules.domainFault(domain);
  if (fault)
    throw new Error(
      `${fault}, so the export's mailboxes or grants on it cannot come here. Delete them there, and export again.`,
    );
  const [held] = await tx<{ domain: string }[]>`
    select g.domain from domain_grants g left join enrollment_keys k on k.id = g.enrollment_key_id
    where g.organization_id <> ${organization} and g.revoked_at is null
      and (k.id is null or (k.revoked_at is null and (k.expires_at is null or k.expires_at > now())))
      and (g.domain = ${domain} or g.domain like '%.' || ${domain}::text or ${domain}::text like '%.' || g.domain) limit 1`;
  if (held) {
    throw new Error(
      `The domain ${held.domain} is granted to another organization here, and overlaps ${domain} of the export. Run: domains revoke ${held.domain}, or delete the domain there.`,
    );
  }
  const [other] = await tx<{ address: string }[]>`
    select address from inboxes where organization_id <> ${organization} and status <> 'deleted'
      and (domain = ${domain} or domain like '%.' || ${domain}::text) limit 1`;
  if (!other) return;
  throw new Error(
    `Another organization has mailboxes on ${domain} or below it here, such as ${other.address}. Delete the mailboxes on one side, and import again.`,
  );
}

async function recount({ tx, organization }: Settling): Promise<void> {
  await tx`
    update enrollment_keys k set prepaid = 0,
      used_count = (select count(*) from inboxes i where i.enrollment_key_id = k.id) where organization_id = ${organization}`;
  const [full] = await tx<{ name: string }[]>`
    select name from enrollment_keys where organization_id = ${organization} and used_count > max_mailboxes limit 1`;
  if (full)
    throw new Error(
      `The enrollment key ${full.name} has more mailboxes than its quota. The export was forged or damaged.`,
    );
  // The same sum: server/inboxes/storage/recount.ts.
  await tx`
    insert into storage_usage (organization_id, inbox_id, bytes)
    select organization_id, coalesce(inbox_id, ${EVERY_INBOX}), sum(greatest(size, ${STORED_MIN_BYTES}::bigint)) from (
      select organization_id, inbox_id, size from messages where organization_id = ${organization} union all
      select organization_id, inbox_id, size from trashed_messages where organization_id = ${organization} union all
      select organization_id, inbox_id, size from drafts where organization_id = ${organization} and sent_message_id is null union all
      select organization_id, inbox_id, size from draft_versions where organization_id = ${organization} union all
      select organization_id, null, size from uploads where organization_id = ${organization}) stored
    group by grouping sets ((organization_id, inbox_id), (organization_id))
    having grouping(inbox_id) = 1 or inbox_id is not null`;
  await tx`
    insert into send_usage (organization_id, inbox_id, day, counted, replies)
    select m.organization_id, m.inbox_id, (m.created_at at time zone 'UTC')::date, count(*), 0
    from messages m join message_recipients r on r.message_id = m.id and r.status not in ('failed', 'suppressed')
    where m.organization_id = ${organization} and m.direction = 'outbound' group by 1, 2, 3`;
  await tx`
    insert into event_positions (organization_id, last)
    select organization_id, max(position) from events where organization_id = ${organization} group by 1`;
  await tx`update inboxes set address_since = now() where organization_id = ${organization}`;
}

/** Nobody here agreed to get the service's notices. @returns their addresses */
async function forgetOwners({ tx, organization }: Settling): Promise<string[]> {
  const [row] = await tx<
    { owner_emails: string[] }[]
  >`select owner_emails from organizations where id = ${organization}`;
  await tx`update organizations set owner_emails = '{}' where id = ${organization}`;
  return row?.owner_emails ?? [];
}

/**
 * Makes every claim pending, with a new token: the old one is in public DNS, where the author of the export may have read it.
 * @returns the claimed domains
 */
async function reopenClaims({ tx, organization }: Settling): Promise<string[]> {
  const rows = await tx<{ id: string; domain: string }[]>`
    select id, domain from domains where organization_id = ${organization} order by domain`;
  await tx`
    update domains d set token = t.token, status = 'pending', records = '[]', provider = null, verified_at = null,
      ownership_missing_since = null, last_checked_at = null, next_check_at = now()
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(() => randomBytes(CLAIM_TOKEN_BYTES).toString("hex"))}::text[])
      as t(id, token) where d.id = t.id and d.organization_id = ${organization}`;
  return rows.map(({ domain }) => domain);
}

/** Mailboxes on these domains do not send until the domain is granted or verified: the same as after a grant was revoked. */
async function withhold({ tx, organization }: Settling, domains: string[]): Promise<void> {
  await tx`
    insert into domain_grants (id, domain, organization_id, granted_by, revoked_at, created_at)
    select gen_random_uuid(), domain, ${organization}, 'operator', now(), now() from unnest(${domains}::text[]) as domain`;
}

/** No mail of an export was sent by a mailbox of this service. */
async function forgetLocalSenders({ tx, organization }: Settling): Promise<void> {
  for (const table of ["messages", "trashed_messages"]) {
    await tx`
      update ${tx(table)} set local_sender = null, authentication = authentication - 'local_sender'
      where organization_id = ${organization} and (local_sender is not null or authentication ? 'local_sender')`;
  }
}
