// Decides for the worker whether an email that no person asked for leaves now: with the others that wait for the same
// place as one email, or later, when the limits of the gate allow it.
import { and, eq, isNotNull, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { notices } from "#db/schema/events.ts";
import type { Ctx, System } from "../base/context.ts";
import { collectedUntil, lockGate, type Passing, takePass } from "./gate.ts";
import { isMergeable } from "./write.ts";

export type Waiting = Passing & Pick<typeof notices.$inferSelect, "id" | "attempts" | "created_at">;

const OVER_LIMIT = "skipped: the limits of emails did not allow it in time";

/**
 * @param givenUpAfterMs an email that would leave later than this after it was written is skipped
 * @returns whether the email passed. If not, its row is later, finished, or part of another email.
 */
export async function admit(ctx: Ctx<System>, row: Waiting, givenUpAfterMs: number): Promise<boolean> {
  const { outcome, merged } = await ctx.db.transaction(async (tx) => {
    await lockGate(tx);
    const [current] = await tx.select({ id: notices.id }).from(notices).where(isStill(row));
    if (!current) return { merged: 0 };
    const now = ctx.now();
    const later = isMergeable(row.topic) ? await collectedUntil(tx, row, now) : undefined;
    const until = later ?? (await takePass(tx, row, now))?.until;
    if (until && until.getTime() - row.created_at.getTime() > givenUpAfterMs) {
      await skip(tx, row);
      return { outcome: "skipped", merged: 0 };
    }
    if (until) {
      await postpone(tx, row, until);
      return { outcome: "delayed", merged: 0 };
    }
    await tx.update(notices).set({ passed_at: now }).where(eq(notices.id, row.id));
    return { outcome: "passed", merged: isMergeable(row.topic) ? await merge(tx, row) : 0 };
  });
  if (outcome) ctx.metrics.emails.inc({ outcome });
  ctx.metrics.emails.inc({ outcome: "merged" }, merged);
  if (outcome === "skipped") ctx.log.warn({ notice: row.id, topic: row.topic }, "an email was skipped: over its limit");
  return outcome === "passed";
}

/** The row was not leased again, and is not part of another email. */
function isStill({ id, attempts }: Waiting): SQL | undefined {
  return and(eq(notices.id, id), eq(notices.attempts, attempts), isWaiting());
}

function isWaiting(): SQL | undefined {
  return and(isNotNull(notices.next_attempt_at), isNull(notices.passed_at));
}

/** The other emails that wait for the same place, about the same topic. */
function othersLike(tx: Transaction, row: Waiting, more?: SQL) {
  const { organization_id, to_address, route_id, channel, topic } = notices;
  return tx
    .select({ id: notices.id })
    .from(notices)
    .where(
      and(
        eq(organization_id, row.organization_id),
        eq(to_address, row.to_address),
        row.route_id === null ? isNull(route_id) : eq(route_id, row.route_id),
        eq(channel, row.channel),
        row.topic === null ? isNull(topic) : eq(topic, row.topic),
        ne(notices.id, row.id),
        isWaiting(),
        more,
      ),
    )
    .for("update", { skipLocked: true });
}

/** @returns how many emails are now part of this one */
async function merge(tx: Transaction, row: Waiting): Promise<number> {
  const { count } = await tx
    .update(notices)
    .set({ merged_into: row.id, next_attempt_at: null })
    .where(sql`${notices.id} = any(array${othersLike(tx, row)})`);
  return count;
}

/** All of them, so that each of them does not ask again. */
async function postpone(tx: Transaction, row: Waiting, until: Date): Promise<void> {
  if (isMergeable(row.topic)) {
    const earlier = othersLike(tx, row, lt(notices.next_attempt_at, until));
    await tx.update(notices).set({ next_attempt_at: until }).where(sql`${notices.id} = any(array${earlier})`);
  }
  const attempts = sql`${notices.attempts} - 1`;
  await tx.update(notices).set({ next_attempt_at: until, attempts }).where(eq(notices.id, row.id));
}

async function skip(tx: Transaction, row: Waiting): Promise<void> {
  await tx.update(notices).set({ next_attempt_at: null, link: null, error: OVER_LIMIT }).where(eq(notices.id, row.id));
}
