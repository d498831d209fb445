// Pauses and resumes sending: of an organization, a mailbox, or an agent key with the keys below it.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { messages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { sendingPauses } from "#db/schema/sending.ts";
import { record as recordActivity } from "../activity/record.ts";
import type { Caller, Ctx, Member, Services, System } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import type { Recorded } from "../events/event-log.ts";
import { type NewEvent, newEvent } from "../events/record.ts";
import type { EventBody } from "../events/schema.ts";
import { foreignLine } from "../system-mail/foreign.ts";
import { dashboardUrl, noticesTo, writeNotices } from "../system-mail/write.ts";
import { type PauseRow, pauseSentence } from "./find.ts";

/** An undo sends no mail. */
const STAYS_PAUSED = "The pause stays until a member resumes sending.";

/** More waiting messages are not counted. */
const COUNTED_MAX = 100_000;

const SENTENCE_CHARS = 500;
const ADDRESS_CHARS = 320;

const OPERATOR = "The operator";
const ID_KINDS = { organization: "org", inbox: "inb", agent_key: "akey" } as const;

/** What is paused. `address`: of a mailbox. */
export type Target = {
  scope: "organization" | "inbox" | "agent_key";
  id: string;
  organizationId: string;
  address: string | null;
};

type By = Ctx<Caller | System>;

function causeOf({ actor }: By): "organization" | "operator" {
  return actor.kind === "system" ? "operator" : "organization";
}

/** A name without an address: agents and webhooks read it too. */
function nameOf({ actor }: By): string {
  if (actor.kind === "member") return actor.name;
  return actor.kind === "agent" ? `The key ${encodeId("akey", actor.keyId)}` : OPERATOR;
}

/**
 * Pauses sending. What is paused already keeps its first pause, so that an agent changes nothing that a member set.
 * Every process sees the pause before its next hand-over (sending/watch-pauses.ts).
 */
export async function pauseSending(ctx: By, target: Target, reason: string | undefined): Promise<PauseRow> {
  const row = {
    target_id: target.id,
    cause: causeOf(ctx),
    scope: target.scope,
    organization_id: target.organizationId,
    reason: reason || null,
    paused_by: nameOf(ctx),
    created_at: ctx.now(),
  };
  const { pause, recorded } = await ctx.db.transaction(async (tx) => {
    const [added] = await tx.insert(sendingPauses).values(row).onConflictDoNothing().returning();
    if (!added) return { pause: await readOne(tx, row) };
    const to = { organizationId: target.organizationId, chosen: "sending" as const };
    await writeNotices(tx, ctx, await noticesTo(tx, ctx, to, emailOf(ctx, target, added)));
    const recorded = await record(ctx, tx, target, { kind: "sending.paused", by: row.paused_by, reason: row.reason });
    const change = { kind: "pause" as const, id: target.id, before: {}, after: {}, final: STAYS_PAUSED };
    if (ctx.actor.kind === "agent") await recordActivity({ ...ctx, actor: ctx.actor }, tx, [change]);
    return { pause: added, recorded };
  });
  if (recorded) {
    ctx.eventLog.announce(recorded);
    ctx.signals.raise("outbound");
  }
  return pause;
}

async function readOne(
  tx: Transaction,
  { target_id, cause }: Pick<PauseRow, "target_id" | "cause">,
): Promise<PauseRow> {
  const isThis = and(eq(sendingPauses.target_id, target_id), eq(sendingPauses.cause, cause));
  const [row] = await tx.select().from(sendingPauses).where(isThis);
  if (!row) throw new Error("the pause ended while it was read");
  return row;
}

/**
 * Ends the pause that the organization set; for the operator, the pause of the operator. Changes nothing if there is none.
 * @returns whether a pause ended
 */
export async function endPause(ctx: Ctx<Member | System>, target: Target): Promise<boolean> {
  const isThis = and(
    eq(sendingPauses.target_id, target.id),
    eq(sendingPauses.organization_id, target.organizationId),
    eq(sendingPauses.cause, causeOf(ctx)),
  );
  const recorded = await ctx.db.transaction(async (tx) => {
    const { count } = await tx.delete(sendingPauses).where(isThis);
    return count > 0 ? record(ctx, tx, target, { kind: "sending.resumed", by: nameOf(ctx), reason: null }) : undefined;
  });
  if (recorded) ctx.eventLog.announce(recorded);
  return recorded !== undefined;
}

