// Stored mail by the million, made by SQL: half of it in one mailbox, the other half 50 messages to a mailbox, as it came in.
import type { Sql } from "postgres";
import { connect } from "#db/client.ts";
import { encodeId } from "#server/base/ids.ts";
import { searchText } from "#server/extraction/search.ts";
import { DOMAIN } from "./site.ts";

/** Of the messages, in the order in which they came to the large mailbox, one in so many. */
const EVERY = { unread: 10, label: 50, commonWord: 100 };
/** Messages of the large mailbox, from its oldest, that have the rare word and the rare label. */
const RARE = 8;
const IN_SMALL_BOX = 50;
const PER_THREAD = 5;
const BODIES = 1_000;
const BODY_WORDS = 80;
const VOCABULARY = 4_000;
/** Old enough that the newest of a million is in the past, and young enough that no event is pruned. */
const BEGAN_DAYS_AGO = 20;
const SYLLABLES = ["ba", "co", "di", "fu", "ga", "le", "mi", "no", "pe", "ra", "so", "tu", "va", "wi", "zo", "ke"];

export const WORDS = { everywhere: "invoice", common: "quarterly", rare: "zebrafish" };
export const LABELS = { common: "todo", rare: "court" };
/** `big@` has half of all messages, `small-0@` and on 50 each; the rest of the mailboxes, as many as messages, are empty. */
export const BIG_BOX = `big@${DOMAIN}`;
export const smallBox = (n: number) => `small-${n}@${DOMAIN}`;

const word = (n: number) => [n, n >> 4, n >> 8].map((part) => SYLLABLES[part & 15]).join("");

/** Bodies whose words are as common as in writing: the n-th of the vocabulary a third as often as the one at n / 3. */
function bodies() {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  return Array.from({ length: BODIES }, (_, n) => {
    const words = Array.from({ length: BODY_WORDS }, () => word(Math.floor(VOCABULARY ** random())));
    words[3] = WORDS.everywhere;
    if (n % EVERY.commonWord === 0) words[5] = WORDS.common;
    const text = words.join(" ");
    const parts = {
      from: `sender-${n}@sender.example`,
      fromName: "Ada",
      to: [],
      subject: text.slice(0, 40),
      body: text,
    };
    return { n, text, words: searchText(parts) };
  });
}

/** The UUIDv7 of message, thread or event `n`, which tells its time. */
const idOf = (sql: Sql, kind: number, n: string, began: number) => sql`
  (lpad(to_hex(${began}::bigint + ${sql.unsafe(n)} * 1000), 12, '0') || '7' || ${`00${kind}`}::text || '8'
    || lpad(to_hex(${sql.unsafe(n)}), 15, '0'))::uuid`;

async function makeBoxes(sql: Sql, count: number): Promise<void> {
  await sql`
    create temp table boxes as select gen_random_uuid() as id, n,
      (case n when -1 then 'big' else 'small-' || n end) || '@' || ${DOMAIN}::text as address
    from generate_series(-1, ${count - 2}::int) n`;
  await sql`
    insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata, status,
      identity_status, created_at)
    select b.id, a.organization_id, a.enrollment_key_id, a.id, b.address, ${DOMAIN}::text, '', '{}', 'live', 'open', now()
    from boxes b cross join (select * from agents limit 1) a`;
  await sql`create unique index on boxes (n)`;
}

/** Message n as a row `m`: its mailbox, number and thread there. */
const layout = (sql: Sql, count: number) => sql`(
  select n, case n % 2 when 0 then -1 else (n / 2) % ${Math.ceil(count / 2 / IN_SMALL_BOX)}::int end as box, n / 2 as place,
    case n % 2 when 0 then n / ${2 * PER_THREAD}::int * ${2 * PER_THREAD}::int else n end as first
  from generate_series(0, ${count - 1}::int) n)`;

