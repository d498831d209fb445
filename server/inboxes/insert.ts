// Inserts the mailboxes of a batch of creates that were accepted, with their counts, webhooks and events.
import { eq, or } from "drizzle-orm";
import type { TransactionSql } from "postgres";
import type { Change } from "#db/activity-parts.ts";
import { plainOf, type Transaction } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import { recordEach } from "../activity/record.ts";
import type { Services } from "../base/context.ts";
import type { InboxRow } from "../base/tenancy.ts";
import type { Recorded } from "../events/event-log.ts";
import { countMailboxes } from "../keys/quota.ts";
import { insertWebhooks } from "../webhooks/insert.ts";
import type { Decided, Wish } from "./decide.ts";
import { inboxEvent } from "./remove.ts";

/** A new mailbox `to` at the address of the deleted mailbox `from`, whose restraints it takes over (docs/decisions/081). */
type Heir = { organizationId: string; from: string; to: string };

declare module "../base/context.ts" {
  interface Services {
    /** Moves the rows that restrain the deleted mailbox `from` to the mailbox `to` at the same address. */
    takeOverRestraints(tx: Transaction, heir: Heir): Promise<void>;
  }
}

/** In the transaction that makes the mailbox `to` live. What comes late for earlier mailboxes finds it by `superseded_by`. */
export async function takeOver(tx: Transaction, services: Pick<Services, "takeOverRestraints">, heir: Heir) {
  const isEarlier = or(eq(inboxes.id, heir.from), eq(inboxes.superseded_by, heir.from));
  await tx.update(inboxes).set({ superseded_by: heir.to }).where(isEarlier);
  await services.takeOverRestraints(tx, heir);
}

type InsertNeeds = Pick<Services, "outbound" | "now" | "takeOverRestraints" | "eventLog">;
type Inserted = { ids: Set<string>; recorded: Recorded };

/**
 * Inserts the accepted mailboxes, counts them against their keys, and registers the webhooks of those that are live.
 * @returns the ids of the inserted mailboxes, and what to announce of them; another process took the address or the `client_id` of the
 * others
 */
export async function insertAccepted(tx: Transaction, services: InsertNeeds, decided: Decided): Promise<Inserted> {
  const { accepted, superseded, spends } = decided;
  if (accepted.length === 0) return { ids: new Set(), recorded: { events: [], deliveries: 0 } };
  const plain = plainOf(tx);
  await freeAddresses(plain, [...superseded.values()]);
  const inserted = await insertRows(plain, services, accepted);
  const ids = new Set(inserted.map(({ id }) => id));
  for (const { row } of accepted) {
    const before = superseded.get(row.id);
    if (!ids.has(row.id)) await giveAddressBack(plain, before?.id, row.address);
    else if (before && row.status === "live") {
      await takeOver(tx, services, { organizationId: row.organization_id, from: before.id, to: row.id });
    }
  }
  const webhooks = accepted.flatMap(({ row, webhook }) =>
    webhook && row.status === "live" && ids.has(row.id) ? [{ organizationId: row.organization_id, webhook }] : [],
  );
  const created = accepted.flatMap(({ row: { id: inbox_id, organization_id, address, status } }) =>
    status === "live" && ids.has(inbox_id) ? [inboxEvent("inbox.created", { organization_id, inbox_id, address })] : [],
  );
  const entries = accepted.flatMap(({ by, row }) => (by && ids.has(row.id) ? [{ by, changes: createOf(row) }] : []));
  // Sent together. The positions of the events are locked last.
  const [, , , recorded] = await Promise.all([
    countMailboxes(plain, inserted, spends),
    insertWebhooks(plain, webhooks),
    recordEach(tx, services, entries),
    services.eventLog.record(plain, created, services.now()),
  ]);
  return { ids, recorded };
}

/** What the activity of a key has of a create. A reserved mailbox is being paid for. */
function createOf({ id, status }: Wish["row"]): Change[] {
  const final = "A payment is not returned.";
  const payment = status === "reserved" ? [{ kind: "payment" as const, id, before: {}, after: {}, final }] : [];
  return [{ kind: "inbox", id, before: null, after: {} }, ...payment];
}

/** In order of address, so that two processes cannot wait for each other. A reserved mailbox has no sender identity yet. */
function insertRows(tx: TransactionSql, services: InsertNeeds, accepted: Wish[]) {
  const identity = services.outbound.identities ? "opening" : "open";
  const dueAt = services.outbound.identities ? services.now() : null;
  const rows = accepted.map(({ row }) => row).sort((a, b) => (a.address < b.address ? -1 : 1));
  return tx<Pick<Wish["row"], "id" | "enrollment_key_id">[]>`
    insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata,
      client_id, status, outgoing_delay_seconds, identity_status, identity_next_attempt_at, created_at, address_since)
    select id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata, client_id, status,
      outgoing_delay_seconds, case when status = 'live' then ${identity} else 'closed' end,
      case when status = 'live' then ${dueAt}::timestamptz end, created_at, address_since
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as t(id uuid, organization_id uuid, enrollment_key_id uuid,
      agent_id uuid, address text, domain text, display_name text, metadata jsonb, client_id text, status text,
      outgoing_delay_seconds int, created_at timestamptz, address_since timestamptz)
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
