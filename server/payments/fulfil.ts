// The ends of a payment: settled, then fulfilled in one transaction; or given up, with all that was reserved given back.
import type { TransactionSql } from "postgres";
import type { Services } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { addBought, lockQuota } from "../keys/quota.ts";
import type { PaymentRow } from "./find.ts";

/** Looks at what was given up go on until the chain's time makes a late payment impossible. */
const FIRST_LOOK_AFTER_MS = 5_000;

/** What a create reserved, in the hands of the folder whose it is. Both inside the caller's transaction, with the quota locked. */
export type Reserved = {
  /** Makes the reserved mailbox live; false when it is there no more. */
  goLive(tx: TransactionSql, ctx: Services, payment: PaymentRow): Promise<boolean>;
  /** Takes the reserved mailbox away and gives its slot back. */
  giveBack(tx: TransactionSql, payment: PaymentRow): Promise<void>;
  /** After the commit of `goLive`. */
  announce(ctx: Services): void;
};

/** The chain shows the payment. Also one that was given up on before: whatever is paid is fulfilled. */
export async function markSettled(ctx: Services, { id }: PaymentRow, transaction: string): Promise<void> {
  const now = ctx.now();
  const [late] = await ctx.sql<{ was: string }[]>`
    with before as (select id, status from payments where id = ${id} for update)
    update payments p set status = 'settled', transaction = ${transaction}, settled_at = ${now}, next_look_at = ${now},
      error = null, client_id = case when before.status = 'failed' then null else client_id end
    from before where p.id = ${id} and p.id = before.id and before.status in ('verified', 'settling', 'failed')
    returning before.status as was`;
  if (late?.was !== "failed") return;
  ctx.log.warn({ payment_id: encodeId("pay", id) }, "a payment that was refused went through after all");
}

/**
 * Gives what was paid for, once: the reserved mailbox, or room for as many as were bought. For a mailbox that is not reserved
 * any more it gives the room for one, bought: never paid and nothing.
 */
export async function fulfil(ctx: Services, payment: PaymentRow, reserved: Reserved): Promise<void> {
  const { id, enrollment_key_id: keyId } = payment;
  const done = await ctx.sql.begin(async (tx) => {
    // The quota first, always: whoever locks both in another order could wait for ever.
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
 * The webhook's secret is in every answer to the same payload, until the authorization has ended: after a lost answer, and for
 * copies of one request. Then it is forgotten here.
 */
export async function forgetWebhook({ sql }: Services, { id }: PaymentRow): Promise<void> {
  await sql`update payments set webhook = null, next_look_at = null where id = ${id} and status = 'fulfilled'`;
}

/**
 * Ends a payment that came to nothing, unless another attempt has begun since. One that failed is looked at until it cannot
 * go through any more.
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
