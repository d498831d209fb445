// DELETE /v1/suppressions/{address}: lets the organization send to an address again.
import { and, eq, inArray } from "drizzle-orm";
import { suppressions } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { requireEveryInbox } from "./list.ts";

/** The recipient asked for these: an agent does not write to them again on its own. */
const BY_RECIPIENT = ["unsubscribed", "complained"];

/**
 * Removes the entry for all mailboxes and the entries for single ones.
 * @returns the address as it was stored
 * @throws ServiceError `insufficient_scope`, also for an agent if the recipient unsubscribed or complained; `suppression_not_found`
 */
export async function removeSuppression(ctx: Ctx<Caller>, text: string): Promise<string> {
  requireEveryInbox(ctx);
  const address = text.toLowerCase();
  const own = and(eq(suppressions.organization_id, ctx.actor.organizationId), eq(suppressions.address, address));
  const count = await ctx.db.transaction(async (tx) => {
    const isByRecipient = and(own, inArray(suppressions.reason, BY_RECIPIENT));
    if (ctx.actor.kind === "agent" && (await tx.$count(suppressions, isByRecipient)) > 0) {
      throw new ServiceError(
        "insufficient_scope",
        "The recipient unsubscribed or complained. Only a member ends that.",
        {
          fix: "Do not write to this address. Ask a member of your organization to remove the suppression in the dashboard.",
        },
      );
    }
    return (await tx.delete(suppressions).where(own)).count;
  });
  if (count === 0) throw new ServiceError("suppression_not_found", "The address is not suppressed.");
  return address;
}
