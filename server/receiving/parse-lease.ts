// Leases inbound mails for parsing: some of each organization in turn, or the mails that a caller waits for.
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { anyOf, asInIndex } from "#db/conditions.ts";
import { events } from "#db/schema/events.ts";
import { messages } from "#db/schema/mail.ts";
import { makeDue } from "../base/catch-up.ts";
import type { Services } from "../base/context.ts";
import { FIRST_ID } from "../base/id-range.ts";

/** Of one lease, and organizations of one turn. */
const BATCH_MAILS = 60;
/** The mails of a dead process become due after this time. Renewed while a mail is being parsed. */
const LEASE_MS = 20_000;
/** Short enough that several renewals may fail. */
export const RENEW_EVERY_MS = 5_000;
/** A mail that a caller waits for is taken over if another process leased it this long ago. */
const TAKE_OVER_MS = 5_000;
const BACKOFF_MIN_MS = 1_000;
const BACKOFF_MAX_MS = 300_000;

type MessageRow = typeof messages.$inferSelect;
/** `attempts`: the number of leases, including this one. `envelope_from` null: it was imported (server/messages/import/). */
export type Leased = Pick<
  MessageRow,
  "id" | "organization_id" | "inbox_id" | "size" | "attempts" | "parse_faults" | "from_address"
> &
  Pick<
    MessageRow,
    | "remote_ip"
    | "helo"
    | "local_sender"
    | "envelope_from"
    | "quarantine"
    | "rfc_message_id"
    | "in_reply_to"
    | "references"
  > & {
    /** Of its event, if that is traced. */
    traceparent?: string | undefined;
  };

type Needs = Pick<Services, "sql" | "db" | "now">;

export const parseLeaseEnd = (now: Date) => new Date(now.getTime() + LEASE_MS);
const leaseEnd = (ctx: Needs) => parseLeaseEnd(ctx.now());

function returned({ sql }: Needs) {
  return sql`m.id, m.organization_id, m.inbox_id, m.size, m.attempts, m.parse_faults, m.from_address, m.envelope_from, m.remote_ip, m.helo, m.local_sender, m.quarantine,
    m.rfc_message_id, m.in_reply_to, m.references_ids as references`;
}

/** Leases older than this may be taken over for a caller. */
export function takeOverBefore(ctx: Needs): Date {
  return new Date(ctx.now().getTime() + LEASE_MS - TAKE_OVER_MS);
}

/** Leases the given mails, due or not, unless a process leased them within the last 5 s. */
export async function leaseNamed(ctx: Needs, ids: string[]): Promise<Leased[]> {
  return ctx.sql<Leased[]>`
    update messages m set next_attempt_at = ${leaseEnd(ctx)}, attempts = attempts + 1
    where id = any(array(
      select id from messages where status = 'received' and next_attempt_at <= ${takeOverBefore(ctx)}
        and id = any(${ids}::uuid[]) for update skip locked))
    returning ${returned(ctx)}`;
}

/**
 * Leases up to 60 due mails, shared evenly among the first 60 organizations after `after`.
 * @param busy organizations to leave out
 * @returns the mails, and the organization to continue after
 */
export async function leaseInTurns(
  ctx: Needs,
  after: string,
  busy: string[],
): Promise<{ mails: Leased[]; after: string }> {
  const due = ctx.now();
  const { sql } = ctx;
  const first = (from: ReturnType<Services["sql"]>) => sql`
    select organization_id from messages
    where status = 'received' and organization_id > ${from} and next_attempt_at <= ${due}
      and organization_id <> all(${busy}::uuid[])
    order by organization_id limit 1`;
  // One index lookup per organization, however many mails it has.
  const mails = await sql<Leased[]>`
    with recursive organizations as (
      select (${first(sql`${after}::uuid`)}) as id
      union all
      select (${first(sql`o.id`)}) from organizations o where o.id is not null
    ), turns as materialized (
      select id from organizations where id is not null limit ${BATCH_MAILS}
    )
    update messages m set next_attempt_at = ${leaseEnd(ctx)}, attempts = attempts + 1
    where m.id = any(array(
      select d.id from turns t cross join lateral (
        select id from messages
        where status = 'received' and organization_id = t.id and next_attempt_at <= ${due}
        order by next_attempt_at limit greatest(1, ${BATCH_MAILS} / (select count(*) from turns))
        for update skip locked) d))
    returning ${returned(ctx)}`;
  const last = mails.reduce((latest, mail) => (mail.organization_id > latest ? mail.organization_id : latest), after);
  if (mails.length === 0 && after !== FIRST_ID) return leaseInTurns(ctx, FIRST_ID, busy);
  return { mails, after: last };
}

/**
 * Adds the traces that the mails belong to. Leasing does not read them, so that a service without tracing does nothing
 * for them.
 */
export async function addTraces({ db }: Pick<Needs, "db">, mails: Leased[]): Promise<void> {
  const byId = new Map(mails.map((mail) => [mail.id, mail]));
  const rows = await db
    .select({ message_id: events.message_id, traceparent: events.traceparent })
    .from(events)
    .where(and(anyOf(events.message_id, [...byId.keys()]), isNotNull(events.traceparent)));
  for (const { message_id, traceparent } of rows) {
    const mail = byId.get(message_id ?? "");
    if (mail) mail.traceparent = traceparent ?? undefined;
  }
}

/** Renews the leases of mails that are being parsed. */
export async function renewLeases(ctx: Needs, ids: string[]): Promise<void> {
  await ctx.db
    .update(messages)
    .set({ next_attempt_at: leaseEnd(ctx) })
    .where(and(anyOf(messages.id, ids), eq(messages.status, "received")));
}

/** Releases mails, each to be retried after a backoff that grows with its attempts. */
export async function putBack(ctx: Needs, mails: Leased[]): Promise<undefined[]> {
  const now = ctx.now().getTime();
  const rows = mails.map(({ id, attempts, parse_faults }) => {
    const delayMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** Math.min(attempts - 1, 20));
    return { id, parse_faults, due: new Date(now + delayMs) };
  });
  const byId = anyOf(
    messages.id,
    rows.map(({ id }) => id),
  );
  await ctx.db
    .update(messages)
    .set({ next_attempt_at: sql`r.due`, parse_faults: sql`r.parse_faults` })
    .from(sql`json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, due timestamptz, parse_faults int)`)
    .where(and(byId, sql`${messages.id} = r.id`, eq(messages.status, "received")));
  return mails.map(() => undefined);
}

/** Longer than the backoff and the lease of a parse. */
const PAUSE_MAX_MS = 600_000;

/** Messages to be parsed. */
export const advanceReceived = makeDue({
  table: messages,
  key: messages.id,
  at: messages.next_attempt_at,
  withinMs: PAUSE_MAX_MS,
  only: asInIndex(eq(messages.status, "received")),
});