/** A pause belongs to the address: the next mailbox there has it. */
export async function movePauses(tx: Transaction, from: string, to: string): Promise<void> {
  await tx.update(sendingPauses).set({ target_id: to }).where(eq(sendingPauses.target_id, from));
}

type Change = { kind: "sending.paused" | "sending.resumed"; by: string; reason: string | null };

function record(
  ctx: Pick<Services, "eventLog" | "now">,
  tx: Transaction,
  target: Target,
  change: Change,
): Promise<Recorded> {
  return ctx.eventLog.record(plainOf(tx), [pauseEvent(target, change)], ctx.now());
}

/** For the end of the transaction that makes the change. */
export function pauseEvent({ scope, id, organizationId, address }: Target, { kind, by, reason }: Change): NewEvent {
  const body: EventBody = {
    event: kind,
    inbox: address,
    pause: { scope, id: encodeId(ID_KINDS[scope], id), by, reason },
  };
  const about = { organization_id: organizationId, inbox_id: scope === "inbox" ? id : null };
  return newEvent(about, body);
}

function emailOf(
  { settings }: Pick<Services, "settings">,
  { scope, id, address, organizationId }: Target,
  pause: PauseRow,
) {
  const what = { organization: "your organization", inbox: address, agent_key: encodeId("akey", id) }[scope];
  const text = [
    foreignLine(pauseSentence(pause), SENTENCE_CHARS),
    `Paused: ${foreignLine(what ?? "", ADDRESS_CHARS)}. Mail that waits stays queued, and new mail is refused. Mailboxes still receive mail.`,
    `To see what waits, or to resume: ${dashboardUrl(settings, organizationId)}`,
  ];
  return { topic: "sending_paused" as const, text: `${text.join("\n\n")}\n` };
}

/** The condition that a message belongs to what is paused. */
export function isOfTarget({ scope, id, organizationId }: Omit<Target, "address">): SQL | undefined {
  const isOwn = eq(messages.organization_id, organizationId);
  if (scope === "organization") return isOwn;
  return and(isOwn, scope === "inbox" ? eq(messages.inbox_id, id) : sql`${id}::uuid = any(${messages.sent_by})`);
}

/** `in_flight`: leased by a worker; those whose transmission has begun still leave. */
export type Waiting = { in_flight: number; queued: number; scheduled: number };

/** What waits of a target. */
export async function countWaiting({ db }: Pick<Services, "db">, target: Omit<Target, "address">): Promise<Waiting> {
  const inQueue = sql`${messages.status} in ('queued', 'sending')`;
  const [queue] = await db.execute<{ in_flight: number; queued: number }>(sql`
    select (count(*) filter (where status = 'sending'))::int as in_flight,
      (count(*) filter (where status = 'queued'))::int as queued
    from (select ${messages.status} as status from ${messages} where ${inQueue} and ${isOfTarget(target)}
      limit ${COUNTED_MAX}) waiting`);
  const [later] = await db.execute<{ scheduled: number }>(sql`
    select count(*)::int as scheduled from (
      select 1 from ${scheduledSends} join ${messages} on ${messages.id} = ${scheduledSends.message_id}
      where ${scheduledSends.due_at} is not null and ${messages.status} = 'scheduled' and ${isOfTarget(target)}
      limit ${COUNTED_MAX}) waiting`);
  return { in_flight: queue?.in_flight ?? 0, queued: queue?.queued ?? 0, scheduled: later?.scheduled ?? 0 };
}

export function pauseView({ scope, ...pause }: PauseRow, waiting: Waiting) {
  if (scope === "enrollment_key") throw new Error("unreachable: only a revocation stops an enrollment key");
  return {
    scope,
    id: encodeId(ID_KINDS[scope], pause.target_id),
    since: pause.created_at.toISOString(),
    paused_by: pause.paused_by,
    by_operator: pause.cause === "operator",
    reason: pause.reason,
    ...waiting,
  };
}
