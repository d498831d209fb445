// POST /v1/webhooks/{id}/retry: attempts the deliveries that failed so far now, instead of when their schedule says.
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { deliveries } from "#db/schema/events.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { FIRST_ID, LAST_ID, lowestId } from "../base/id-range.ts";
import { commitKeyed } from "../base/idempotency.ts";
import { findWebhook, type WebhookRow } from "./find.ts";
import { recordDelivered } from "./redeliver.ts";
import { lock } from "./replay.ts";

/** Deliveries that one call makes due, and those of any state that it reads for them. */
export const RETRIED_MAX = 1_000;
const READ_MAX = 10_000;
/** Deliveries of all attempts are younger (delivery/schedule.ts); one that was sent again may be older. */
const SINCE_MS = 31 * 86_400_000;

export type Retried = { retried: number; next_cursor: string | null };

/**
 * Gives each pending delivery with a failed attempt one extra attempt, like `redeliver`: its count of attempts and its schedule
 * stay. One with an extra attempt under way, or that is due anyway, is left out, so a second call at the same time retries nothing.
 * @returns how many are due now; with `next_cursor` if there may be more
 * @throws ServiceError `webhook_not_found`, `webhook_inactive`, `invalid_cursor`
 */
export async function retry(ctx: Ctx<Caller>, input: { id: string; cursor?: string | undefined }): Promise<Retried> {
  const webhook = await findWebhook(ctx, input.id);
  const list = `retry:${webhook.id}`;
  const after =
    input.cursor === undefined
      ? lowestId(new Date(ctx.now().getTime() - SINCE_MS))
      : readCursor(ctx, list, input.cursor);
  const { retried, last } = await retryAfter(ctx, webhook, after);
  if (retried > 0) ctx.signals.raise("deliveries");
  const next_cursor = last === undefined ? null : toPage(ctx, list, [{ id: last }, { id: FIRST_ID }], 1).next_cursor;
  return { retried, next_cursor };
}

/** `last`: the last delivery that was read, if there may be more after it. */
async function retryAfter(ctx: Ctx<Caller>, webhook: WebhookRow, after: string) {
  const now = ctx.now();
  const { id, webhook_id, organization_id, status, attempts, next_attempt_at, resend_at } = deliveries;
  return ctx.db.transaction(async (tx) => {
    await lock(ctx, tx, webhook);
    // In pairs, as the index is (docs/decisions/011).
    const isNext = and(
      sql`(${webhook_id}, ${id}) > (${webhook.id}::uuid, ${after}::uuid)`,
      sql`(${webhook_id}, ${id}) <= (${webhook.id}::uuid, ${LAST_ID}::uuid)`,
      eq(organization_id, ctx.actor.organizationId),
    );
    const isWaiting = and(eq(status, "pending"), gt(attempts, 0), isNull(resend_at), gt(next_attempt_at, now));
    const read = await tx
      .select({ id, isWaiting: sql<boolean>`${isWaiting}` })
      .from(deliveries)
      .where(isNext)
      .orderBy(webhook_id, id)
      .limit(READ_MAX);
    const waiting = read.filter((row) => row.isWaiting).slice(0, RETRIED_MAX);
    const isFull = waiting.length === RETRIED_MAX;
    const last = isFull ? waiting.at(-1) : read.length === READ_MAX ? read.at(-1) : undefined;
    // A locked one has an outcome being written.
    const free = tx
      .select({ id })
      .from(deliveries)
      .where(
        and(
          anyOf(
            id,
            waiting.map((row) => row.id),
          ),
          isWaiting,
        ),
      )
      .for("update", { skipLocked: true });
    const { count } = await tx.update(deliveries).set({ resend_at: now }).where(sql`${id} = any(array${free})`);
    if (count > 0) await recordDelivered(ctx, tx, webhook);
    await commitKeyed(ctx, tx);
    return { retried: count, last: last?.id };
  });
}
