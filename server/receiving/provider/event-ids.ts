// The ids of provider events that were taken: a repeated event has no effect.
import { eq, lt } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { providerEvents } from "#db/schema/events.ts";
import { daysAgo, deleteOld } from "../../base/retention.ts";

/** Longer than any provider repeats an event: Mailgun does for 8 hours, SendGrid for 24. */
const KEPT_DAYS = 30;

export async function isTaken(db: Database, id: string): Promise<boolean> {
  const known = await db.select({ id: providerEvents.id }).from(providerEvents).where(eq(providerEvents.id, id));
  return known.length > 0;
}

/**
 * Stores the ids of events, in one order, so that two transactions never wait for each other.
 * @returns those that were not taken before; waits for another transaction that takes them now
 */
export async function spendEventIds(db: Database | Transaction, ids: string[], now: Date): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = [...new Set(ids)].sort().map((id) => ({ id, created_at: now }));
  const stored = await db
    .insert(providerEvents)
    .values(rows)
    .onConflictDoNothing()
    .returning({ id: providerEvents.id });
  return new Set(stored.map(({ id }) => id));
}

export const pruneProviderEvents = deleteOld({
  table: providerEvents,
  key: providerEvents.id,
  isOver: (ctx) => lt(providerEvents.created_at, daysAgo(ctx, KEPT_DAYS)),
  oldestFirst: providerEvents.created_at,
});
