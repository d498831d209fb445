// Pauses and resumes sending: of a mailbox, a key or the organization. Agents only pause: they end no pause.
import { and, eq, gt, isNotNull, lte, sql } from "drizzle-orm";
import { plainOf } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { sendingStates } from "#db/schema/sending.ts";
import type { Agent, Caller, Ctx, Member, System } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import { findInbox, type InboxRow } from "../../base/tenancy.ts";
import { findAgentKey } from "../../keys/find.ts";
import { writeServiceAct } from "../../organizations/audit.ts";
import { pausesOf } from "../../pauses/find.ts";
import {
  countWaiting,
  endPause,
  isOfTarget,
  pauseEvent,
  pauseSending,
  pauseView,
  type Target,
} from "../../pauses/pause.ts";
import { pauseOrganizationInput } from "./pause-schema.ts";
import { sendLimit } from "./send-cap.ts";

/** @throws ServiceError `inbox_not_found` */
export async function inboxTarget(ctx: Ctx<Caller>, addr: string): Promise<Target> {
  const { id, organization_id, address } = await findInbox(ctx, addr);
  return { scope: "inbox", id, organizationId: organization_id, address };
}

/**
 * @param wireId `akey_…`: for an agent, a key below its own
 * @throws ServiceError `agent_key_not_found`
 */
export async function keyTarget(ctx: Ctx<Member | Agent>, wireId: string): Promise<Target> {
  const { id } = await findAgentKey(ctx, wireId);
  return { scope: "agent_key", id, organizationId: ctx.actor.organizationId, address: null };
}

export function organizationTarget(organizationId: string): Target {
  return { scope: "organization", id: organizationId, organizationId, address: null };
}

/** @returns the pause, and what waits and what is in flight */
export async function pause(ctx: Ctx<Caller | System>, target: Target, reason: string | undefined) {
  const row = await pauseSending(ctx, target, reason);
  return pauseView(row, await countWaiting(ctx, target));
}

/**
 * Ends a pause, and makes due what it held back.
 * @throws ServiceError `sending_paused` if only the operator can end it
 */
export async function resume(ctx: Ctx<Member | System>, target: Target) {
  const ended = await endPause(ctx, target);
  await releaseScheduled(ctx, target);
  ctx.signals.raise("outbound");
  const pauses = await pausesOf(ctx.db, target.organizationId);
  const left = pauses.find(({ target_id }) => target_id === target.id);
  if (left && !ended && ctx.actor.kind === "member") {
    throw new ServiceError("sending_paused", "The operator of this service paused this, and only they can resume it.", {
      fix: "Ask the operator of this service to resume sending.",
    });
  }
  return { resumed: ended, paused: left !== undefined };
}

/** A paused message was put off; it is due now. */
async function releaseScheduled({ db, now }: Ctx, target: Target): Promise<void> {
  const { message_id, due_at, send_at } = scheduledSends;
  const waiting = db
    .select({ id: message_id })
    .from(scheduledSends)
    .innerJoin(messages, eq(messages.id, message_id))
    .where(and(isNotNull(due_at), gt(due_at, now()), lte(send_at, now()), isOfTarget(target)));
  await db.update(scheduledSends).set({ due_at: now() }).where(sql`${message_id} = any(array${waiting})`);
}

/**
 * Ends both pauses of a mailbox for a member: the one that people set, and the one after bounces. After that one, the last recipients
 * are forgotten, so that counting starts anew. Changes nothing for an agent.
 * @throws ServiceError `inbox_not_found`, `sending_paused` if the caller cannot end the pause
 */
export async function resumeInbox(ctx: Ctx<Caller>, addr: string) {
  const inbox = await findInbox(ctx, addr);
  const { actor } = ctx;
  if (actor.kind === "member") await endPausesOf({ ...ctx, actor }, inbox);
  const limit = await sendLimit(ctx, inbox);
  if (actor.kind === "agent" && limit.paused) throw onlyPeopleResume(limit.paused);
  return limit;
}

function onlyPeopleResume({ cause, reason }: { cause: string; reason: string }): ServiceError {
  const whom = cause === "operator" ? "the operator of this service" : "a member of your organization";
  return new ServiceError("sending_paused", `${reason} An agent key cannot resume it.`, {
    fix: `Ask ${whom} to resume sending${cause === "operator" ? "" : " in the dashboard"}.`,
  });
}

async function endPausesOf(ctx: Ctx<Member>, inbox: InboxRow): Promise<void> {
  const target = await inboxTarget(ctx, inbox.address);
  await resume(ctx, target);
  const recorded = await ctx.db.transaction(async (tx) => {
    const { count } = await tx
      .update(sendingStates)
      .set({ recent: [], bounced: [], complained: [], paused_at: null })
      .where(
        and(
          eq(sendingStates.inbox_id, inbox.id),
          eq(sendingStates.organization_id, ctx.actor.organizationId),
          isNotNull(sendingStates.paused_at),
        ),
      );
    const change = { kind: "sending.resumed" as const, by: ctx.actor.name, reason: null };
    return ctx.eventLog.record(plainOf(tx), count > 0 ? [pauseEvent(target, change)] : [], ctx.now());
  });
  ctx.eventLog.announce(recorded);
}

/** The pauses of the member's organization with what waits in each, the oldest first. `address`: of a mailbox. */
export async function listPauses(ctx: Ctx<Member>) {
  const { organizationId } = ctx.actor;
  const rows = await pausesOf(ctx.db, organizationId);
  const paused = rows.map(({ target_id }) => target_id);
  const mailboxes = await ctx.db
    .select({ id: inboxes.id, address: inboxes.address })
    .from(inboxes)
    .where(and(eq(inboxes.organization_id, organizationId), anyOf(inboxes.id, paused)));
  const addresses = new Map(mailboxes.map(({ id, address }) => [id, address]));
  return Promise.all(
    rows.map(async (row) => {
      const { scope, target_id: id } = row;
      if (scope === "enrollment_key") throw new Error("unreachable: only a revocation stops an enrollment key");
      const waiting = await countWaiting(ctx, { scope, id, organizationId });
      return { ...pauseView(row, waiting), address: addresses.get(id) ?? null };
    }),
  );
}

// The operators' commands that pause and resume an organization, with an entry in its audit log.
function writeAct(ctx: Ctx<System>, { organizationId }: Target, action: string): Promise<void> {
  const act = { organizationId, action, subject: encodeId("org", organizationId) };
  return ctx.db.transaction((tx) => writeServiceAct(tx, ctx, act));
}

/** @throws ServiceError `invalid_request` */
export async function pauseByOperator(ctx: Ctx<System>, target: Target, reason: string | undefined) {
  const given = pauseOrganizationInput.safeParse({ reason });
  if (!given.success) throw new ServiceError("invalid_request", `reason: ${given.error.issues[0]?.message}`);
  const paused = await pause(ctx, target, given.data.reason);
  await writeAct(ctx, target, "organization.pauseSending");
  return paused;
}

export async function resumeByOperator(ctx: Ctx<System>, target: Target) {
  const resumed = await resume(ctx, target);
  if (resumed.resumed) await writeAct(ctx, target, "organization.resumeSending");
  return resumed;
}
