// Which webhooks get an event: by its organization, kind and mailbox, and by the message that it is about.
import type { PendingQuery, Row, Sql, TransactionSql } from "postgres";
import type { messages } from "#db/schema/mail.ts";
import type { NewEvent } from "../../events/record.ts";
import { type FilterFields, hasFilter, passes, type StoredFilter } from "./filter.ts";

type Fragment = PendingQuery<Row[]>;
/** Expressions of an event and of its mailbox. */
type EventColumns = Record<"organization_id" | "inbox_id" | "agent_id" | "kind", Fragment>;

/** Whether the webhook `w` gets the event. An event without a mailbox goes only to webhooks for all mailboxes. */
export function isSubscribed(
  sql: Sql | TransactionSql,
  { organization_id, inbox_id, agent_id, kind }: EventColumns,
): Fragment {
  return sql`w.organization_id = ${organization_id} and w.active and ${kind} = any(w.events)
    and (w.inbox_id is null or w.inbox_id = ${inbox_id}) and (w.agent_id is null or w.agent_id = ${agent_id})`;
}

/** The columns of the filter of the webhook `w`, for `passes`. */
export function filterColumnsOf(sql: Sql | TransactionSql): Fragment {
  return sql`w.from_filter, w.to_filter, w.subject_filter, w.kind_filter, w.label_filter`;
}

type MessageRow = Pick<
  typeof messages.$inferSelect,
  "from_address" | "to_addresses" | "cc_addresses" | "bcc_addresses" | "envelope_to" | "subject" | "kind" | "labels"
>;

/** What filters read of a message. */
export function filterFieldsOf({ from_address: from, subject, kind, labels, ...to }: MessageRow): FilterFields {
  const recipients = [...to.to_addresses, ...to.cc_addresses, ...to.bcc_addresses, to.envelope_to];
  return { from, recipients, subject, kind, labels };
}

type AboutMessage = Pick<NewEvent, "organization_id" | "message_id">;

/**
 * Reads the messages of events, if one of these filters asks for them.
 * @returns whether an event passes one of the filters; an event about no message passes each, one whose message is gone none
 */
export async function createFilterCheck(
  tx: TransactionSql,
  filters: StoredFilter[],
  events: AboutMessage[],
): Promise<(filter: StoredFilter, about: Pick<AboutMessage, "message_id">) => boolean> {
  const isRead = filters.some(hasFilter);
  const mails = isRead ? await readMessages(tx, events) : new Map<string, FilterFields>();
  return (filter, { message_id }) => {
    if (message_id === null || !hasFilter(filter)) return true;
    const mail = mails.get(message_id);
    return mail !== undefined && passes(filter, mail);
  };
}

async function readMessages(tx: TransactionSql, events: AboutMessage[]): Promise<Map<string, FilterFields>> {
  const ids = [...new Set(events.flatMap(({ message_id }) => message_id ?? []))];
  const organizations = [...new Set(events.map(({ organization_id }) => organization_id))];
  const rows = await tx<(MessageRow & { id: string })[]>`
    select id, from_address, to_addresses, cc_addresses, bcc_addresses, envelope_to, subject, kind, labels from messages
    where id = any(${ids}::uuid[]) and organization_id = any(${organizations}::uuid[])`;
  return new Map(rows.map((row) => [row.id, filterFieldsOf(row)]));
}
