// The limits of sending: how many messages a mailbox may send on a UTC day, with the exact count, and its storage quota.
import type { Sql, TransactionSql } from "postgres";
import type { Ctx, Member, Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { countStorage, isOverQuota, storageQuotas, storedBytes } from "../../inboxes/storage.ts";

const DAY_MS = 86_400_000;
/** Replies to people who wrote to the mailbox have a separate limit: this many times the cap. */
const REPLY_FACTOR = 10;

type Mailbox = { id: string; organization_id: string; created_at: Date };

/** The cap of a mailbox today, from SEND_CAP_RAMP by its age in UTC days. */
function capToday({ settings, now }: Services, mailbox: Mailbox) {
  const today = Math.floor(now().getTime() / DAY_MS);
  const age = Math.max(0, today - Math.floor(mailbox.created_at.getTime() / DAY_MS));
  const ramp = settings.SEND_CAP_RAMP;
  const step = Math.min(age, ramp.length - 1);
  const midnight = new Date((today + 1) * DAY_MS);
  return {
    day: new Date(today * DAY_MS).toISOString().slice(0, 10),
    limit: ramp[step] ?? 0,
    step: step + 1,
    resetsAt: midnight,
    nextStepAt: step < ramp.length - 1 ? midnight : null,
  };
}

/** Whether all recipients have written to this mailbox before. */
async function isReply(tx: TransactionSql, mailbox: Mailbox, recipients: string[]): Promise<boolean> {
  const everyone = [...new Set(recipients.map((address) => address.toLowerCase()))];
  const [row] = await tx<[{ known: number }]>`
    select count(distinct lower(from_address))::int as known from messages
    where inbox_id = ${mailbox.id} and direction = 'inbound' and lower(from_address) = any(${everyone})`;
  return row.known === everyone.length;
}

/**
 * Counts one send on its day, in the transaction that queues it; concurrent sends get exactly the cap.
 * @param recipients all of them: a message to people who wrote to the mailbox is a reply, whatever endpoint was called
 * @throws ServiceError `daily_send_cap_exceeded`, `Retry-After` = whole seconds to the next UTC midnight
 */
export async function takeSend(
  ctx: Services,
  tx: TransactionSql,
  mailbox: Mailbox,
  recipients: string[],
): Promise<void> {
  const reply = await isReply(tx, mailbox, recipients);
  const cap = capToday(ctx, mailbox);
  const limit = reply ? cap.limit * REPLY_FACTOR : cap.limit;
  const column = tx(reply ? "replies" : "counted");
  const [counted, replies] = reply ? [0, 1] : [1, 0];
  const taken =
    limit > 0 &&
    (await tx`
      insert into send_usage as u (organization_id, inbox_id, day, counted, replies)
      values (${mailbox.organization_id}, ${mailbox.id}, ${cap.day}, ${counted}, ${replies})
      on conflict (inbox_id, day) do update set ${column} = u.${column} + 1 where u.${column} < ${limit}
      returning 1`);
  if (taken && taken.length > 0) return;
  const seconds = Math.ceil((cap.resetsAt.getTime() - ctx.now().getTime()) / 1000);
  const what = reply ? "replies" : "messages";
  throw new ServiceError(
    "daily_send_cap_exceeded",
    `This mailbox has sent the ${limit} ${what} it may send today (UTC).`,
    {
      headers: { "Retry-After": String(Math.max(1, seconds)) },
    },
  );
}

/** GET /v1/inboxes/{addr}/send-limit: returns the cap, its usage, and when it increases. */
export async function sendLimit(ctx: Services & { sql: Sql }, mailbox: Mailbox) {
  const cap = capToday(ctx, mailbox);
  const [row] = await ctx.sql<{ counted: number }[]>`
    select counted from send_usage where inbox_id = ${mailbox.id} and day = ${cap.day}`;
  const used = row?.counted ?? 0;
  return {
    limit: cap.limit,
    used,
    remaining: Math.max(0, cap.limit - used),
    resets_at: cap.resetsAt.toISOString(),
    step: cap.step,
    next_step_at: cap.nextStepAt?.toISOString() ?? null,
  };
}

/** The live mailboxes that have used most of today's cap, without replies; mailboxes that sent nothing are left out. */
export async function nearestToCap(ctx: Ctx<Member>, mailboxes: number) {
  const { sql, actor, settings, now } = ctx;
  const { day, resetsAt } = capToday(ctx, { id: "", organization_id: "", created_at: now() });
  const steps = settings.SEND_CAP_RAMP;
  const inboxes = await sql<{ address: string; sent: number; cap: number }[]>`
    select i.address, u.counted as sent, c.cap
    from send_usage u
    join inboxes i on i.id = u.inbox_id and i.status = 'live'
    cross join lateral (
      select (${steps}::int[])[1 + least(
        greatest(${day}::date - (i.created_at at time zone 'UTC')::date, 0), ${steps.length - 1}::int)] as cap) c
    where u.organization_id = ${actor.organizationId} and u.day = ${day} and u.counted > 0
    order by u.counted::float8 / greatest(c.cap, 1) desc, i.id limit ${mailboxes}`;
  return { resets_at: resetsAt.toISOString(), inboxes };
}

/** @throws ServiceError `storage_quota_exceeded` */
export async function takeStorage(
  { settings }: Services,
  tx: TransactionSql,
  mailbox: Mailbox,
  size: number,
): Promise<void> {
  const change = { organization_id: mailbox.organization_id, inbox_id: mailbox.id, bytes: storedBytes(size) };
  try {
    await countStorage(tx, [change], storageQuotas(settings), tx`true`);
  } catch (error) {
    if (!isOverQuota(error)) throw error;
    throw new ServiceError(
      "storage_quota_exceeded",
      `This message has ${size} bytes and exceeds the storage quota of the mailbox or of the organization.`,
    );
  }
}
