// Worker job: deletes finished deliveries past RETENTION_DAYS_DELIVERIES, and attempts past RETENTION_DAYS_ATTEMPTS that are in no
// partition of their days (attempt-partitions.ts drops the others).
import { and, lt, ne, sql } from "drizzle-orm";
import { firstIdKept } from "#db/partitions.ts";
import { deliveries, deliveryAttempts } from "#db/schema/events.ts";
import type { Ctx, System } from "../base/context.ts";

const DAY_MS = 86_400_000;
const ROWS_PER_STEP = 1_000;

/** Runs one batch; returns how many rows it deleted, 0 if none was old enough. Pending deliveries stay. */
export async function pruneDeliveries({ db, sql: plain, now, settings }: Ctx<System>): Promise<number> {
  const daysAgo = (days: number) => new Date(now().getTime() - days * DAY_MS);
  const before = daysAgo(settings.RETENTION_DAYS_DELIVERIES);
  const kept = await firstIdKept(plain, "delivery_attempts", daysAgo(settings.RETENTION_DAYS_ATTEMPTS));
  const oldAttempts = db
    .select({ id: deliveryAttempts.id })
    .from(deliveryAttempts)
    .where(lt(deliveryAttempts.id, kept))
    .orderBy(deliveryAttempts.id)
    .limit(ROWS_PER_STEP);
  const attempts = await db.delete(deliveryAttempts).where(sql`${deliveryAttempts.id} = any(array${oldAttempts})`);
  const { id, status, created_at, completed_at } = deliveries;
  const isOver = ne(status, "pending");
  const old = db
    .select({ id })
    .from(deliveries)
    .where(and(lt(created_at, before), lt(completed_at, before), isOver))
    .orderBy(created_at)
    .limit(ROWS_PER_STEP);
  const finished = await db.delete(deliveries).where(and(isOver, sql`${id} = any(array${old})`));
  return attempts.count + finished.count;
}
