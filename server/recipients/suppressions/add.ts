// POST /v1/suppressions: suppresses an address for all mailboxes of the organization.
import { and, eq } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { EVERY_INBOX } from "#db/conditions.ts";
import { suppressions } from "#db/schema/mail.ts";
import { record } from "../../activity/record.ts";
import { readAddress } from "../../base/addresses.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { requireEveryInbox, type SuppressionRow } from "./list.ts";
import { setByOf } from "./set-by.ts";
import { suppress } from "./suppress.ts";

/** Of one organization, with those that bounces and complaints made: these are never refused. */
const SUPPRESSIONS_MAX = 200_000;

/**
 * @returns the entry; an existing one is kept as it is, and becomes a member's when a member adds it
 * @throws ServiceError `insufficient_scope`, `invalid_request`, `too_many_suppressions`, `unavailable`
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
    await requireRoom(tx, own.organization_id, wanted);
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

/** Concurrent calls may exceed the limit by their number. @throws ServiceError `too_many_suppressions` */
async function requireRoom(tx: Transaction, organizationId: string, wanted: string): Promise<void> {
  const { id, organization_id, address } = suppressions;
  const isOwn = eq(organization_id, organizationId);
  const [known] = await tx
    .select({ id })
    .from(suppressions)
    .where(and(isOwn, eq(address, wanted)))
    .limit(1);
  if (known) return;
  const held = await tx.$count(tx.select({ id }).from(suppressions).where(isOwn).limit(SUPPRESSIONS_MAX).as("held"));
  if (held >= SUPPRESSIONS_MAX) {
    throw new ServiceError(
      "too_many_suppressions",
      `Your organization has ${held} suppressed addresses, which is the limit.`,
    );
  }
}
