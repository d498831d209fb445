// Worker job: registers the sender identities of new mailboxes with the outbound provider, and removes those of deleted
// ones.
import { and, eq, inArray, lte, sql } from "drizzle-orm";
import { anyOf, asInIndex } from "#db/conditions.ts";
import { inboxes } from "#db/schema/mail.ts";
import { jittered } from "../base/backoff.ts";
import { makeDue } from "../base/catch-up.ts";
import type { Ctx, System } from "../base/context.ts";
import { keepRenewing, leaseEnd } from "../base/lease.ts";
import type { IdentityOutcome } from "../base/ports/outbound.ts";
import { grantedDomains, usableDomains } from "../grants/granted-domains.ts";
import { identityUse } from "./identity-use.ts";

const BATCH_MAX = 20;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Backoff after the first, second, … temporary failure; the last one repeats. */
const RETRY_PAUSES_MS = [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS];
/** After a refusal, which only the operator can fix: often enough to notice the fix. */
const REFUSED_PAUSE_MS = HOUR_MS;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;
const ERROR_MAX_CHARS = 500;

const dueColumns = {
  id: inboxes.id,
  organization_id: inboxes.organization_id,
  address: inboxes.address,
  domain: inboxes.domain,
  identity_status: inboxes.identity_status,
  identity_ref: inboxes.identity_ref,
  identity_attempts: inboxes.identity_attempts,
};
type Due = Pick<typeof inboxes.$inferSelect, keyof typeof dueColumns>;

async function lease({ db, now }: Ctx<System>, until: Date): Promise<Due[]> {
  const { id, identity_status, identity_attempts, identity_next_attempt_at } = inboxes;
  const due = db
    .select({ id })
    .from(inboxes)
    .where(and(asInIndex(inArray(identity_status, ["opening", "closing"])), lte(identity_next_attempt_at, now())))
    .orderBy(identity_next_attempt_at)
    .limit(BATCH_MAX)
    .for("update", { skipLocked: true });
  return db
    .update(inboxes)
    .set({ identity_attempts: sql`${identity_attempts} + 1`, identity_next_attempt_at: until })
    .where(sql`${id} = any(array${due})`)
    .returning(dueColumns);
}

/** A mailbox deleted while its identity is being registered keeps the new ref, and removes it (again). */
async function opened({ db, now }: Ctx<System>, due: Due, ref: string | null): Promise<void> {
  const isLive = eq(inboxes.status, "live");
  await db
    .update(inboxes)
    .set({
      identity_ref: ref,
      identity_error: null,
      identity_attempts: 0,
      identity_status: sql`case when ${isLive} then 'open' else 'closing' end`,
      identity_next_attempt_at: sql`case when ${isLive} then null else ${now()}::timestamptz end`,
    })
    .where(eq(inboxes.id, due.id));
}

async function closed({ db, now }: Ctx<System>, due: Due, isRemoved: boolean): Promise<void> {
  const { id, domain, status, identity_status } = inboxes;
  await db
    .update(inboxes)
    .set({ identity_status: "closed", identity_error: null, identity_next_attempt_at: null })
    .where(and(eq(id, due.id), eq(identity_status, "closing")));
  if (!isRemoved) return;
  // A mailbox created on the domain concurrently may use what was just removed.
  await db
    .update(inboxes)
    .set({ identity_status: "opening", identity_attempts: 0, identity_next_attempt_at: now() })
    .where(and(eq(domain, due.domain), eq(status, "live"), eq(identity_status, "open")));
}

async function postpone(
  ctx: Ctx<System>,
  due: Due,
  outcome: Exclude<IdentityOutcome, { outcome: "done" }>,
): Promise<void> {
  const refused = outcome.outcome === "refused";
  const error = outcome.error.replace(/\p{Cc}+/gu, " ").slice(0, ERROR_MAX_CHARS);
  const retryPause = RETRY_PAUSES_MS[Math.min(due.identity_attempts, RETRY_PAUSES_MS.length) - 1] ?? HOUR_MS;
  const atLeast = refused ? 0 : Math.min(outcome.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
  const pause = jittered(refused ? REFUSED_PAUSE_MS : retryPause);
  const next = new Date(ctx.now().getTime() + Math.max(pause, atLeast));
  ctx.log.warn(
    { inbox: due.address, wanted: due.identity_status, error, refused },
    "could not update a sender identity",
  );
  // Only a refusal is stored: it fails the mailbox's messages, while they wait through all other failures.
  await ctx.db
    .update(inboxes)
    .set({ identity_next_attempt_at: next, identity_error: refused ? error : null })
    .where(and(eq(inboxes.id, due.id), eq(inboxes.identity_status, due.identity_status)));
}

/**
 * The provider's account belongs to the operator and may have domains of others, so only a granted domain is
 * registered.
 */
async function open(ctx: Ctx<System>, due: Due): Promise<IdentityOutcome> {
  const { identities } = ctx.outbound;
  const { domain, identity_ref: ref } = due;
  // The provider has no identities: another provider created these rows.
  if (!identities) return { outcome: "done", ref };
  const granted = await grantedDomains(ctx, due.organization_id);
  if (usableDomains(ctx.settings, [domain], granted).length === 0) {
    return { outcome: "refused", error: `${domain} is not granted to this organization. The operator can grant it.` };
  }
  return identities.open(domain);
}

async function settle(ctx: Ctx<System>, due: Due): Promise<void> {
  if (due.identity_status === "opening") {
    const outcome = await open(ctx, due);
    return outcome.outcome === "done" ? opened(ctx, due, outcome.ref) : postpone(ctx, due, outcome);
  }
  const { isUsed, refs } = await identityUse(ctx.db, due.domain);
  const { identities } = ctx.outbound;
  const outcome = identities && !isUsed ? await identities.close(due.domain, refs) : { outcome: "done" as const };
  return outcome.outcome === "done" ? closed(ctx, due, !isUsed) : postpone(ctx, due, outcome);
}

/** Renews the leases of one batch; a row with a result no longer has a lease. */
async function renew({ db, now }: Ctx<System>, due: Due[], leases: Date[]): Promise<void> {
  const held = leases.map((end) => end.toISOString());
  const until = leaseEnd(now());
  leases.push(until);
  const ids = due.map(({ id }) => id);
  await db
    .update(inboxes)
    .set({ identity_next_attempt_at: until })
    .where(and(anyOf(inboxes.id, ids), anyOf(inboxes.identity_next_attempt_at, held)));
}

/**
 * Runs one batch; mailboxes of one domain one after the other, because they may share an identity.
 * @returns how many were due
 */
export async function settleIdentities(ctx: Ctx<System>): Promise<number> {
  const leases = [leaseEnd(ctx.now())];
  const due = await lease(ctx, leases[0] as Date);
  const stopRenewing = keepRenewing(() => renew(ctx, due, leases), ctx.log);
  const domains = [...Map.groupBy(due, ({ domain }) => domain).values()];
  const settled = domains.map(async (together) => {
    for (const one of together) await settle(ctx, one);
  });
  const results = await Promise.allSettled(settled);
  stopRenewing();
  if (due.some((one) => one.identity_status === "opening")) ctx.signals.raise("outbound");
  const broken = results.find((result) => result.status === "rejected");
  if (broken) throw broken.reason;
  return due.length;
}

export const advanceIdentities = makeDue({
  table: inboxes,
  key: inboxes.id,
  at: inboxes.identity_next_attempt_at,
  withinMs: RETRY_AFTER_MAX_MS,
  only: asInIndex(inArray(inboxes.identity_status, ["opening", "closing"])),
});
