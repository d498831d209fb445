// Worker job: returns messages to the queue when no pause stops them any more, and holds those of revoked keys. A paused message
// has no time for its next attempt, so that leases do not read it again and again.
import { and, eq, inArray, isNull, not, type SQL, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Ctx, System } from "../base/context.ts";
import { isPaused } from "../pauses/find.ts";
import { holdEach } from "./reviews/hold-revoked.ts";

const ROWS_MAX = 1_000;
const HELD_MAX = 64;

const targets = sql`(${messages.sent_by} || array[${messages.organization_id}, ${messages.inbox_id}])`;
const approved = sql`exists (
  select 1 from ${reviews} where ${reviews.message_id} = ${messages.id} and ${reviews.status} = 'approved')`;
const isRevoked = sql`(${isPaused(targets, sql`p.cause = 'revocation'`)} and not ${approved})`;

/** Those that a pause took out of the queue, as the index of the queue has them. */
function outOfQueue(which: SQL): SQL | undefined {
  return and(asInIndex(inArray(messages.status, ["queued", "sending"])), isNull(messages.next_attempt_at), which);
}

/** @returns how many messages left the pause */
export async function returnPaused(ctx: Ctx<System>): Promise<number> {
  const { db, now } = ctx;
  const isLive = and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live"));
  const revoked = await db
    .select({ id: messages.id })
    .from(messages)
    .innerJoin(inboxes, isLive)
    .where(outOfQueue(isRevoked))
    .limit(HELD_MAX);
  await holdEach(
    ctx,
    revoked.map(({ id }) => id),
  );
  const isFree = and(not(isPaused(targets, sql`p.cause <> 'revocation'`)), not(isRevoked)) as SQL;
  const free = db
    .select({ id: messages.id })
    .from(messages)
    .where(outOfQueue(isFree))
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  const { count } = await db
    .update(messages)
    .set({ next_attempt_at: now() })
    .where(sql`${messages.id} = any(array${free})`);
  if (count > 0) ctx.signals.raise("outbound");
  return count + revoked.length;
}
