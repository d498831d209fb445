// Worker jobs: delete deliveries and attempts past their retention.
import { and, lt, ne } from "drizzle-orm";
import { firstIdKept } from "#db/partitions.ts";
import { deliveries, deliveryAttempts } from "#db/schema/events.ts";
import { daysAgo, deleteOld } from "../../base/retention.ts";

/** Deletes finished deliveries past RETENTION_DAYS_DELIVERIES. Pending ones stay. */
export const pruneDeliveries = deleteOld({
  table: deliveries,
  key: deliveries.id,
  isOver(ctx) {
    const before = daysAgo(ctx, ctx.settings.RETENTION_DAYS_DELIVERIES);
    return and(
      lt(deliveries.created_at, before),
      lt(deliveries.completed_at, before),
      ne(deliveries.status, "pending"),
    );
  },
  oldestFirst: deliveries.created_at,
});

/**
 * Deletes attempts past RETENTION_DAYS_ATTEMPTS that are in no partition of their days (attempts.ts drops the others).
 */
export const pruneDeliveryAttempts = deleteOld({
  table: deliveryAttempts,
  key: deliveryAttempts.id,
  async isOver(ctx) {
    const before = daysAgo(ctx, ctx.settings.RETENTION_DAYS_ATTEMPTS);
    return lt(deliveryAttempts.id, await firstIdKept(ctx.sql, "delivery_attempts", before));
  },
  oldestFirst: deliveryAttempts.id,
});
