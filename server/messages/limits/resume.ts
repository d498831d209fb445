// inboxes.resumeSending: a member ends the pause of a mailbox. The last recipients are forgotten, so that counting starts
// anew.
import { and, eq, isNotNull } from "drizzle-orm";
import { sendingStates } from "#db/schema/sending.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { findInbox } from "../../base/tenancy.ts";
import { sendLimit } from "./send-cap.ts";

/**
 * Changes nothing if sending is not paused.
 * @throws ServiceError `inbox_not_found`
 */
export async function resumeSending(ctx: Ctx<Member>, addr: string) {
  const inbox = await findInbox(ctx, addr);
  await ctx.db
    .update(sendingStates)
    .set({ recent: [], bounced: [], complained: [], paused_at: null })
    .where(
      and(
        eq(sendingStates.inbox_id, inbox.id),
        eq(sendingStates.organization_id, ctx.actor.organizationId),
        isNotNull(sendingStates.paused_at),
      ),
    );
  return sendLimit(ctx, inbox);
}
