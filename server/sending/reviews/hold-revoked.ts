// Worker job: holds the waiting mail of revoked keys, so that a member releases or rejects it.
import { and, eq, inArray, isNotNull, notExists, sql } from "drizzle-orm";
import { plainOf } from "#db/client.ts";
import { asInIndex } from "#db/conditions.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { scheduledSends } from "#db/schema/outbox.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Ctx, System } from "../../base/context.ts";
import { inboxColumns } from "../../base/tenancy.ts";
import { markHeld, nextRevocations, type Revocations } from "../../pauses/revocations.ts";
import { heldEvent, holdAccepted } from "./hold.ts";
import { readPolicy } from "./policy.ts";

/** Of one organization in one batch: queued messages, and as many scheduled ones. */
const ROWS_MAX = 32;

/**
 * Runs one batch, of some organizations.
 * @returns how many messages it held, and 1 for each organization that had revocations; 0 if there were none
 */
export async function holdRevoked(ctx: Ctx<System>): Promise<number> {
  let done = 0;
  for (const revoked of await nextRevocations(ctx.db)) {
    const waiting = await waitingOf(ctx, revoked);
    for (const id of waiting) await hold(ctx, id);
    if (waiting.length === 0) await markHeld(ctx.db, revoked, ctx.now());
    done += waiting.length + 1;
  }
  return done;
}

/** Of live mailboxes, and not approved by a member. */
async function waitingOf({ db }: Ctx<System>, { targets, organizationId }: Revocations): Promise<string[]> {
  const approved = db
    .select({ one: sql`1` })
    .from(reviews)
    .where(and(eq(reviews.message_id, messages.id), eq(reviews.status, "approved")));
  const isOfKey = and(
    eq(messages.organization_id, organizationId),
    sql`${messages.sent_by} && ${sql.param(targets)}::uuid[]`,
    notExists(approved),
  );
  const isLive = and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live"));
  const queued = await db
    .select({ id: messages.id })
    .from(messages)
    .innerJoin(inboxes, isLive)
    .where(and(asInIndex(inArray(messages.status, ["queued", "sending"])), eq(messages.status, "queued"), isOfKey))
    .limit(ROWS_MAX);
  const scheduled = await db
    .select({ id: messages.id })
    .from(scheduledSends)
    .innerJoin(messages, eq(messages.id, scheduledSends.message_id))
    .innerJoin(inboxes, isLive)
    .where(and(isNotNull(scheduledSends.due_at), eq(messages.status, "scheduled"), isOfKey))
    .limit(ROWS_MAX);
  return [...queued, ...scheduled].map(({ id }) => id);
}

/** In the order of all locks: mailbox, message. One that is being sent is held when it returns to the queue. */
async function hold(ctx: Ctx<System>, id: string): Promise<void> {
  const recorded = await ctx.db.transaction(async (tx) => {
    const [found] = await tx.select({ inbox_id: messages.inbox_id }).from(messages).where(eq(messages.id, id));
    if (!found) return;
    const isLive = and(eq(inboxes.id, found.inbox_id), eq(inboxes.status, "live"));
    const [mailbox] = await tx.select(inboxColumns).from(inboxes).where(isLive).for("share");
    const isWaiting = and(eq(messages.id, id), inArray(messages.status, ["queued", "scheduled"]));
    const { status, thread_id } = messages;
    const [message] = await tx.select({ status, thread_id }).from(messages).where(isWaiting).for("update");
    if (!mailbox || !message) return;
    const { message_id, expected_last_message_id: expected } = scheduledSends;
    const later =
      message.status === "scheduled"
        ? await tx.update(scheduledSends).set({ due_at: null }).where(eq(message_id, id)).returning({ expected })
        : [];
    const policy = await readPolicy(tx, mailbox.organization_id, mailbox.id);
    const counted = message.status === "queued";
    const expectedLast = later[0]?.expected ?? null;
    await holdAccepted(ctx, tx, { mailbox, policy, expectedLast, cause: "key_revoked", counted }, id);
    const held = heldEvent(mailbox, { id, thread_id: message.thread_id });
    return ctx.eventLog.record(plainOf(tx), [held], ctx.now());
  });
  if (recorded) ctx.eventLog.announce(recorded);
}

/** Holds messages that a pause took out of the queue, and whose key was revoked. */
export async function holdEach(ctx: Ctx<System>, ids: string[]): Promise<void> {
  for (const id of ids) await hold(ctx, id);
}
