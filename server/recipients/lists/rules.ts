// Reads the entries of allow and block lists that may cover some addresses.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf, asInIndex, EVERY_INBOX } from "#db/conditions.ts";
import { listEntries } from "#db/schema/lists.ts";
import { entriesOf } from "./entry.ts";
import type { Direction, Mailbox, Rules } from "./verdict.ts";

const { organization_id, inbox_id, direction, list, entry, reason, set_by } = listEntries;

/** @param addresses or domains */
export async function readRules(
  db: Database | Transaction,
  mailboxes: Mailbox[],
  of: Direction,
  addresses: string[],
): Promise<Rules> {
  const organizations = [...new Set(mailboxes.map((each) => each.organization_id))];
  const inboxes = [EVERY_INBOX, ...mailboxes.map(({ id }) => id)];
  const entries = db
    .select({ organization_id, inbox_id, list, entry, reason, set_by })
    .from(listEntries)
    .where(
      and(
        anyOf(organization_id, organizations),
        eq(direction, of),
        anyOf(entry, [...new Set(addresses.flatMap(entriesOf))]),
        // As text, so that the planner cannot use the index by mailbox, which reads whole lists.
        sql`${inbox_id}::text = any(${sql.param(inboxes)})`,
      ),
    );
  const allows = sql`select 1 from ${listEntries}
    where ${organization_id} = o.id and ${inbox_id} = i.id and ${direction} = ${of} and ${asInIndex(eq(list, "allow"))}`;
  const allowing = db.execute<Rules["allowing"][number]>(sql`
    select o.id as organization_id, i.id as inbox_id,
      exists (${allows} and ${asInIndex(eq(set_by, "member"))}) as by_member
    from unnest(${sql.param(organizations)}::uuid[]) as o(id), unnest(${sql.param(inboxes)}::uuid[]) as i(id)
    where exists (${allows})`);
  const [found, levels] = await Promise.all([entries, allowing]);
  return { entries: found, allowing: levels };
}

/**
 * The condition that a list may refuse the message `m`, whose `entries` cover its recipients: one of them is
 * listed, or an allow list exists.
 */
export function mayRefuse(): SQL {
  return sql`(
    exists (select 1 from ${listEntries} l where l.organization_id = m.organization_id and l.direction = 'send'
      and l.entry = any(m.entries) and l.inbox_id::text in (${EVERY_INBOX}, m.inbox_id::text))
    or exists (select 1 from ${listEntries} l where l.organization_id = m.organization_id and l.direction = 'send'
      and l.inbox_id in (${EVERY_INBOX}::uuid, m.inbox_id) and l.list = 'allow'))`;
}