async function makeMessages(sql: Sql, count: number, began: number): Promise<void> {
  await sql`
    insert into messages (id, organization_id, inbox_id, thread_id, direction, status, from_address, from_name, to_addresses,
      cc_addresses, bcc_addresses, reply_to, subject, rfc_message_id, references_ids, headers, text, extracted_text, safe_text,
      security, search, read, labels, attachments, size, envelope_from, envelope_to, created_at)
    select ${idOf(sql, 1, "m.n", began)}, a.organization_id, b.id, ${idOf(sql, 2, "m.first", began)}, 'inbound', 'parsed',
      'sender-' || t.n || '@sender.example', 'Ada', array[b.address], '{}', '{}', '{}', left(t.text, 40),
      m.n || '@sender.example', '{}', '[["Subject", "as it came"]]', t.text, t.text, t.text,
      '{"first_contact": false, "multiple_from": false, "hidden_text": false, "suspicious_links": []}',
      array_to_tsvector(array['@org ' || a.organization_id, '@inbox ' || b.id]) || (
        t.words || case when m.box = -1 and m.place < ${RARE}::int then ' ''^' || left(${WORDS.rare}::text, 4) || ''' ''' || ${WORDS.rare}::text || ''':900' else '' end)::tsvector,
      m.place % ${EVERY.unread}::int <> 0,
      case when m.box = -1 and m.place < ${RARE}::int then array[${LABELS.rare}::text]
        when m.place % ${EVERY.label}::int = 0 then array[${LABELS.common}::text] else '{}' end,
      '[]', 4096, 'ada@sender.example', b.address, to_timestamp(${began}::bigint / 1000 + m.n)
    from ${layout(sql, count)} m join boxes b on b.n = m.box join bodies t on t.n = m.place % ${BODIES}::int
    cross join (select * from agents limit 1) a order by m.n`;
  await sql`
    insert into threads (id, organization_id, inbox_id, subject, last_message_id, created_at)
    select thread_id, organization_id, inbox_id, min(subject), (array_agg(id order by id desc))[1], min(created_at)
    from messages group by thread_id, organization_id, inbox_id`;
  await sql`
    insert into events (id, organization_id, position, inbox_id, message_id, kind, body, created_at)
    select ${idOf(sql, 3, "n", began)}, organization_id, n + 1, inbox_id, id, 'message.received',
      json_build_object('event', 'message.received', 'inbox', address, 'message', json_build_object('id', id,
        'thread_id', thread_id, 'from', from_address, 'subject', subject,
        'received_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))::text,
      created_at
    from (select m.*, address, row_number() over (order by m.id) - 1 as n from messages m join boxes b on b.id = inbox_id) m`;
  await sql`
    insert into event_positions (organization_id, last) select organization_id, count(*) from events group by 1
    on conflict (organization_id) do update set last = excluded.last`;
}

/** The indexes with which the running service polls for work. */
const KEPT_INDEXES = ["messages_due", "messages_unread_bodies"];

/** Without the indexes that are dear to keep up row by row. */
async function withoutIndexes(sql: Sql, work: () => Promise<void>): Promise<void> {
  const indexes = await sql<{ indexname: string; indexdef: string }[]>`
    select indexname, indexdef from pg_indexes
    where tablename in ('messages', 'events', 'inboxes') and indexdef not like '%UNIQUE%'
      and indexname not in ${sql(KEPT_INDEXES)}`;
  await sql`alter table messages set (autovacuum_enabled = off, toast.autovacuum_enabled = off)`;
  for (const { indexname } of indexes) await sql`drop index ${sql(indexname)}`;
  await work();
  for (const { indexdef } of indexes) await sql.unsafe(indexdef);
  await sql`alter table messages reset (autovacuum_enabled, toast.autovacuum_enabled)`;
}

export type MailData = { messageIds: string[]; eventId: string };

/**
 * Fills a database that has an agent with as many mailboxes as messages.
 * @param count messages, even
 * @returns ids on the wire of some messages of the large mailbox, all over it, and of an event in the middle
 */
export async function makeMail(databaseUrl: string, count: number): Promise<MailData> {
  const sql = connect(databaseUrl, { max: 1, fetch_types: false, onnotice: () => {} });
  const began = Math.floor(Date.now() / 1000 - BEGAN_DAYS_AGO * 86_400) * 1000;
  try {
    await sql`set maintenance_work_mem = '512MB'`;
    await sql`create temp table bodies as
      select * from json_to_recordset(${JSON.stringify(bodies())}::text::json) as r(n int, text text, words text)`;
    await withoutIndexes(sql, async () => {
      await makeBoxes(sql, count);
      await sql`analyze boxes`;
      await sql`analyze bodies`;
      await makeMessages(sql, count, began);
    });
    for (const table of ["inboxes", "threads", "messages", "events", "event_positions"]) {
      await sql`vacuum (analyze) ${sql(table)}`;
    }
    const ids = await sql<{ id: string }[]>`
      select ${idOf(sql, 1, "n", began)} as id
      from generate_series(0, ${count - 2}::bigint, ${Math.floor(count / 400) * 2}::bigint) n`;
    const [event] = await sql<{ id: string }[]>`select id from events where position = ${count / 2}`;
    return { messageIds: ids.map(({ id }) => encodeId("msg", id)), eventId: encodeId("evt", event?.id ?? "") };
  } finally {
    await sql.end();
  }
}
