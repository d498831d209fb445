// DELETE /v1/webhooks/{id}: stops all deliveries to the endpoint, and deletes its pending deliveries and its log. Locks
// are taken in one order: the mailbox, the webhook, its deliveries. A replay (replay.ts) that holds the webhook is
// waited for, and its deliveries are deleted too. Deliveries are never waited for, because a writer of many may be
// waiting for this transaction. Remaining ones belong to no webhook, are not visible, fail when they become due
// (deliver.ts) and are deleted later (deliveries.ts).
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { deliveries, deliveryAttempts, webhooks } from "#db/schema/events.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { newId } from "../base/ids.ts";
import { findWebhook, nameOf, noWebhook } from "./find.ts";

const DROPPED_AT_ONCE = 10_000;
/** The activity does not keep headers, which may hold secrets. */
const HEADERS_GONE = "It had headers, which are not kept: register it again.";

/** Deletes webhooks with their pending deliveries and their logs; the caller has locked them. */
export async function dropWebhooks(tx: Transaction, ids: string[]): Promise<void> {
  const free = tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(anyOf(deliveries.webhook_id, ids))
    .limit(DROPPED_AT_ONCE)
    .for("update", { skipLocked: true });
  const gone = tx
    .$with("gone")
    .as(tx.delete(deliveries).where(sql`${deliveries.id} = any(array${free})`).returning({ id: deliveries.id }));
  await tx
    .with(gone)
    .delete(deliveryAttempts)
    .where(sql`${deliveryAttempts.delivery_id} = any(array(select ${gone.id} from ${gone}))`);
  await tx.delete(webhooks).where(anyOf(webhooks.id, ids));
}

/**
 * @returns the webhook's UUID
 * @throws ServiceError `webhook_not_found`, also on a second delete
 */
export async function removeWebhook(ctx: Ctx<Caller>, wireId: string): Promise<string> {
  const { id } = await findWebhook(ctx, wireId);
  await ctx.db.transaction(async (tx) => {
    const [own] = await tx
      .select()
      .from(webhooks)
      .where(and(eq(webhooks.id, id), eq(webhooks.organization_id, ctx.actor.organizationId)))
      .for("update");
    if (!own) throw noWebhook();
    await dropWebhooks(tx, [id]);
    const { secret, previous_secret: _, previous_secret_expires_at: __, failing_since: ___, headers, ...before } = own;
    const entry = newId();
    // Sealed for the row of the activity: an export seals its secrets with the id of their row.
    const sealed = ctx.secrets.seal(ctx.secrets.open(secret, id), entry);
    const of = { id: entry, inbox_id: own.inbox_id, secret: sealed };
    const final = headers ? HEADERS_GONE : undefined;
    await record(
      ctx,
      tx,
      [{ kind: "webhook", id, name: nameOf(own), before, after: null, kept: entry, ...(final && { final }) }],
      of,
    );
  });
  return id;
}

/** Deletes the webhooks of mailboxes of one organization, in the transaction that deletes the mailboxes. */
export async function removeWebhooksOf(tx: Transaction, organizationId: string, inboxIds: string[]): Promise<void> {
  const rows = await tx
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.organization_id, organizationId), anyOf(webhooks.inbox_id, inboxIds)))
    .orderBy(webhooks.id)
    .for("update");
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await dropWebhooks(tx, ids);
}
