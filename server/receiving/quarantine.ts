// Mail of mailboxes with the policy `quarantine`: it has no event, no deliveries and no place in its thread until its verdict is
// known. Then it is delivered, or stays in quarantine.
import { and, eq, isNotNull, ne, sql } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { asInIndex } from "#db/conditions.ts";
import { provesSender } from "#db/message-parts.ts";
import { inboxes, messages, threads } from "#db/schema/mail.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { encodeId, newId } from "../base/ids.ts";
import type { Recorded } from "../events/event-log.ts";
import { EVENT_KIND } from "../events/record.ts";
import type { EventBody } from "../events/schema.ts";
import { readRules } from "../recipients/lists/rules.ts";
import { trusts } from "../recipients/lists/verdict.ts";

const MAILS_PER_STEP = 60;

type Row = typeof messages.$inferSelect;
const {
  id,
  organization_id,
  inbox_id,
  thread_id,
  from_address,
  subject,
  authentication,
  spam,
  quarantine,
  status,
  created_at,
} = messages;
const heldColumns = {
  id,
  organization_id,
  inbox_id,
  thread_id,
  from_address,
  subject,
  authentication,
  spam,
  created_at,
};
type Held = Pick<Row, keyof typeof heldColumns>;

/**
 * Worker job: decides on mail whose verdict is known now. A mail whose content cannot be parsed is judged by its header.
 * @returns how many mails it decided on
 */
export async function settleQuarantine(ctx: Ctx<System>): Promise<number> {
  const judged = await ctx.db
    .select(heldColumns)
    .from(messages)
    .innerJoin(inboxes, and(eq(inboxes.id, inbox_id), eq(inboxes.status, "live")))
    .where(and(asInIndex(eq(quarantine, "pending")), ne(status, "received")))
    .orderBy(id)
    .limit(MAILS_PER_STEP);
  let settled = 0;
  for (const mail of judged) {
    try {
      if (await isSpam(ctx, mail)) await keep(ctx, mail);
      else await deliver(ctx, mail);
      settled += 1;
    } catch (error) {
      // It must not keep the others from their mailboxes.
      ctx.log.warn({ error, message: mail.id }, "could not decide on a mail in quarantine; will retry");
    }
  }
  return settled;
}

async function keep({ db }: Pick<Services, "db">, mail: Held): Promise<void> {
  const isThis = and(eq(id, mail.id), eq(quarantine, "pending"));
  await db.update(messages).set({ quarantine: "spam" }).where(isThis);
}

/** An authenticated sender is none to whom the mailbox wrote in this thread, or who is on an allow list or a list of trusted senders. */
async function isSpam({ db }: Pick<Services, "db">, mail: Held): Promise<boolean> {
  if (mail.spam?.verdict !== "spam") return false;
  if (!provesSender(mail.authentication)) return true;
  if (await isAnswer(db, mail)) return false;
  const mailbox = { id: mail.inbox_id, organization_id: mail.organization_id };
  return !trusts(mailbox, await readRules(db, [mailbox], "receive", [mail.from_address]));
}

/** The Message-IDs of the mailbox's own mail cannot be guessed, so that only who received it joins its thread. */
async function isAnswer(db: Services["db"], mail: Held): Promise<boolean> {
  const { to_addresses, cc_addresses, bcc_addresses, direction } = messages;
  const recipients = sql`lower((${to_addresses} || ${cc_addresses} || ${bcc_addresses})::text)::text[]`;
  const toSender = sql`${mail.from_address.toLowerCase()} = any(${recipients})`;
  const isSent = and(eq(thread_id, mail.thread_id), eq(inbox_id, mail.inbox_id), eq(direction, "outbound"));
  const isOwnThread = and(isSent, eq(organization_id, mail.organization_id), toSender);
  const [sent] = await db.select({ id }).from(messages).where(isOwnThread).limit(1);
  return sent !== undefined;
}

type Needs = Pick<Services, "db" | "now" | "eventLog">;

async function deliver(ctx: Needs, mail: Held): Promise<void> {
  const recorded = await ctx.db.transaction((tx) => show(ctx, tx, mail));
  if (recorded) ctx.eventLog.announce(recorded);
}

/**
 * Shows the mail, and records its event with the deliveries. Locks the mailbox, the thread, then the message, as deletions do.
 * @returns what to announce after the commit; undefined if it was not in quarantine any more, or was deleted
 */
export async function show(ctx: Needs, tx: Transaction, mail: Held): Promise<Recorded | undefined> {
  const isLive = and(eq(inboxes.id, mail.inbox_id), eq(inboxes.status, "live"));
  const [inbox] = await tx.select({ address: inboxes.address }).from(inboxes).where(isLive).for("share");
  if (!inbox) return;
  await openThread(tx, mail);
  const isHeld = and(eq(id, mail.id), isNotNull(quarantine));
  const [shown] = await tx.update(messages).set({ quarantine: null }).where(isHeld).returning({ id });
  // The thread may have no other message.
  if (!shown) return void (await closeThread(tx, mail));
  return recordEvent(ctx, tx, mail, inbox.address);
}

async function openThread(tx: Transaction, mail: Held): Promise<void> {
  const row = { organization_id: mail.organization_id, inbox_id: mail.inbox_id, subject: mail.subject };
  await tx
    .insert(threads)
    .values({ ...row, id: mail.thread_id, last_message_id: mail.id, created_at: mail.created_at })
    .onConflictDoUpdate({
      target: threads.id,
      set: { last_message_id: sql`greatest(${threads.last_message_id}, excluded.last_message_id)` },
    });
}

async function closeThread(tx: Transaction, mail: Held): Promise<void> {
  const newest = sql`(select max(${id}::text)::uuid from ${messages} where ${thread_id} = ${mail.thread_id}
    and ${quarantine} is null)`;
  const isThis = eq(threads.id, mail.thread_id);
  await tx.delete(threads).where(and(isThis, sql`${newest} is null`));
  await tx.update(threads).set({ last_message_id: newest }).where(isThis);
}

function recordEvent(ctx: Needs, tx: Transaction, mail: Held, address: string): Promise<Recorded> {
  const now = ctx.now();
  const message = {
    id: encodeId("msg", mail.id),
    thread_id: encodeId("thr", mail.thread_id),
    from: mail.from_address,
    subject: mail.subject,
    received_at: mail.created_at.toISOString(),
  };
  const event: EventBody = { event: EVENT_KIND, inbox: address, message };
  const row = { id: newId(), organization_id: mail.organization_id, inbox_id: mail.inbox_id, message_id: mail.id };
  return ctx.eventLog.record(plainOf(tx), [{ ...row, kind: EVENT_KIND, body: JSON.stringify(event) }], now);
}
