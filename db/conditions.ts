// Conditions that drizzle has no operator for.
import { and, asc, gt, isNotNull, isNull, or, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/**
 * Whether a column has one of the values. The values are one parameter; `inArray` would create one for each value, and
 * a prepared statement for every number of values.
 */
export function anyOf(column: PgColumn, values: readonly string[] | Placeholder): SQL {
  return sql`${column} = any(${Array.isArray(values) ? sql.param(values) : values})`;
}

const LOWEST_ID = "00000000-0000-0000-0000-000000000000";
const HIGHEST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** `inbox_id` of a row about a whole organization. The lowest id, so that the row is locked before those of its mailboxes. */
export const EVERY_INBOX = LOWEST_ID;

/**
 * Whether a message of the mailbox has this Message-ID. Rows are compared, so that only the index with these columns in this order can serve
 * it, whatever the planner knows of the tables; it reads no message of another mailbox. In the order of `byMessageId`, the first is the
 * oldest, and is found without reading the others.
 */
export function hasMessageId(
  { rfc_message_id, inbox_id, id }: Record<"rfc_message_id" | "inbox_id" | "id", PgColumn>,
  { inbox, messageId }: Record<"inbox" | "messageId", SQLWrapper | string>,
): SQL | undefined {
  const row = sql`(${rfc_message_id}, ${inbox_id}, ${id})`;
  const end = (other: string) => sql`(${messageId}::text, ${inbox}::uuid, ${other}::uuid)`;
  return and(isNotNull(rfc_message_id), sql`${row} >= ${end(LOWEST_ID)}`, sql`${row} <= ${end(HIGHEST_ID)}`);
}

/** The order in which `hasMessageId` finds messages. */
export function byMessageId<Columns extends Record<"rfc_message_id" | "inbox_id" | "id", PgColumn>>(columns: Columns) {
  return [asc(columns.rfc_message_id), asc(columns.inbox_id), asc(columns.id)];
}

/**
 * The condition with its values in the text of the statement, for conditions that a partial index has too: the planner
 * uses such an index only when it sees the values. Never for values of a caller, since each value is another statement.
 */
export function asInIndex(condition: SQL): SQL {
  return condition.inlineParams();
}

/**
 * Whether the row with this id is of no time before that of the other id, if clocks differ by less than a day. Both are UUIDv7. It is
 * always so for a row that the other one caused; the condition makes PostgreSQL skip the partitions of earlier days.
 */
export function isNotBefore(id: PgColumn, other: SQLWrapper): SQL {
  const ms = sql`('x' || left(${other}::text, 8) || substr(${other}::text, 10, 4))::bit(48)::bigint`;
  return sql`${id} >= (lpad(to_hex(greatest(${ms} - 86400000, 0)), 12, '0') || repeat('0', 20))::uuid`;
}

/** Whether a key is neither revoked nor expired. */
export function isInForce(key: { revoked_at: PgColumn; expires_at: PgColumn }, at: Date | Placeholder): SQL {
  return sql`(${and(isNull(key.revoked_at), or(isNull(key.expires_at), gt(key.expires_at, at)))})`;
}

/**
 * One of WARNINGS, or null. An index has this expression: it may contain no parameter. Mail that was parsed before `hiding` existed has
 * `hidden_text` only for deceptive hiding.
 */
export function warningOf({ security, authentication }: Record<"security" | "authentication", PgColumn>): SQL {
  return sql`case when ${security}->>'instructions' = 'hidden' then 'hidden_instructions'
    when ${authentication}->>'dmarc' = 'fail' then 'dmarc_failed'
    when ${security}->'suspicious_links' <> '[]' then 'suspicious_links'
    when ${security}->>'multiple_from' = 'true' or ${security}->'misleading_from' <> '[]' then 'misleading_sender'
    when ${security}->>'instructions' = 'visible' then 'instructions'
    when coalesce(${security}->>'hiding', ${security}->>'hidden_text') in ('deceptive', 'true') then 'hidden_text' end`;
}
