// Reads what is known of the mailboxes of a batch: their quotas, webhooks, threads, and mail that is stored already.

import { EVERY_INBOX } from "#db/conditions.ts";
import type { messages } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";
import { FIRST_ID, LAST_ID } from "../base/id-range.ts";
import { EVENT_KIND } from "../events/record.ts";
import { storageColumns, storageQuotas } from "../inboxes/storage/count.ts";
import { filterColumnsOf, isSubscribed } from "../webhooks/delivery/subscribers.ts";
import { type Hook, type Inbox, type Known, type PreparedMail, threadReferences } from "./receive-plan.ts";

/** As JSON: secrets in hex, times as text. */
type HookRow = Omit<Hook, Sealed | "read_at"> & {
  secret: string;
  headers: string | null;
  previous_secret: string | null;
  previous_secret_expires_at: string | null;
};

type Sealed = "secret" | "headers" | "previous_secret" | "previous_secret_expires_at";
type MessageRow = typeof messages.$inferSelect;
type KnownRow = {
  inboxes: (Inbox & { stored: number; organization_stored: number })[];
  hooks: HookRow[];
  duplicates: (Pick<MessageRow, "inbox_id" | "id"> & { key: string; created_at: string })[];
  threads: Pick<MessageRow, "inbox_id" | "rfc_message_id" | "thread_id">[];
};

function hookOf(row: HookRow, read_at: number): Hook {
  const { secret, headers, previous_secret, previous_secret_expires_at: until } = row;
  return {
    ...row,
    secret: Buffer.from(secret, "hex"),
    headers: headers === null ? null : Buffer.from(headers, "hex"),
    previous_secret: previous_secret === null ? null : Buffer.from(previous_secret, "hex"),
    previous_secret_expires_at: until === null ? null : new Date(until),
    read_at,
  };
}

/**
 * Duplicates and threads are looked up for each mailbox of a mail, each by one row of one index: rows are compared, so that no other index
 * can serve the look-up, whatever the planner knows of the tables. Rows of other mailboxes are not read: anybody can fill a mailbox with
 * mail of one Message-ID.
 */
export async function readKnown(
  { sql, settings }: Pick<Services, "sql" | "settings">,
  mails: PreparedMail[],
): Promise<Known> {
  const addresses = new Set<string>();
  for (const mail of mails) for (const address of mail.mailboxes.keys()) addresses.add(address);
  const list = [...addresses];
  const asked = mails.map((mail) => ({
    addresses: [...mail.mailboxes.keys()],
    key: mail.duplicateKey,
    refs: threadReferences(mail),
  }));
  const read_at = performance.now();
  const kind = sql`${EVENT_KIND}::text`;
  const received = { organization_id: sql`i.organization_id`, inbox_id: sql`i.id`, agent_id: sql`i.agent_id`, kind };
  const boxesOf = (mail: ReturnType<typeof sql>) => sql`
    unnest(${mail}) a(address) cross join lateral (select id from inboxes where address = a.address limit 1) b`;
  const [row] = await sql<[KnownRow]>`
    with asked as materialized (
      select * from json_to_recordset(${JSON.stringify(asked)}::text::json) as r(addresses text[], key text, refs text[]))
    select
      (select coalesce(json_agg(x), '[]') from (
        select i.id, i.organization_id, i.address, ${storageColumns(sql)},
          exists (select 1 from list_entries l where l.organization_id = i.organization_id
            and l.inbox_id in (${EVERY_INBOX}::uuid, i.id) and l.direction = 'receive') as listed,
          (select policy = 'quarantine' from spam_policies p where p.organization_id = i.organization_id
            and p.inbox_id in (${EVERY_INBOX}::uuid, i.id) order by p.inbox_id desc limit 1) is true as quarantines
        from inboxes i
        where address = any(${list}::text[]) and status = 'live') x) as inboxes,
      (select coalesce(json_agg(x), '[]') from (
        select i.id as inbox_id, w.id as webhook_id, w.organization_id, w.url, ${filterColumnsOf(sql)}, w.format, w.include_message, encode(w.secret, 'hex') as secret, encode(w.headers, 'hex') as headers,
          encode(w.previous_secret, 'hex') as previous_secret, w.previous_secret_expires_at
        from inboxes i join webhooks w on ${isSubscribed(sql, received)}
        where i.address = any(${list}::text[])) x) as hooks,
      (select coalesce(json_agg(x), '[]') from (
        select d.inbox_id, asked.key, d.id, d.created_at
        from asked cross join ${boxesOf(sql`asked.addresses`)} cross join lateral (
          select inbox_id, id, created_at from messages
          where duplicate_key is not null and (duplicate_key, inbox_id) >= (decode(asked.key, 'hex'), b.id)
            and (duplicate_key, inbox_id) <= (decode(asked.key, 'hex'), b.id) limit 1) d
        where asked.key is not null) x) as duplicates,
      (select coalesce(json_agg(x), '[]') from (
        select b.id as inbox_id, r.ref as rfc_message_id, t.thread_id
        from asked cross join ${boxesOf(sql`asked.addresses`)} cross join unnest(asked.refs) r(ref) cross join lateral (
          select thread_id from messages
          where rfc_message_id is not null and (rfc_message_id, inbox_id, id) >= (r.ref, b.id, ${FIRST_ID}::uuid)
            and (rfc_message_id, inbox_id, id) <= (r.ref, b.id, ${LAST_ID}::uuid)
          order by rfc_message_id, inbox_id, id limit 1) t) x) as threads`;
  return knownOf(row, read_at, storageQuotas(settings));
}

function knownOf(row: KnownRow, read_at: number, quotas: Known["quotas"]): Known {
  const hooks = row.hooks.map((hook) => hookOf(hook, read_at));
  return {
    inboxes: new Map(row.inboxes.map((inbox) => [inbox.address, inbox])),
    stored: new Map(
      row.inboxes.flatMap(({ id, organization_id, stored, organization_stored }) => [
        [id, stored],
        [organization_id, organization_stored],
      ]),
    ),
    quotas,
    hooks: Map.groupBy(hooks, (hook) => hook.inbox_id),
    duplicates: new Map(
      row.duplicates.map(({ inbox_id, key, id, created_at }) => {
        return [`${inbox_id} ${key}`, { id, created_at: new Date(created_at) }];
      }),
    ),
    threads: new Map(row.threads.map((each) => [`${each.inbox_id} ${each.rfc_message_id}`, each.thread_id])),
  };
}
