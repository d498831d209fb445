// Worker job: deletes the ids of provider events that the provider no longer repeats.
import { lt, sql } from "drizzle-orm";
import { providerEvents } from "#db/schema/events.ts";
import type { Ctx, System } from "../../base/context.ts";

const KEPT_MS = 30 * 86_400_000;
const ROWS_PER_STEP = 1_000;

/** Runs one batch; returns how many rows it deleted, 0 if none was old enough. */
export async function pruneProviderEvents({ db, now }: Ctx<System>): Promise<number> {
  const { id, created_at } = providerEvents;
  const before = new Date(now().getTime() - KEPT_MS);
  const old = db
    .select({ id })
    .from(providerEvents)
    .where(lt(created_at, before))
    .orderBy(created_at)
    .limit(ROWS_PER_STEP);
  const { count } = await db.delete(providerEvents).where(sql`${id} = any(array${old})`);
  return count;
}
