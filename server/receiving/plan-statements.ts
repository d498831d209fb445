// What a planned batch writes, as CTEs of the one statement that writes it: threads, messages and raw mails.
import { isAscii } from "node:buffer";
import type { PendingQuery, Row, Sql } from "postgres";
import { type StoredRaws, storedOf } from "../blobs/store.ts";
import { parseLeaseEnd } from "./parse-lease.ts";
import type { Plan, PlannedMessage } from "./receive-plan.ts";

type Condition = PendingQuery<Row[]>;

export function insertThreads(sql: Sql, threads: Plan["threads"], condition: Condition, now: Date) {
  const rows = JSON.stringify([...threads.values()]);
  return sql`
    insert into threads (id, organization_id, inbox_id, subject, last_message_id, created_at)
    select id, organization_id, inbox_id, subject, last_message_id, ${now}::timestamptz
    from json_to_recordset(${rows}::text::json)
      as r(id uuid, organization_id uuid, inbox_id uuid, subject text, last_message_id uuid)
    where ${condition} order by id
    -- One that is there, or was deleted a moment ago, has a newer message now.
    on conflict (id) do update set last_message_id = greatest(threads.last_message_id, excluded.last_message_id)
    returning 1`;
}

/** @param leased those that this process parses from memory; the others are due now */
export function insertMessages(
  sql: Sql,
  { messages, leased }: { messages: Plan["messages"]; leased: Set<PlannedMessage> },
  condition: Condition,
  now: Date,
) {
  const lease = { attempts: 1, due: parseLeaseEnd(now) };
  const due = { attempts: 0, due: now };
  const rows = JSON.stringify(messages.map((row) => ({ ...row, raw: undefined, ...(leased.has(row) ? lease : due) })));
  return sql`
    insert into messages (id, organization_id, inbox_id, thread_id, direction, status, from_address, from_name,
      to_addresses, cc_addresses, bcc_addresses, reply_to, subject, kind, rfc_message_id, in_reply_to, references_ids,
      attachments, size, envelope_from, envelope_to, remote_ip, helo, local_sender, duplicate_key, quarantine, attempts, next_attempt_at,
      created_at)
    select id, organization_id, inbox_id, thread_id, 'inbound', 'received', from_address, from_name,
      to_addresses, cc_addresses, '{}', reply_to, subject, kind, rfc_message_id, in_reply_to, references_ids,
      '[]', size, envelope_from, envelope_to, remote_ip, helo, local_sender, decode(duplicate_key, 'hex'), quarantine, attempts, due,
      ${now}::timestamptz
    from json_to_recordset(${rows}::text::json) as r(id uuid, organization_id uuid, inbox_id uuid, thread_id uuid,
      from_address text, from_name text, to_addresses text[], cc_addresses text[], reply_to text[], subject text, kind text,
      rfc_message_id text, in_reply_to text, references_ids text[], size bigint, envelope_from text,
      envelope_to text, remote_ip text, helo text, local_sender text, duplicate_key text, quarantine text,
      attempts int, due timestamptz)
    where ${condition}`;
}

export function insertRaw(sql: Sql, messages: Plan["messages"], condition: Condition) {
  const all = joinRaw(messages);
  return sql`
    insert into raw_messages (message_id, organization_id, bytes)
    select id, organization_id, substring((
        select case when ${all.plain}::boolean then convert_to(${all.text}::text, 'UTF8')
          else decode(${all.text}::text, 'base64') end) from start for size)
    from json_to_recordset(${all.slices}::text::json) as r(id uuid, organization_id uuid, start int, size int)
    where ${condition}`;
}

/** For raw mails that are in objects. */
export function insertKept(sql: Sql, messages: Plan["messages"], kept: StoredRaws, condition: Condition) {
  const rows = messages.map((row) => ({ id: row.id, organization_id: row.organization_id, blob: storedOf(kept, row) }));
  return sql`
    insert into raw_messages (message_id, organization_id, blob)
    select id, organization_id, blob
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, organization_id uuid, blob text)
    where ${condition}`;
}

/**
 * Sends raw mails as one text that the server splits, which was the fastest encoding that postgres.js supports. Other
 * than plain ASCII is sent as base64.
 */
function joinRaw(messages: Plan["messages"]) {
  const starts = new Map<Buffer, number>();
  let end = 1;
  for (const { raw } of messages) {
    if (starts.has(raw)) continue;
    starts.set(raw, end);
    end += raw.length;
  }
  const all = Buffer.concat([...starts.keys()]);
  const plain = isAscii(all) && !all.includes(0);
  const slices = messages.map(({ id, organization_id, raw }) => ({
    id,
    organization_id,
    start: starts.get(raw),
    size: raw.length,
  }));
  return { plain, text: all.toString(plain ? "latin1" : "base64"), slices: JSON.stringify(slices) };
}
