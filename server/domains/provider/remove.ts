// Worker job: removes deleted domains at the mail provider, if they were created there by this service and nothing uses them.
import { eq, lte, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { type domains, providerRemovals } from "#db/schema/domains.ts";
import { makeDue } from "../../base/catch-up.ts";
import type { Ctx, Services, System } from "../../base/context.ts";
import { newId } from "../../base/ids.ts";
import { leaseEnd } from "../../base/lease.ts";
import type { IdentityFailure } from "../../base/ports/outbound.ts";
import { identityUse } from "../../inboxes/identity-use.ts";

// Schedules the removal of a deleted domain at the mail provider, in the transaction that deletes it.
type Deleted = Pick<typeof domains.$inferSelect, "domain" | "provider">;

/** Does nothing if the provider never had the domain. After the commit, raise the signal `identities`. */
export async function scheduleRemoval(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  { domain, provider }: Deleted,
): Promise<void> {
  if (!provider?.ref) return;
  const at = now();
  await tx
    .insert(providerRemovals)
    .values({ id: newId(), domain, ref: provider.ref, next_attempt_at: at, created_at: at });
}

/** Each takes at most a few requests, which end long before the lease does. */
const BATCH_REMOVALS = 4;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Backoff after the first, second, … failure; the last one repeats. */
const RETRY_PAUSES_MS = [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS];
const REMOVAL_PAUSE_MAX_MS = 6 * HOUR_MS;
const JITTER = 0.1;

type Removal = typeof providerRemovals.$inferSelect;

async function leaseDue({ db, now }: Ctx<System>): Promise<Removal[]> {
  const due = db
    .select({ id: providerRemovals.id })
    .from(providerRemovals)
    .where(lte(providerRemovals.next_attempt_at, now()))
    .orderBy(providerRemovals.next_attempt_at)
    .limit(BATCH_REMOVALS)
    .for("update", { skipLocked: true });
  return db
    .update(providerRemovals)
    .set({ attempts: sql`${providerRemovals.attempts} + 1`, next_attempt_at: leaseEnd(now()) })
    .where(sql`${providerRemovals.id} = any(array(${due}))`)
    .returning();
}

/**
 * Runs one batch.
 * @returns how many removals were due
 */
export async function removeAtProvider(ctx: Ctx<System>): Promise<number> {
  const due = await leaseDue(ctx);
  const results = await Promise.allSettled(due.map((removal) => settle(ctx, removal)));
  for (const result of results) {
    if (result.status === "rejected") ctx.log.warn({ error: result.reason }, "a domain could not be removed");
  }
  return due.length;
}

async function settle(ctx: Ctx<System>, removal: Removal): Promise<void> {
  const { identities } = ctx.outbound;
  const { id, domain, ref } = removal;
  const { isUsed, refs } = await identityUse(ctx.db, domain);
  // Another organization has verified the domain since, mailboxes are left, or OUTBOUND was changed.
  if (isUsed || !identities) return postpone(ctx, removal, REMOVAL_PAUSE_MAX_MS);
  const outcome = await identities.close(domain, [...new Set([...refs, ref])]);
  if (outcome.outcome !== "done") return failed(ctx, removal, outcome);
  await ctx.db.delete(providerRemovals).where(eq(providerRemovals.id, id));
}

/** A refusal is tried again too, because the operator may fix its cause. */
async function failed(ctx: Ctx<System>, removal: Removal, failure: IdentityFailure): Promise<void> {
  const { domain, attempts } = removal;
  ctx.log.warn({ domain, error: failure.error }, "could not remove a domain from the mail provider");
  const pause = RETRY_PAUSES_MS[Math.min(attempts, RETRY_PAUSES_MS.length) - 1] ?? HOUR_MS;
  const atLeast = failure.outcome === "retry" ? (failure.retryAfterMs ?? 0) : HOUR_MS;
  await postpone(ctx, removal, Math.min(REMOVAL_PAUSE_MAX_MS, Math.max(pause, atLeast)));
}

async function postpone({ db, now }: Ctx<System>, { id }: Removal, pauseMs: number): Promise<void> {
  const next = new Date(now().getTime() + pauseMs * (1 - JITTER * Math.random()));
  await db.update(providerRemovals).set({ next_attempt_at: next }).where(eq(providerRemovals.id, id));
}

export const advanceRemovals = makeDue({
  table: providerRemovals,
  key: providerRemovals.id,
  at: providerRemovals.next_attempt_at,
  withinMs: REMOVAL_PAUSE_MAX_MS,
});
