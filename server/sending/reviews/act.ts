// Approves or rejects a held message, for a member or for the person who holds an email's link.
import type { Services } from "../../base/context.ts";
import { approve, lockPending, reject, type Seen } from "./decide.ts";

export type Act = { decision: "approve" | "reject"; by: string; reason?: string | undefined };

/**
 * @throws ServiceError `message_not_found`, `already_decided`, `review_changed`; for an approval also
 * `domain_not_ready`, `recipient_blocked`, `recipient_suppressed`, `thread_moved_on`, `daily_send_cap_exceeded`, `sending_paused`:
 * then the message still waits
 */
export async function decideOn(ctx: Services, seen: Seen, { decision, by, reason }: Act): Promise<void> {
  const recorded = await ctx.db.transaction(async (tx) => {
    if (decision === "approve") return approve(ctx, tx, seen, by);
    const { review } = await lockPending(tx, seen, ctx.now());
    return reject(ctx, tx, review, { status: "rejected", by, reason: reason || null });
  });
  ctx.eventLog.announce(recorded);
  if (decision === "approve") ctx.signals.raise("outbound");
}
