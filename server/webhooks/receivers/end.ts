// Worker job: deletes test receivers that have expired, with their deliveries.
import { asc, lte } from "drizzle-orm";
import { webhooks } from "#db/schema/events.ts";
import type { Ctx, System } from "../../base/context.ts";
import { dropWebhooks } from "../remove.ts";

const ROWS_MAX = 50;

/** Runs one batch; returns how many receivers it deleted. */
export async function endReceivers({ db, now }: Ctx<System>): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .select({ id: webhooks.id })
      .from(webhooks)
      .where(lte(webhooks.expires_at, now()))
      .orderBy(asc(webhooks.expires_at))
      .limit(ROWS_MAX)
      .for("update", { skipLocked: true });
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await dropWebhooks(tx, ids);
    return rows.length;
  });
}
