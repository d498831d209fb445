// Ends a payment: marks it settled, fulfills it in one transaction, or gives it up and gives back what was reserved.
import { and, eq, inArray } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { payments } from "#db/schema/payments.ts";
import type { Services } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import type { Recorded } from "../events/event-log.ts";
import { addPrepaid, lockQuota } from "../keys/quota.ts";
import type { PaymentRow } from "./find.ts";

/** A failed payment is looked at until the chain's time makes a late payment impossible. */
const FIRST_LOOK_AFTER_MS = 5_000;
const MS = 1_000;

/** What a create reserved, implemented by the folder that owns it. The first two run inside a transaction that has locked the quota. */
export type Reserved = {
  /** Makes the reserved mailbox live; undefined when it no longer exists. */
  goLive(tx: Transaction, ctx: Services, payment: PaymentRow): Promise<Recorded | undefined>;
  /** Removes the reserved mailbox and gives its slot back. */
  giveBack(tx: Transaction, payment: PaymentRow): Promise<void>;
  /** After the commit of `goLive`. */
  announce(ctx: Services, recorded: Recorded): void;
};

/** Records that the chain shows the payment, also one that was given up: what is paid is fulfilled. */
export async function markSettled(ctx: Services, { id }: PaymentRow, transaction: string): Promise<void> {
  const now = ctx.now();
  const was = await ctx.db.transaction(async (tx) => {
    const [before] = await tx
      .select({ status: payments.status })
      .from(payments)
      .where(and(eq(payments.id, id), inArray(payments.status, ["verified", "settling", "failed"])))
      .for("update");
    if (!before) return undefined;
    // Another purchase may have the client_id of a failed one.
    const freed = before.status === "failed" ? { client_id: null } : {};
    const settled = { status: "settled", transaction, settled_at: now, next_look_at: now, error: null } as const;
    await tx
      .update(payments)
      .set({ ...settled, ...freed })
      .where(eq(payments.id, id));
    return before.status;
  });
  if (was !== "failed") return;
  ctx.log.warn({ payment_id: encodeId("pay", id) }, "a failed payment was paid after all");
}

/**
 * Gives what was paid for, once: the reserved mailbox, or as many prepaid mailboxes as were bought. When the mailbox is no longer
 * reserved, it gives a prepaid one instead, so that nothing is paid in vain.
 */
export async function fulfil(
  ctx: Services,
  { id, enrollment_key_id: keyId }: Pick<PaymentRow, "id" | "enrollment_key_id">,
  reserved: Reserved,
): Promise<void> {
  const done = await ctx.db.transaction(async (tx) => {
    // Always the quota first: with two orders, two transactions could wait for each other.
    await lockQuota(tx, keyId);
    const [row] = await tx
      .select()
      .from(payments)
      .where(and(eq(payments.id, id), eq(payments.status, "settled")))
      .for("update");
    if (!row) return undefined;
    const live = row.kind === "inbox" ? await reserved.goLive(tx, ctx, row) : undefined;
    if (!live) await addPrepaid(tx, keyId, row.mailboxes);
    const next_look_at = row.webhook ? new Date(row.valid_before * MS) : null;
    await tx
      .update(payments)
      .set({ status: "fulfilled", completed_at: ctx.now(), payload: null, leased_until: null, next_look_at })
      .where(eq(payments.id, id));
    return { live };
  });
  if (!done) return;
  ctx.metrics.payments.inc({ outcome: "fulfilled" });
  if (done.live) reserved.announce(ctx, done.live);
}

/**
 * The webhook's secret is in every answer to the same payload until the authorization ends: after a lost answer, and for copies
 * of one request. Then this erases it.
 */
export async function forgetWebhook({ db }: Services, { id }: PaymentRow): Promise<void> {
  await db
    .update(payments)
    .set({ webhook: null, next_look_at: null })
    .where(and(eq(payments.id, id), eq(payments.status, "fulfilled")));
}

/**
 * Ends a payment that failed or expired, unless another attempt has begun since. A failed one is looked at until it cannot go
 * through any more.
 */
export async function giveUp(
  ctx: Services,
  { id, attempts, enrollment_key_id: keyId }: PaymentRow,
  end: { status: "failed" | "expired"; reason: string },
  reserved: Reserved,
): Promise<void> {
  const now = ctx.now();
  const next_look_at = end.status === "failed" ? new Date(now.getTime() + FIRST_LOOK_AFTER_MS) : null;
  const given = await ctx.db.transaction(async (tx) => {
    await lockQuota(tx, keyId);
    const isOpen = and(inArray(payments.status, ["verified", "settling"]), eq(payments.attempts, attempts));
    const [row] = await tx
      .select()
      .from(payments)
      .where(and(eq(payments.id, id), isOpen))
      .for("update");
    if (!row) return false;
    if (row.kind === "inbox") await reserved.giveBack(tx, row);
    const erased = { payload: null, webhook: null, inbox_id: null, superseded_inbox_id: null, leased_until: null };
    await tx
      .update(payments)
      .set({ status: end.status, error: end.reason, completed_at: now, ...erased, next_look_at })
      .where(eq(payments.id, id));
    return true;
  });
  if (given) ctx.metrics.payments.inc({ outcome: end.status });
}
