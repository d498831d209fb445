// The limits of sending: how many recipients a mailbox may send to on a UTC day, with the exact count.
import { and, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/client.ts";
import { inboxes, sendUsage } from "#db/schema/mail.ts";
import type { Caller, Ctx, Member, Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import type { NewEvent } from "../../events/record.ts";
import { keysOf, pauseSentence, readPauses, targetsOf } from "../../pauses/find.ts";
import { countCorrespondents } from "./correspondents.ts";
import {
  capAt,
  capToday,
  type DayFigures,
  dayOf,
  daysThatHeld,
  holdsRamp,
  type Mailbox,
  nextStepNeeds,
  stepAt,
} from "./ramp.ts";
import { pauseReason, readPause, takeRecipients } from "./sending-pause.ts";
import { readTotals, registrable, takeTotals } from "./totals.ts";

/** Recipients who wrote to the mailbox first have a separate limit: this many times the cap. */
export const REPLY_FACTOR = 10;
const NO_FIGURES: DayFigures = { counted: 0, replies: 0, bounced: 0, complained: 0 };

/** Beside `error` in the body of a 429 of a send. */
export const reachedCap = z
  .object({
    cap: z.enum(["mailbox", "domain", "organization"]).optional().meta({
      description: "The cap that the message does not fit. Present with `daily_send_cap_exceeded`.",
    }),
  })
  .meta({ id: "ReachedCap", description: "The cap that a 429 answer is about." });

/** Recipients of one message in each column, and what each column may have on that day. */
type Take = { day: string; counted: number; replies: number; limit: number };

type Sent = { messageId: string; recipients: string[] };

/**
 * Counts the recipients of one message, in the transaction that queues it.
 * @returns the event of a pause that this began, for the end of the transaction
 * @throws ServiceError like `takeWindow` and `takeCap`
 */
export async function takeSend(ctx: Services, tx: Transaction, mailbox: Mailbox, sent: Sent): Promise<NewEvent[]> {
  const paused = await takeWindow(ctx, tx, mailbox, sent);
  await takeCap(ctx, tx, mailbox, sent.recipients);
  return paused;
}

export function distinct(recipients: string[]): string[] {
  return [...new Set(recipients.map((address) => address.toLowerCase()))];
}

/** @throws ServiceError `sending_paused` */
export function takeWindow({ now }: Services, tx: Transaction, mailbox: Mailbox, { messageId, recipients }: Sent) {
  return takeRecipients(tx, mailbox, { messageId, recipients: distinct(recipients).length }, now());
}

/**
 * Counts the recipients of one message on its day, for its mailbox, its organization and its domain; concurrent sends get
 * exactly the cap of each. Recipients who provably wrote to the mailbox count as replies, whatever endpoint was called.
 * @throws ServiceError `daily_send_cap_exceeded` if not all of them fit, `Retry-After` = whole seconds to the next UTC
 * midnight
 */
export async function takeCap(ctx: Services, tx: Transaction, mailbox: Mailbox, recipients: string[]): Promise<void> {
  const everyone = distinct(recipients);
  const replies = await countCorrespondents(tx, mailbox.id, everyone);
  const cap = capToday(ctx, mailbox, await countDaysHeld(ctx, tx, mailbox));
  const take = { day: cap.day, counted: everyone.length - replies, replies, limit: cap.limit };
  const isCounted = await addRecipients(tx, mailbox, take);
  const excess = isCounted
    ? await takeTotals(ctx, tx, mailbox, take)
    : { cap: "mailbox" as const, message: describeExcess(take, await readUsage(tx, mailbox, cap.day)) };
  if (!excess) return;
  const seconds = Math.ceil((cap.resetsAt.getTime() - ctx.now().getTime()) / 1000);
  throw new ServiceError("daily_send_cap_exceeded", excess.message, {
    headers: { "Retry-After": String(Math.max(1, seconds)) },
    body: { cap: excess.cap } satisfies z.infer<typeof reachedCap>,
  });
}

function countDaysHeld(ctx: Services, db: Services["db"] | Transaction, mailbox: Mailbox): Promise<number> {
  return db.$count(sendUsage, daysThatHeld(mailbox.id, dayOf(ctx.now())));
}

function fits({ counted, replies, limit }: Pick<Take, "counted" | "replies" | "limit">): boolean {
  return counted <= limit && replies <= limit * REPLY_FACTOR;
}

/** Counts all recipients of a message; false if they do not all fit, and then none is counted. */
async function addRecipients(tx: Transaction, mailbox: Mailbox, take: Take): Promise<boolean> {
  if (!fits(take)) return false;
  const { day, counted, replies, limit } = take;
  const room = (column: typeof sendUsage.counted | typeof sendUsage.replies, added: number, most: number): SQL =>
    added === 0 ? sql`true` : sql`${column} + ${added}::int <= ${most}::int`;
  const { count } = await tx
    .insert(sendUsage)
    .values({ organization_id: mailbox.organization_id, inbox_id: mailbox.id, day, counted, replies })
    .onConflictDoUpdate({
      target: [sendUsage.inbox_id, sendUsage.day],
      set: {
        counted: sql`${sendUsage.counted} + excluded.counted`,
        replies: sql`${sendUsage.replies} + excluded.replies`,
      },
      setWhere: and(room(sendUsage.counted, counted, limit), room(sendUsage.replies, replies, limit * REPLY_FACTOR)),
    });
  return count > 0;
}

async function readUsage(db: Services["db"] | Transaction, mailbox: Mailbox, day: string): Promise<DayFigures> {
  const [row] = await db
    .select()
    .from(sendUsage)
    .where(and(eq(sendUsage.inbox_id, mailbox.id), eq(sendUsage.day, day)));
  return row ?? NO_FIGURES;
}

function describeExcess({ counted, replies, limit }: Take, used: DayFigures): string {
  const isCounted = counted > 0 && used.counted + counted > limit;
  const most = isCounted ? limit : limit * REPLY_FACTOR;
  const left = Math.max(0, most - (isCounted ? used.counted : used.replies));
  const count = isCounted ? counted : replies;
  const who = isCounted ? `count${count === 1 ? "s" : ""} against the daily cap` : "wrote to this mailbox first";
  return `${count} ${count === 1 ? "recipient" : "recipients"} of this message ${who}, and ${left} of ${most} such recipients are left today (UTC).`;
}

/** GET /v1/inboxes/{addr}/send-limit: returns the caps, their usage, what makes them grow, and whether sending is paused. */
export async function sendLimit(ctx: Ctx<Caller>, mailbox: Mailbox) {
  const cap = capToday(ctx, mailbox, await countDaysHeld(ctx, ctx.db, mailbox));
  const [days, pause, totals, [set]] = await Promise.all([
    ctx.db
      .select()
      .from(sendUsage)
      .where(and(eq(sendUsage.inbox_id, mailbox.id), inArray(sendUsage.day, [cap.yesterday, cap.day]))),
    readPause(ctx.db, mailbox.id),
    readTotals(ctx.db, mailbox, cap.day),
    readPauses(ctx.db, targetsOf({ ...mailbox, inbox_id: mailbox.id, sent_by: keysOf(ctx.actor) })),
  ]);
  const totalOf = (domain: string, ramp: number[]) => {
    const { counted, days } = totals(domain);
    const { limit, step, isLastStep } = stepAt(ramp, days);
    const next_step_at = isLastStep ? null : cap.resetsAt.toISOString();
    return { limit, used: counted, remaining: Math.max(0, limit - counted), step, next_step_at };
  };
  const domain = registrable(mailbox.domain);
  const figuresOf = (day: string) => days.find((row) => row.day === day) ?? NO_FIGURES;
  const today = figuresOf(cap.day);
  const nextStep = holdsRamp(today) ? cap.dayAfter : cap.resetsAt;
  return {
    limit: cap.limit,
    used: today.counted,
    remaining: Math.max(0, cap.limit - today.counted),
    replies_used: today.replies,
    replies_limit: cap.limit * REPLY_FACTOR,
    resets_at: cap.resetsAt.toISOString(),
    step: cap.step,
    next_step_at: cap.isLastStep ? null : nextStep.toISOString(),
    next_step_needs: cap.isLastStep ? null : nextStepNeeds(today),
    held: !cap.isLastStep && (holdsRamp(today) || holdsRamp(figuresOf(cap.yesterday))),
    domain: { name: domain, ...totalOf(domain, ctx.settings.SEND_CAP_RAMP_DOMAIN) },
    organization: totalOf("", ctx.settings.SEND_CAP_RAMP_ORGANIZATION),
    paused: set
      ? {
          since: set.created_at.toISOString(),
          bounce_rate: 0,
          complaint_rate: 0,
          cause: set.cause === "operator" ? ("operator" as const) : ("organization" as const),
          scope: set.scope === "enrollment_key" ? ("agent_key" as const) : set.scope,
          paused_by: set.paused_by,
          reason: pauseSentence(set),
        }
      : pause
        ? {
            since: pause.since.toISOString(),
            bounce_rate: pause.bounced / Math.max(1, pause.recipients),
            complaint_rate: pause.complained / Math.max(1, pause.recipients),
            cause: "bounces" as const,
            scope: "inbox" as const,
            paused_by: null,
            reason: pauseReason(pause),
          }
        : null,
  };
}

/** Today's cap of each mailbox of a statement that has `inboxes`, as SQL. */
export function capsOfToday(ctx: Services) {
  const { db, settings, now } = ctx;
  const { day, resetsAt } = capToday(ctx, { created_at: now(), address_since: null }, 0);
  const held = db.$count(sendUsage, daysThatHeld(sql`${inboxes.id}`, day));
  const since = sql`coalesce(${inboxes.address_since}, ${inboxes.created_at})`;
  const cap = capAt(settings.SEND_CAP_RAMP, sql`${day}::date - (${since} at time zone 'UTC')::date - ${held}`).mapWith(
    Number,
  );
  return { day, resetsAt, cap };
}

/** The live mailboxes that have used most of today's cap, without replies; mailboxes that sent nothing are left out. */
export async function nearestToCap(ctx: Ctx<Member>, mailboxes: number) {
  const { db, actor } = ctx;
  const { day, resetsAt, cap } = capsOfToday(ctx);
  const nearest = await db
    .select({ address: inboxes.address, sent: sendUsage.counted, cap })
    .from(sendUsage)
    .innerJoin(inboxes, and(eq(inboxes.id, sendUsage.inbox_id), eq(inboxes.status, "live")))
    .where(and(eq(sendUsage.organization_id, actor.organizationId), eq(sendUsage.day, day), gt(sendUsage.counted, 0)))
    .orderBy(desc(sql`${sendUsage.counted}::float8 / greatest(${cap}, 1)`), inboxes.id)
    .limit(mailboxes);
  return { resets_at: resetsAt.toISOString(), inboxes: nearest };
}
