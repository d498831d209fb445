// The limits of sending: how many messages a mailbox may send on a UTC day, with the exact count, and its storage quota.
import { and, countDistinct, desc, eq, gt, lt, sql } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { asInIndex } from "#db/conditions.ts";
import { inboxes, messages, sendUsage } from "#db/schema/mail.ts";
import type { Ctx, Member, Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import { countStorage, isOverQuota, storageQuotas, storedBytes } from "../../inboxes/storage.ts";

const DAY_MS = 86_400_000;
/** Replies to people who wrote to the mailbox have a separate limit: this many times the cap. */
const REPLY_FACTOR = 10;

type Mailbox = Pick<InboxRow, "id" | "organization_id" | "created_at">;

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
async function isReply(tx: Transaction, mailbox: Mailbox, recipients: string[]): Promise<boolean> {
  const everyone = [...new Set(recipients.map((address) => address.toLowerCase()))];
  const sender = sql`lower(${messages.from_address})`;
  const wrote = and(
    eq(messages.inbox_id, mailbox.id),
    asInIndex(eq(messages.direction, "inbound")),
    sql`${sender} = any(${sql.param(everyone)})`,
  );
  const [row] = await tx
    .select({ known: countDistinct(sender) })
    .from(messages)
    .where(wrote);
  return row?.known === everyone.length;
}

/**
 * Counts one send on its day, in the transaction that queues it; concurrent sends get exactly the cap.
 * @param recipients all of them: a message to people who wrote to the mailbox is a reply, whatever endpoint was called
 * @throws ServiceError `daily_send_cap_exceeded`, `Retry-After` = whole seconds to the next UTC midnight
 */
export async function takeSend(ctx: Services, tx: Transaction, mailbox: Mailbox, recipients: string[]): Promise<void> {
  const reply = await isReply(tx, mailbox, recipients);
  const cap = capToday(ctx, mailbox);
  const limit = reply ? cap.limit * REPLY_FACTOR : cap.limit;
  if (limit > 0 && (await addSend(tx, mailbox, { day: cap.day, limit, column: reply ? "replies" : "counted" }))) return;
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

type Counter = { day: string; limit: number; column: "counted" | "replies" };

/** Counts one send; false if the limit is reached. */
async function addSend(tx: Transaction, mailbox: Mailbox, { day, limit, column }: Counter): Promise<boolean> {
  const first = { organization_id: mailbox.organization_id, inbox_id: mailbox.id, day, counted: 0, replies: 0 };
  const { count } = await tx
    .insert(sendUsage)
    .values({ ...first, [column]: 1 })
    .onConflictDoUpdate({
      target: [sendUsage.inbox_id, sendUsage.day],
      set: { [column]: sql`${sendUsage[column]} + 1` },
      setWhere: lt(sendUsage[column], limit),
    });
  return count > 0;
}

/** GET /v1/inboxes/{addr}/send-limit: returns the cap, its usage, and when it increases. */
export async function sendLimit(ctx: Services, mailbox: Mailbox) {
  const cap = capToday(ctx, mailbox);
  const [row] = await ctx.db
    .select({ counted: sendUsage.counted })
    .from(sendUsage)
    .where(and(eq(sendUsage.inbox_id, mailbox.id), eq(sendUsage.day, cap.day)));
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
  const { db, actor, settings, now } = ctx;
  const { day, resetsAt } = capToday(ctx, { id: "", organization_id: "", created_at: now() });
  const steps = settings.SEND_CAP_RAMP;
  const age = sql`greatest(${day}::date - (${inboxes.created_at} at time zone 'UTC')::date, 0)`;
  const cap = sql`(${sql.param(steps)}::int[])[1 + least(${age}, ${steps.length - 1}::int)]`.mapWith(Number);
  const nearest = await db
    .select({ address: inboxes.address, sent: sendUsage.counted, cap })
    .from(sendUsage)
    .innerJoin(inboxes, and(eq(inboxes.id, sendUsage.inbox_id), eq(inboxes.status, "live")))
    .where(and(eq(sendUsage.organization_id, actor.organizationId), eq(sendUsage.day, day), gt(sendUsage.counted, 0)))
    .orderBy(desc(sql`${sendUsage.counted}::float8 / greatest(${cap}, 1)`), inboxes.id)
    .limit(mailboxes);
  return { resets_at: resetsAt.toISOString(), inboxes: nearest };
}

/** @throws ServiceError `storage_quota_exceeded` */
export async function takeStorage(
  { settings }: Services,
  tx: Transaction,
  mailbox: Mailbox,
  size: number,
): Promise<void> {
  const change = { organization_id: mailbox.organization_id, inbox_id: mailbox.id, bytes: storedBytes(size) };
  try {
    const plain = plainOf(tx);
    await countStorage(plain, [change], storageQuotas(settings), plain`true`);
  } catch (error) {
    if (!isOverQuota(error)) throw error;
    throw new ServiceError(
      "storage_quota_exceeded",
      `This message has ${size} bytes and exceeds the storage quota of the mailbox or of the organization.`,
    );
  }
}
