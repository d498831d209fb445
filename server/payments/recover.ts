// Worker job: checks unfinished payments on the chain, fulfills paid payments and ends payments that can no longer be
// paid. It never settles, because an authorization is a bearer instrument and its holder decides whether to use it
// again.
import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { payments } from "#db/schema/payments.ts";
import { makeDue } from "../base/catch-up.ts";
import type { Ctx, System } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import type { PaymentRow } from "./find.ts";
import { forgetWebhook, fulfil, giveUp, markSettled, type Reserved } from "./fulfil.ts";
import { look } from "./settle.ts";

const BATCH_MAX = 20;
const PAUSE_MS = 3_000;
const PAUSE_MAX_MS = 30_000;
/** After an authorization has expired, each delay equals the time since then: the delays double, up to this. */
const PAUSE_ENDED_MAX_MS = 3_600_000;
/** The chain's own clock must have passed `validBefore`. */
const EXPIRED_AFTER_SECONDS = 30;
/** A settling row that is older than this is logged. */
const STAYS_MS = 60_000;

/**
 * Runs one batch. With payments off there is no chain to check, but payments known to be paid are fulfilled.
 * @returns how many rows were due
 */
export async function recoverPayments(ctx: Ctx<System>, reserved: Reserved): Promise<number> {
  const rows = await takeDue(ctx);
  await Promise.all(rows.map((row) => recoverOrLog(ctx, row, reserved)));
  return rows.length;
}

/** Leases the due rows, each for its next delay: repeating a check does no harm. */
async function takeDue({ db, now, payments: ports }: Ctx<System>): Promise<PaymentRow[]> {
  const at = now();
  const due = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(lte(payments.next_look_at, at), ports ? undefined : inArray(payments.status, ["settled", "fulfilled"])))
    .orderBy(payments.next_look_at)
    .limit(BATCH_MAX)
    .for("update", { skipLocked: true });
  const pauseMs = sql`least(${PAUSE_MS} * (${payments.looks} + 1), ${PAUSE_MAX_MS})`;
  const endedMs = sql`(extract(epoch from ${at}::timestamptz) - ${payments.valid_before}) * 1000`;
  return db
    .update(payments)
    .set({
      looks: sql`${payments.looks} + 1`,
      next_look_at: sql`${at}::timestamptz + interval '1 millisecond' * case
        when ${payments.status} in ('settled', 'fulfilled') then ${pauseMs}
        else greatest(${pauseMs}, least(${endedMs}, ${PAUSE_ENDED_MAX_MS})) end`,
    })
    .where(sql`${payments.id} = any(array${due})`)
    .returning();
}

/** A failed check is retried after its delay, and does not delay others. */
async function recoverOrLog(ctx: Ctx<System>, row: PaymentRow, reserved: Reserved): Promise<void> {
  try {
    await recoverOne(ctx, row, reserved);
  } catch (error) {
    ctx.log.error({ error, payment_id: encodeId("pay", row.id) }, "could not check a payment; will retry");
  }
}

async function recoverOne(ctx: Ctx<System>, row: PaymentRow, reserved: Reserved): Promise<void> {
  if (row.status === "fulfilled") return forgetWebhook(ctx, row);
  if (row.status === "settled") return fulfil(ctx, row, reserved);
  const evidence = await look(ctx, row);
  if (evidence.state === "paid") {
    await markSettled(ctx, row, evidence.transaction);
    return fulfil(ctx, row, reserved);
  }
  const isOver = evidence.state === "unused" && evidence.time > row.valid_before + EXPIRED_AFTER_SECONDS;
  if (evidence.state === "lost" || isOver) return end(ctx, row, evidence, reserved);
  const age = ctx.now().getTime() - row.created_at.getTime();
  if (age < STAYS_MS || row.status === "failed") return;
  const reason = evidence.state === "unknown" ? evidence.reason : "the chain does not show it";
  const payment_id = encodeId("pay", row.id);
  ctx.log.warn({ payment_id, age_ms: age, attempts: row.attempts, reason }, "a payment is still settling");
}

/** It can no longer be paid. */
async function end(
  ctx: Ctx<System>,
  row: PaymentRow,
  evidence: { state: string; reason?: string },
  reserved: Reserved,
): Promise<void> {
  if (evidence.state === "lost")
    await giveUp(ctx, row, { status: "failed", reason: evidence.reason ?? "lost" }, reserved);
  else await giveUp(ctx, row, { status: "expired", reason: "the authorization expired before it was used" }, reserved);
  await ctx.db
    .update(payments)
    .set({ next_look_at: null })
    .where(and(eq(payments.id, row.id), inArray(payments.status, ["failed", "expired"])));
}

export const advancePayments = makeDue({
  table: payments,
  key: payments.id,
  at: payments.next_look_at,
  withinMs: PAUSE_ENDED_MAX_MS,
});
