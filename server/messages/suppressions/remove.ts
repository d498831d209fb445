// DELETE /v1/suppressions/{address}: lets the organization send to an address again.
import { and, eq } from "drizzle-orm";
import { suppressions } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { requireEveryInbox } from "./list.ts";

/**
 * Removes the entry for all mailboxes and the entries for single ones.
 * @returns the address as it was stored
 * @throws ServiceError `insufficient_scope`, `suppression_not_found`
 */
export async function removeSuppression(ctx: Ctx<Caller>, text: string): Promise<string> {
  requireEveryInbox(ctx);
  const address = text.toLowerCase();
  const { count } = await ctx.db
    .delete(suppressions)
    .where(and(eq(suppressions.organization_id, ctx.actor.organizationId), eq(suppressions.address, address)));
  if (count === 0) throw new ServiceError("suppression_not_found", "The address is not suppressed.");
  return address;
}
