// The statements of a batch of creates: locks and reads what the decision needs, then inserts what was accepted.
import type { TransactionSql } from "postgres";
import type { invitations, users } from "#db/schema/team.ts";
import type { Services } from "../base/context.ts";
import type { InboxRow } from "../base/tenancy.ts";
import { countMailboxes, lockQuotas } from "../keys/quota.ts";
import { lockRegistered } from "../webhooks/caps.ts";
import { insertWebhooks } from "../webhooks/insert.ts";
import type { Decided, Found, Wish } from "./decide.ts";

type LookNeeds = Pick<Services, "payments" | "now" | "settings">;
type InsertNeeds = Pick<Services, "outbound" | "now">;
type PersonRow = { status: "person"; address: (typeof users | typeof invitations)["$inferSelect"]["mailbox"] };

/** Locks the quotas, and the webhooks of organizations that register one, until the transaction ends. */
export async function lockAndRead(tx: TransactionSql, services: LookNeeds, wishes: Wish[]): Promise<Found> {
  const keyIds = [...new Set(wishes.map(({ row }) => row.enrollment_key_id))];
  const keys = await lockQuotas(tx, keyIds, services);
  // After the locks, so that this sees what another process has just committed under them.
  const rows = await readHolders(tx, wishes, services.now());
  const existing = rows.filter((row) => row.status !== "person");
  const people = new Set(rows.flatMap(({ status, address }) => (status === "person" ? address : [])));
  const hooked = wishes.filter(({ webhook }) => webhook).map(({ row }) => row.organization_id);
  const gone = await readUngranted(tx, wishes, services);
  return { keys, existing, people, gone, registered: await lockRegistered(tx, hooked, services) };
}

/**
 * The domains among the wishes that their organization may no longer use. The request was checked before the locks, and
 * the domain may have been deleted, revoked or verified by another organization since then.
 */
async function readUngranted(tx: TransactionSql, wishes: Wish[], { settings, now }: LookNeeds): Promise<Set<string>> {
  const rows = wishes.map(({ row }) => row).filter(({ domain }) => domain !== settings.DEFAULT_DOMAIN);
  if (rows.length === 0) return new Set();
  const gone = await tx<Pick<InboxRow, "id">[]>`
    select w.id from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map((row) => row.organization_id)}::uuid[],
      ${rows.map(({ domain }) => domain)}::text[]) as w(id, organization_id, domain)
    where not exists (
      select from domain_grants g left join enrollment_keys k on k.id = g.enrollment_key_id
      where g.organization_id = w.organization_id and (w.domain = g.domain or w.domain like '%.' || g.domain)
        and (g.enrollment_key_id is null
          or (k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now()}))))`;
  return new Set(gone.map(({ id }) => id));
}

/** The mailboxes and the people that have one of the addresses, and the mailboxes that have one of the `client_id`s. */
function readHolders(tx: TransactionSql, wishes: Wish[], at: Date) {
  const addresses = wishes.map(({ row }) => row.address);
  const named = wishes.filter(({ row }) => row.client_id !== null);
  return tx<(InboxRow | PersonRow)[]>`
    select id, organization_id, address, domain, display_name, metadata, client_id, status, created_at
    from inboxes where address = any(${addresses})
    union
    select id, organization_id, address, domain, display_name, metadata, client_id, status, created_at
    from inboxes where (organization_id, client_id) in (
      select * from unnest(${named.map(({ row }) => row.organization_id)}::uuid[], ${named.map(({ row }) => row.client_id)}::text[]))
    union all
    select null, null, mailbox, '', '', null, null, 'person', created_at from users where mailbox = any(${addresses})
    union all
    select null, null, mailbox, '', '', null, null, 'person', created_at from invitations
    where mailbox = any(${addresses}) and status = 'pending' and expires_at > ${at}`;
}

/**
 * Inserts the accepted mailboxes, counts them against their keys, and registers the webhooks of those that are live.
 * @returns the ids of the inserted mailboxes; another process took the address or the `client_id` of the others
 */
export async function insertAccepted(
  tx: TransactionSql,
  services: InsertNeeds,
  decided: Decided,
): Promise<Set<string>> {
  const { accepted, superseded, spends } = decided;
  if (accepted.length === 0) return new Set();
  await freeAddresses(tx, [...superseded.values()]);
  const inserted = await insertRows(tx, services, accepted);
  const ids = new Set(inserted.map(({ id }) => id));
  for (const { row } of accepted) {
    if (!ids.has(row.id)) await giveAddressBack(tx, superseded.get(row.id)?.id, row.address);
  }
  const webhooks = accepted.flatMap(({ row, webhook }) =>
    webhook && row.status === "live" && ids.has(row.id) ? [{ organizationId: row.organization_id, webhook }] : [],
  );
  await Promise.all([countMailboxes(tx, inserted, spends), insertWebhooks(tx, webhooks)]);
  return ids;
}

/** In order of address, so that two processes cannot wait for each other. A reserved mailbox has no sender identity yet. */
function insertRows(tx: TransactionSql, services: InsertNeeds, accepted: Wish[]) {
  const identity = services.outbound.identities ? "opening" : "open";
  const dueAt = services.outbound.identities ? services.now() : null;
  const rows = accepted.map(({ row }) => row).sort((a, b) => (a.address < b.address ? -1 : 1));
  return tx<Pick<Wish["row"], "id" | "enrollment_key_id">[]>`
    insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata,
      client_id, status, identity_status, identity_next_attempt_at, created_at)
    select id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, '{}'::jsonb, client_id, status,
      case when status = 'live' then ${identity} else 'closed' end,
      case when status = 'live' then ${dueAt}::timestamptz end, created_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as t(id uuid, organization_id uuid, enrollment_key_id uuid,
      agent_id uuid, address text, domain text, display_name text, client_id text, status text, created_at timestamptz)
    on conflict do nothing returning id, enrollment_key_id`;
}

/** Takes the address from deleted mailboxes whose organization uses it again. */
async function freeAddresses(tx: TransactionSql, holders: InboxRow[]): Promise<void> {
  if (holders.length === 0) return;
  const ids = holders.map(({ id }) => id);
  await tx`update inboxes set address = 'superseded ' || id where id = any(${ids}) and status = 'deleted'`;
}

/** Gives a deleted mailbox the address back that was taken from it, or another organization could get it (docs/decisions/009). */
export async function giveAddressBack(tx: TransactionSql, id: string | undefined, address: string): Promise<void> {
  if (id === undefined) return;
  await tx`
    update inboxes set address = ${address}
    where id = ${id} and status = 'deleted' and not exists (select from inboxes where address = ${address})`;
}
