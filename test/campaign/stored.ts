// What must hold in the database at any time: all that was acknowledged is there, once, and nothing waits without being done.
import { decodeId } from "#server/base/ids.ts";
import type { Ledger } from "./ledger.ts";
import type { Sql, System } from "./system.ts";

const STUCK_SECONDS = 120;
/** Named in a violation; the rest is counted. */
const NAMED = 3;

/** One sentence about what is wrong, or nothing. */
export function violation(what: string, found: string[]): string[] {
  if (found.length === 0) return [];
  return [`${found.length} ${what}: ${found.slice(0, NAMED).join(", ")}${found.length > NAMED ? ", …" : ""}`];
}

async function mailboxes(sql: Sql, { created, deleted, deleting }: Ledger): Promise<string[]> {
  const rows = await sql<{ id: string; client_id: string; status: string }[]>`
    select id, client_id, status from inboxes where client_id is not null`;
  const byClient = new Map(rows.map((row) => [row.client_id, row]));
  const [quota] = await sql<{ wrong: string[] }[]>`
    select coalesce(array_agg(k.name || ': ' || k.used_count || ' used, ' || n || ' there'), '{}') as wrong
    from enrollment_keys k cross join lateral (
      select count(*) as n from inboxes where enrollment_key_id = k.id) as i
    where k.used_count <> n`;
  const missing: string[] = [];
  const gone: string[] = [];
  const back: string[] = [];
  for (const [clientId, { id }] of created) {
    const row = byClient.get(clientId);
    if (row?.id !== decodeId("inb", id)) missing.push(id);
    else if (deleted.has(id) && row?.status !== "deleted") back.push(id);
    else if (!deleting.has(id) && row?.status !== "live") gone.push(id);
  }
  return [
    ...violation("created mailboxes are missing or another one", missing),
    ...violation("mailboxes are gone that nothing deleted", gone),
    ...violation("deleted mailboxes are back", back),
    ...violation("quotas are wrong", quota?.wrong ?? []),
  ];
}

async function sends(sql: Sql, { sent }: Ledger): Promise<string[]> {
  const rows = await sql<{ id: string; idempotency_key: string; status: string; error: string | null }[]>`
    select id, idempotency_key, status, error from messages where direction = 'outbound'`;
  const byKey = new Map(rows.map((row) => [row.idempotency_key, row]));
  const failed = rows.filter(({ status }) => status === "failed").map(({ id, error }) => `${id} (${error})`);
  const missing = [...sent].filter(([key, id]) => byKey.get(key)?.id !== decodeId("msg", id)).map(([, id]) => id);
  return [
    ...violation("accepted sends are missing or another one", missing),
    ...violation("sends failed", failed),
    ...violation(
      "sends were stored twice",
      rows.length > byKey.size ? [`${rows.length} rows, ${byKey.size} keys`] : [],
    ),
  ];
}

async function mails(sql: Sql, { mailed, claimed }: Ledger): Promise<string[]> {
  const rows = await sql<{ id: string; rfc_message_id: string; status: string; bytes: number | null }[]>`
    select id, rfc_message_id, status, length(r.bytes) as bytes from messages m left join raw_messages r on r.message_id = m.id
    where direction = 'inbound'`;
  const ids = Map.groupBy(rows, ({ rfc_message_id }) => rfc_message_id);
  const lost = [...mailed].filter(
    ([messageId, { id }]) => !ids.get(messageId)?.some((row) => row.id === decodeId("msg", id) && row.bytes),
  );
  const doubled = [...ids].filter(([, stored]) => stored.length > 1).map(([messageId]) => messageId);
  const unparsed = rows.filter(({ status }) => status === "unparsed").map(({ id }) => id);
  const again = claimed.filter((id, i) => claimed.indexOf(id) !== i);
  return [
    ...violation(
      "accepted mails are lost",
      lost.map(([messageId]) => messageId),
    ),
    ...violation("mails were stored twice", doubled),
    ...violation("mails became unparsed", unparsed),
    ...violation("mails were claimed twice", again),
  ];
}

async function events(sql: Sql): Promise<string[]> {
  const gaps = await sql<{ text: string }[]>`
    select format('%s events up to %s, the last is %s', count(*), max(position), p.last) as text
    from events e join event_positions p using (organization_id) group by organization_id, p.last
    having count(*) <> max(position) or max(position) <> p.last`;
  const wrong = await sql<{ id: string }[]>`
    select m.id from messages m left join events e on e.message_id = m.id where m.direction = 'inbound'
    group by m.id having count(e.id) <> 1`;
  const owed = await sql<{ id: string }[]>`
    select e.id from events e left join deliveries d on d.event_id = e.id where e.kind = 'message.received'
    group by e.id having count(d.id) <> 1`;
  return [
    ...violation(
      "logs have gaps",
      gaps.map(({ text }) => text),
    ),
    ...violation(
      "mails have no event or several",
      wrong.map(({ id }) => id),
    ),
    ...violation(
      "events are owed to the webhook never or twice",
      owed.map(({ id }) => id),
    ),
  ];
}

/** Rows that are due and that nothing takes. */
async function stuck(sql: Sql): Promise<string[]> {
  const rows = await sql<{ text: string }[]>`
    with due as (
      select 'message ' || status as what, next_attempt_at as at from messages where next_attempt_at is not null
      union all select 'delivery', next_attempt_at from deliveries where status = 'pending'
      union all select 'notice', next_attempt_at from notices where next_attempt_at is not null)
    select format('%s %s for %s s', count(*), what, round(extract(epoch from now() - min(at)))) as text from due
    where at < now() - ${`${STUCK_SECONDS} s`}::interval group by what`;
  return violation(
    "kinds of rows are stuck",
    rows.map(({ text }) => text),
  );
}

export function checkStored(system: System, ledger: Ledger): Promise<string[]> {
  return system.read(async (sql) => [
    ...(await mailboxes(sql, ledger)),
    ...(await sends(sql, ledger)),
    ...(await mails(sql, ledger)),
    ...(await events(sql)),
    ...(await stuck(sql)),
  ]);
}
