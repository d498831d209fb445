// A worker job: reads the chain for payments that are under way, finishes what was paid and ends what cannot be any more.
// It never settles: an authorization is a bearer instrument, and whoever holds it decides whether to show it again.
import type { Ctx, System } from "../context.ts";
import { encodeId } from "../ids.ts";
import type { PaymentRow } from "./find.ts";
import { forgetWebhook, fulfil, giveUp, markSettled, type Reserved } from "./fulfil.ts";
import { look } from "./settle.ts";

const BATCH_MAX = 20;
const PAUSE_MS = 3_000;
const PAUSE_MAX_MS = 30_000;
/** Past `validBefore` by the chain's own clock. */
const EXPIRED_AFTER_SECONDS = 30;
/** A row that is older than this while it settles is told about. */
const STAYS_MS = 60_000;

/** @returns how many rows were due */
export async function recoverPayments(ctx: Ctx<System>, reserved: Reserved): Promise<number> {
  if (!ctx.payments) return 0;
  const rows = await claim(ctx);
  await Promise.all(rows.map((row) => recoverOne(ctx, row, reserved)));
  return rows.length;
}

/** Rows whose look is due, each for the length of a pause: a look changes nothing that another look could not. */
async function claim({ sql, now }: Ctx<System>): Promise<PaymentRow[]> {
  const at = now();
  return sql<PaymentRow[]>`
    update payments p set looks = p.looks + 1,
      next_look_at = ${at}::timestamptz + least(${PAUSE_MS} * (p.looks + 1), ${PAUSE_MAX_MS}) * interval '1 millisecond'
    where p.id = any(array(
      select id from payments where next_look_at <= ${at} order by next_look_at limit ${BATCH_MAX} for update skip locked))
    returning p.*`;
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
  ctx.log.warn({ payment_id, age_ms: age, attempts: row.attempts, reason }, "a payment stays settling");
}

/** Nothing more can come of it. */
async function end(
  ctx: Ctx<System>,
  row: PaymentRow,
  evidence: { state: string; reason?: string },
  reserved: Reserved,
): Promise<void> {
  if (evidence.state === "lost") await giveUp(ctx, row, "failed", evidence.reason ?? "lost", reserved);
  else await giveUp(ctx, row, "expired", "the authorization ended before it was used", reserved);
  await ctx.sql`update payments set next_look_at = null where id = ${row.id} and status in ('failed', 'expired')`;
}
