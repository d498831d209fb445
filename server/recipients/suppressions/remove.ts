// DELETE /v1/suppressions/{address}: lets the organization send to an address again.
import { and, eq } from "drizzle-orm";
import { plainOf } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { suppressions } from "#db/schema/mail.ts";
import { record } from "../../activity/record.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { newEvent } from "../../events/record.ts";
import { requireEveryInbox } from "./list.ts";
import { BY_RECIPIENT, ofInbox } from "./suppress.ts";

/**
 * Removes the entry for all mailboxes and the entries for single ones.
 * @returns the address as it was stored
 * @throws ServiceError `insufficient_scope`, also for an agent if the recipient unsubscribed or complained, or a member added it;
 *   `suppression_not_found`
 */
export async function removeSuppression(ctx: Ctx<Caller>, text: string): Promise<string> {
  requireEveryInbox(ctx);
  const address = text.toLowerCase();
  const own = and(eq(suppressions.organization_id, ctx.actor.organizationId), eq(suppressions.address, address));
  const recorded = await ctx.db.transaction(async (tx) => {
    const { id } = suppressions;
    const rows = await tx.select().from(suppressions).where(own).orderBy(id).for("update");
    if (ctx.actor.kind === "agent") requireAgents(rows);
    // Only these: the recipient may be unsubscribing from another mailbox.
    await tx.delete(suppressions).where(
      anyOf(
        id,
        rows.map((row) => row.id),
      ),
    );
    const [first] = rows;
    if (!first) throw new ServiceError("suppression_not_found", "The address is not suppressed.");
    for (const { id, ...before } of rows) {
      await record(ctx, tx, [{ kind: "suppression", id, before, after: null }], ofInbox(before.inbox_id));
    }
    const about = { organization_id: ctx.actor.organizationId, inbox_id: null };
    const suppression = { address, reason: first.reason };
    const event = newEvent(about, { event: "suppression.removed", inbox: null, suppression });
    return ctx.eventLog.record(plainOf(tx), [event], ctx.now());
  });
  ctx.eventLog.announce(recorded);
  return address;
}

function requireAgents(rows: Pick<typeof suppressions.$inferSelect, "reason" | "set_by">[]): void {
  const isByRecipient = rows.some(({ reason }) => BY_RECIPIENT.includes(reason));
  if (!isByRecipient && rows.every(({ set_by }) => set_by !== "member")) return;
  const why = isByRecipient ? "The recipient unsubscribed or complained." : "A member added this suppression.";
  throw new ServiceError("insufficient_scope", `${why} Only a member ends that.`, {
    fix: "Do not write to this address. Ask a member of your organization to remove the suppression in the dashboard.",
  });
}
