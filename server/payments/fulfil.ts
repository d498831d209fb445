// Ends a payment: fulfills it in one transaction after it was settled, or fails it and releases all reservations.
import type { TransactionSql } from "postgres";
import type { Services } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { addBought, lockQuota } from "../keys/quota.ts";
import type { PaymentRow } from "./find.ts";

/** A failed payment is checked until the chain's time makes a late payment impossible. */
const FIRST_LOOK_AFTER_MS = 5_000;

/**
 * The reservation of a create, implemented in the folder of mailboxes. Called in the caller's transaction, with the
 * quota locked.
 */
export type Reserved = {
  /** Makes the reserved mailbox live; false if it no longer exists. */
  goLive(tx: TransactionSql, ctx: Services, payment: PaymentRow): Promise<boolean>;
  /** Deletes the reserved mailbox and releases its quota. */
  giveBack(tx: TransactionSql, payment: PaymentRow): Promise<void>;
  /** After the commit of `goLive`. */
  announce(ctx: Services): void;
};

/** The chain shows the payment. This includes payments that had failed: every paid one is fulfilled. */
export async function markSettled(ctx: Services, { id }: PaymentRow, transaction: string): Promise<void> {
  const now = ctx.now();
  const [late] = await ctx.sql<{ was: string }[]>`
    with before as (select id, status from payments where id = ${id} for update)
    update payments p set status = 'settled', transaction = ${transaction}, settled_at = ${now}, next_look_at = ${now},
      error = null, client_id = case when before.status = 'failed' then null else client_id end
    from before where p.id = ${id} and p.id = before.id and before.status in ('verified', 'settling', 'failed')
    returning before.status as was`;
  if (late?.was !== "failed") return;
  ctx.log.warn({ payment_id: encodeId("pay", id) }, "a failed payment was paid after all");
}

/**
 * Delivers what was paid for, once: the reserved mailbox, or prepaid mailboxes. If the reserved mailbox no longer
 * exists, the payer gets a prepaid one, so that nothing is paid without a result.
 */
export async function fulfil(ctx: Services, payment: PaymentRow, reserved: Reserved): Promise<void> {
  const { id, enrollment_key_id: keyId } = payment;
  const done = await ctx.sql.begin(async (tx) => {
    // Locks the quota first everywhere, which avoids deadlocks.
    await lockQuota(tx, keyId);
    const [row] = await tx<PaymentRow[]>`select * from payments where id = ${id} and status = 'settled' for update`;
    if (!row) return undefined;
    const live = row.kind === "inbox" && (await reserved.goLive(tx, ctx, row));
    if (!live) await addBought(tx, keyId, row.mailboxes);
    await tx`
      update payments set status = 'fulfilled', completed_at = ${ctx.now()}, payload = null, leased_until = null,
        next_look_at = ${row.webhook ? new Date(row.valid_before * 1000) : null}
      where id = ${id}`;
    return { live };
  });
  if (!done) return;
  ctx.metrics.payments.inc({ outcome: "fulfilled" });
  if (done.live) reserved.announce(ctx);
}

/**
 * Every answer to the same payload contains the webhook's secret until the authorization expires: after a lost answer,
 * and for copies of a request. Then it is deleted here.
 */
export async function forgetWebhook({ sql }: Services, { id }: PaymentRow): Promise<void> {
  await sql`update payments set webhook = null, next_look_at = null where id = ${id} and status = 'fulfilled'`;
}

/**
 * Fails a payment, unless another attempt has started since. A failed one is checked until it can no longer be paid.
 */
export async function giveUp(
  ctx: Services,
  payment: PaymentRow,
  status: "failed" | "expired",
  reason: string,
  reserved: Reserved,
): Promise<void> {
  const now = ctx.now();
  const lookAgain = status === "failed" ? new Date(now.getTime() + FIRST_LOOK_AFTER_MS) : null;
  const given = await ctx.sql.begin(async (tx) => {
    await lockQuota(tx, payment.enrollment_key_id);
    const [row] = await tx<PaymentRow[]>`
      select * from payments
      where id = ${payment.id} and status in ('verified', 'settling') and attempts = ${payment.attempts} for update`;
    if (!row) return false;
    if (row.kind === "inbox") await reserved.giveBack(tx, row);
    await tx`
      update payments set status = ${status}, error = ${reason}, completed_at = ${now}, payload = null, webhook = null,
        inbox_id = null, superseded_inbox_id = null, leased_until = null, next_look_at = ${lookAgain}
      where id = ${row.id}`;
    return true;
  });
  if (given) ctx.metrics.payments.inc({ outcome: status });
}
