// Locks and reads what a batch of creates is decided by: quotas, the holders of the addresses, and webhooks.
import type { TransactionSql } from "postgres";
import type { invitations, users } from "#db/schema/team.ts";
import type { Services } from "../base/context.ts";
import { type InboxRow, inboxColumns } from "../base/tenancy.ts";
import { readUngranted } from "../grants/ungranted.ts";
import { lockQuotas } from "../keys/quota.ts";
import { lockRegistered } from "../webhooks/caps.ts";
import type { Found, Wish } from "./decide.ts";

type Needs = Pick<Services, "payments" | "now" | "settings">;
type PersonRow = { status: "person"; address: (typeof users | typeof invitations)["$inferSelect"]["mailbox"] };

/** Locks the quotas, and the webhooks of organizations that register one, until the transaction ends. */
export async function lockAndRead(tx: TransactionSql, services: Needs, wishes: Wish[]): Promise<Found> {
  const hooked = wishes.filter(({ webhook }) => webhook).map(({ row }) => row.organization_id);
  // Sent together, and run in this order: behind the locks, a statement sees what another process has just committed under them. Each
  // is an async function, because a query is sent when it is awaited.
  const [keys, rows, gone, registered] = await Promise.all([
    lockQuotas(tx, [...new Set(wishes.map(({ row }) => row.enrollment_key_id))], services),
    readHolders(tx, wishes, services.now()),
    readUngranted(tx, wishes, services),
    lockRegistered(tx, hooked, services),
  ]);
  const people = new Set(rows.flatMap(({ status, address }) => (status === "person" ? address : [])));
  return { keys, existing: rows.filter((row) => row.status !== "person"), people, gone, registered };
}

/** The mailboxes and the people that have one of the addresses, and the mailboxes that the agents made with one of the `client_id`s. */
async function readHolders(tx: TransactionSql, wishes: Wish[], at: Date) {
  const columns = tx(Object.keys(inboxColumns));
  const addresses = wishes.map(({ row }) => row.address);
  const named = wishes.filter(({ row }) => row.client_id !== null);
  return tx<(InboxRow | PersonRow)[]>`
    select ${columns}
    from inboxes where address = any(${addresses})
    union
    select ${columns}
    from inboxes where (agent_id, client_id) in (
      select * from unnest(${named.map(({ row }) => row.agent_id)}::uuid[], ${named.map(({ row }) => row.client_id)}::text[]))
    union all
    select null, null, null, mailbox, '', '', null, null, 'person', created_at, null from users where mailbox = any(${addresses})
    union all
    select null, null, null, mailbox, '', '', null, null, 'person', created_at, null from invitations
    where mailbox = any(${addresses}) and status = 'pending' and expires_at > ${at}`;
}
