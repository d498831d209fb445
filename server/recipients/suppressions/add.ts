// POST /v1/suppressions: suppresses an address for all mailboxes of the organization.
import { and, eq } from "drizzle-orm";
import { plainOf } from "#db/client.ts";
import { suppressions } from "#db/schema/mail.ts";
import { record } from "../../activity/record.ts";
import { readAddress } from "../../base/addresses.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { requireEveryInbox, type SuppressionRow } from "./list.ts";
import { setByOf } from "./set-by.ts";
import { EVERY_INBOX, suppress } from "./suppress.ts";

/**
 * @returns the entry; an existing one is kept as it is, and becomes a member's when a member adds it
 * @throws ServiceError `insufficient_scope`, `invalid_request`, `unavailable`
 */
export async function addSuppression(
  ctx: Ctx<Caller>,
  input: { address: string; reason: string },
): Promise<SuppressionRow> {
  requireEveryInbox(ctx);
  const wanted = readAddress(input.address)?.address.toLowerCase();
  if (!wanted) {
    throw invalidField("address", "not a mail address");
  }
  const own = { organization_id: ctx.actor.organizationId, inbox_id: null, message_id: null, ...setByOf(ctx.actor) };
  const { entry, recorded } = await ctx.db.transaction(async (tx) => {
    const suppressed = await suppress(tx, [{ ...own, address: wanted, reason: input.reason }], ctx.now());
    const changes = suppressed.added.map(({ id, ...after }) => ({
      kind: "suppression" as const,
      id,
      before: null,
      after,
    }));
    await record(ctx, tx, changes);
    const { id, address, reason, message_id, set_by, set_by_key, created_at, organization_id, inbox_id } = suppressions;
    const [row] = await tx
      .select({ id, address, reason, message_id, set_by, set_by_key, created_at })
      .from(suppressions)
      .where(and(eq(organization_id, own.organization_id), eq(address, wanted), eq(inbox_id, EVERY_INBOX)));
    if (!row) {
      throw new ServiceError("unavailable", "The suppression was removed at the same time.", {
        headers: { "Retry-After": "1" },
      });
    }
    const recorded = await ctx.eventLog.record(plainOf(tx), suppressed.events, ctx.now());
    return { entry: { ...row, inbox: null }, recorded };
  });
  ctx.eventLog.announce(recorded);
  return entry;
}
