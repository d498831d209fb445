// Settles a payment once, and waits for the result. The holder of the lease calls the facilitator; the chain decides.
import { setTimeout as sleep } from "node:timers/promises";
import { and, eq, gt, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { payments } from "#db/schema/payments.ts";
import type { Agent, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import type { Evidence } from "../base/ports/chain.ts";
import type { PaymentRequest, SettleOutcome } from "../base/ports/facilitator.ts";
import { takeSlot } from "../events/slots.ts";
import { authorizationOf, findById, findState, isOver, type PaymentRow } from "./find.ts";
import { fulfil, giveUp, markSettled, type Reserved } from "./fulfil.ts";
import { receiptHeader } from "./header.ts";
import { NETWORKS, type Path, paymentRequired, quoteFor } from "./quote.ts";

/** The longest time of an attempt with working partners: the facilitator's 15 s, and the chain's CONFIRM_MS. */
const LEASE_MS = 30_000;
/** How long the chain may take to confirm what the facilitator reported as settled, and what has an unknown result. */
const CONFIRM_MS = 8_000;
const DOUBT_MS = 2_000;
const LOOK_EVERY_MS = 250;
/** How long a copy of a request waits for the one that settles. */
const WAIT_MS = 40_000;
/** The first interval between reads of the row; the intervals double. */
const POLL_FIRST_MS = 50;
const POLL_MAX_MS = 1_000;
/** An authorization that expires sooner is no longer sent. */
const SENT_AHEAD_MIN_SECONDS = 3;
const RETRY_AFTER_SECONDS = "5";

/**
 * Settles the payment, or waits for the request that settles it, and then delivers what it paid for.
 * @returns the fulfilled row
 * @throws ServiceError `payment_required` if it failed or expired (nothing was charged), `payment_pending` while the
 * result is unknown, `rate_limited` if the key has too many long calls open
 */
export async function settlePayment(
  ctx: Ctx<Agent>,
  id: string,
  how: { reserved: Reserved; path: Path; version: 1 | 2 },
): Promise<PaymentRow> {
  const deadline = performance.now() + WAIT_MS;
  let pauseMs = POLL_FIRST_MS;
  let leaveSlot: (() => void) | undefined;
  try {
    await attemptWithLease(ctx, id, how.reserved);
    for (;;) {
      const row = await findState(ctx, id);
      if (row.status === "settled") await fulfil(ctx, row, how.reserved);
      else if (row.status === "fulfilled") return await findById(ctx, id);
      else if (isOver(row)) throw refusal(ctx, await findById(ctx, id), how);
      else if (!row.leased_until || performance.now() > deadline) throw pending();
      // Its holder died, or takes longer than any of its timeouts.
      else if (hasEnded(row.leased_until, ctx.now())) await attemptWithLease(ctx, id, how.reserved);
      else {
        // A key may repeat a request without limit, so waiting copies count as open long calls.
        leaveSlot ??= takeSlot(ctx);
        await sleep(pauseMs);
        pauseMs = Math.min(2 * pauseMs, POLL_MAX_MS);
      }
    }
  } finally {
    leaveSlot?.();
  }
}

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

/** No lease ends later, unless a clock was wrong when it was taken. Two leases: copies of a request read the clock one by one. */
function latestEnd(now: Date): Date {
  return leaseEnd(leaseEnd(now));
}

function hasEnded(leasedUntil: Date, now: Date): boolean {
  return leasedUntil <= now || leasedUntil > latestEnd(now);
}

async function attemptWithLease(ctx: Services, id: string, reserved: Reserved): Promise<void> {
  const leased = await lease(ctx, id);
  if (leased) await attempt(ctx, leased, reserved);
}

/** The lease for calling the facilitator, committed before the call. */
async function lease({ db, now }: Services, id: string): Promise<PaymentRow | undefined> {
  const at = now();
  const { leased_until } = payments;
  const isFree = or(isNull(leased_until), lte(leased_until, at), gt(leased_until, latestEnd(at)));
  const [row] = await db
    .update(payments)
    .set({ status: "settling", attempts: sql`${payments.attempts} + 1`, leased_until: leaseEnd(at) })
    .where(and(eq(payments.id, id), inArray(payments.status, ["verified", "settling"]), isFree))
    .returning();
  return row;
}

async function endLease({ db }: Services, { id, attempts }: PaymentRow): Promise<void> {
  await db
    .update(payments)
    .set({ leased_until: null })
    .where(and(eq(payments.id, id), eq(payments.attempts, attempts)));
}

/** One attempt by the holder of the lease. It leaves the row settled, failed, or settling without a lease. */
async function attempt(ctx: Services, row: PaymentRow, reserved: Reserved): Promise<void> {
  try {
    const before = row.attempts > 1 ? await look(ctx, row) : undefined;
    const isOpen = row.valid_before - SENT_AHEAD_MIN_SECONDS > ctx.now().getTime() / 1000;
    // An earlier attempt may still be running. Settling the same nonce again moves no more money.
    if (before && before.state !== "unused") return await conclude(ctx, row, { evidence: before }, reserved);
    if (!isOpen) return;
    const outcome = await settleOnce(ctx, row);
    const evidence = await lookUntilKnown(ctx, row, outcome);
    await conclude(ctx, row, { evidence, outcome }, reserved);
  } finally {
    await endLease(ctx, row);
  }
}

async function settleOnce({ payments: ports, secrets, settings }: Services, row: PaymentRow): Promise<SettleOutcome> {
  const isHere = row.network === settings.PAYMENTS_NETWORK;
  if (!ports || !isHere || !row.payload) return { outcome: "unknown", reason: "unreachable: payments are off" };
  const request: PaymentRequest = JSON.parse(secrets.open(row.payload, row.id));
  return ports.facilitator.settle(request);
}

/** The state of a payment on the chain; unknown if it is on a network other than the configured one. */
export async function look({ payments: ports, settings }: Services, row: PaymentRow): Promise<Evidence> {
  if (!ports || row.network !== settings.PAYMENTS_NETWORK)
    return { state: "unknown", reason: "its network is not configured" };
  return ports.chain.look(authorizationOf(row), row.from_block);
}

/** A node may be some blocks behind the facilitator. */
async function lookUntilKnown(ctx: Services, row: PaymentRow, { outcome }: SettleOutcome): Promise<Evidence> {
  const patience = { settled: CONFIRM_MS, unknown: DOUBT_MS, rejected: 0 }[outcome];
  const deadline = performance.now() + patience;
  for (;;) {
    const evidence = await look(ctx, row);
    if (evidence.state === "paid" || evidence.state === "lost" || performance.now() >= deadline) return evidence;
    await sleep(LOOK_EVERY_MS);
  }
}

/**
 * Paid is what the chain shows. Failed is what it shows to be lost, and a rejection of the only attempt there was.
 * @param known `outcome` undefined: the facilitator was not asked
 */
async function conclude(
  ctx: Services,
  row: PaymentRow,
  known: { evidence: Evidence; outcome?: SettleOutcome },
  reserved: Reserved,
): Promise<void> {
  const { evidence, outcome } = known;
  if (evidence.state === "paid") return markSettled(ctx, row, evidence.transaction);
  if (evidence.state === "lost") return giveUp(ctx, row, { status: "failed", reason: evidence.reason }, reserved);
  if (outcome?.outcome === "rejected" && row.attempts === 1 && evidence.state === "unused") {
    return giveUp(ctx, row, { status: "failed", reason: outcome.reason }, reserved);
  }
  const reason = outcome && outcome.outcome !== "settled" ? outcome.reason : "the chain does not show it";
  ctx.metrics.payments.inc({ outcome: "unknown" });
  const payment_id = encodeId("pay", row.id);
  ctx.log.warn({ payment_id, attempts: row.attempts, reason }, "the result of a payment is unknown");
}

/** The receipt of a payment that was fulfilled. */
export function receiptOf(row: PaymentRow): Record<string, string> {
  const { payer, transaction } = row;
  return receiptHeader(row.x402_version, { network: networkName(row), payer, transaction: transaction ?? "" });
}

function networkName({ network, x402_version }: PaymentRow): string {
  return x402_version === 2 ? network : (NETWORKS[network as keyof typeof NETWORKS]?.v1Name ?? network);
}

function refusal(ctx: Services, row: PaymentRow, { path, version }: { path: Path; version: 1 | 2 }): ServiceError {
  const reason = row.error ?? row.status;
  const receipt = receiptHeader(row.x402_version, { network: networkName(row), payer: row.payer, failed: reason });
  return paymentRequired(quoteFor(ctx.settings, row.mailboxes, path), version, { reason, receipt });
}

/** Never 402 while the result is unknown: the client would sign, and perhaps pay, again. */
export function pending(): ServiceError {
  return new ServiceError("payment_pending", "The result of the payment is not known yet.", {
    headers: { "Retry-After": RETRY_AFTER_SECONDS },
  });
}
