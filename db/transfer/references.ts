// Finds rows of an import that refer to another organization.
import type { TransactionSql } from "postgres";
import { EVERY_INBOX } from "../conditions.ts";

/**
 * `column` names rows of `to`. `must`: they are rows of the organization; otherwise they may also be gone, since mail and keys are deleted
 * before what refers to them. `isList`: the column is an array.
 */
type Reference = { table: string; column: string; to: string; must?: boolean; isList?: boolean };

const must = (table: string, column: string, to: string): Reference => ({ table, column, to, must: true });
const gone = (table: string, column: string, to: string): Reference => ({ table, column, to });
const list = (table: string, column: string, to: string): Reference => ({ table, column, to, isList: true });

const OF_INBOXES = [
  "sending_states",
  "suppressions",
  "list_entries",
  "retention_policies",
  "spam_policies",
  "review_policies",
  "approved_recipients",
  "webhooks",
  "threads",
  "messages",
  "trashed_messages",
  "message_recipients",
  "drafts",
  "draft_versions",
  "scheduled_sends",
  "expected_replies",
  "reviews",
  "events",
  "activity",
];
const OF_MESSAGES = [
  "message_recipients",
  "suppressions",
  "events",
  "scheduled_sends",
  "expected_replies",
  "reviews",
  "review_revisions",
  "attachments",
];

const REFERENCES: Reference[] = [
  must("agents", "enrollment_key_id", "enrollment_keys"),
  must("agent_keys", "agent_id", "agents"),
  list("agent_keys", "inbox_ids", "inboxes"),
  list("agent_keys", "ancestor_ids", "agent_keys"),
  list("agent_keys", "budget_key_ids", "agent_keys"),
  must("mailbox_leases", "agent_key_id", "agent_keys"),
  must("activity", "key_id", "agent_keys"),
  must("activity", "agent_id", "agents"),
  must("inboxes", "enrollment_key_id", "enrollment_keys"),
  must("inboxes", "agent_id", "agents"),
  must("webhooks", "agent_id", "agents"),
  gone("inboxes", "superseded_by", "inboxes"),
  ...OF_INBOXES.map((table) => must(table, "inbox_id", "inboxes")),
  // Quarantined mail has none yet.
  gone("messages", "thread_id", "threads"),
  gone("trashed_messages", "thread_id", "threads"),
  gone("expected_replies", "thread_id", "threads"),
  gone("raw_messages", "message_id", "messages"),
  gone("raw_messages", "message_id", "trashed_messages"),
  gone("suppressions", "set_by_key", "agent_keys"),
  gone("list_entries", "set_by_key", "agent_keys"),
  ...OF_MESSAGES.map((table) => gone(table, "message_id", "messages")),
  ...OF_MESSAGES.map((table) => gone(table, "message_id", "trashed_messages")),
  gone("attachments", "message_id", "drafts"),
  gone("attachments", "message_id", "draft_versions"),
  gone("attachments", "message_id", "uploads"),
  gone("threads", "last_message_id", "messages"),
  gone("drafts", "sent_message_id", "messages"),
  gone("scheduled_sends", "expected_last_message_id", "messages"),
  gone("reviews", "expected_last_message_id", "messages"),
  ...["recent", "bounced", "complained"].map((column) => list("sending_states", column, "messages")),
];

/** @throws Error if a row refers to another organization, or to a mailbox, key, agent or thread that is not in the export */
export async function refuseForeign(tx: TransactionSql, organization: string): Promise<void> {
  for (const reference of REFERENCES) {
    const { table, column, to } = reference;
    const [found] = await tx<{ named: string }[]>`
      select n.named from ${tx(table)} t cross join lateral (${namedBy(tx, reference)}) n
      where t.organization_id = ${organization} and n.named is not null and n.named <> ${EVERY_INBOX}
        and ${
          reference.must
            ? tx`not exists (select from ${tx(to)} p where p.id = n.named and p.organization_id = ${organization})`
            : tx`exists (select from ${tx(to)} p where p.id = n.named and p.organization_id <> ${organization})`
        } limit 1`;
    if (found) {
      throw new Error(
        `A row of ${table} has the ${column} ${found.named}, which is not of this organization. The export was forged or damaged. Nothing was imported.`,
      );
    }
  }
  const [key] = await tx<{ domain: string }[]>`
    select k.domain from dkim_keys k join domains d on d.id = k.domain_id
    where d.organization_id = ${organization} and k.domain <> d.domain limit 1`;
  if (key) {
    throw new Error(
      `A DKIM key names ${key.domain}, which is not its domain. The export was forged. Nothing was imported.`,
    );
  }
}

function namedBy(tx: TransactionSql, { column, isList }: Reference) {
  return isList ? tx`select unnest(t.${tx(column)}) as named` : tx`select t.${tx(column)} as named`;
}
