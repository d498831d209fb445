// Worker jobs: delete the service's own mail past RETENTION_DAYS_NOTICES, whether sent or failed, and passes of the gate that
// no limit counts any more.
import { and, isNull, lt, sql } from "drizzle-orm";
import { letterPasses, notices } from "#db/schema/events.ts";
import type { Ctx, System } from "../base/context.ts";
import { PASSES_KEPT_MS } from "./gate.ts";

const DAY_MS = 86_400_000;
const NOTICES_PER_STEP = 1_000;

/** Runs one batch; returns how many notices it deleted, 0 if none was old enough. Pending ones stay. */
export async function pruneNotices({ db, now, settings }: Ctx<System>): Promise<number> {
  const before = new Date(now().getTime() - settings.RETENTION_DAYS_NOTICES * DAY_MS);
  const isOver = isNull(notices.next_attempt_at);
  const old = db
    .select({ id: notices.id })
    .from(notices)
    .where(and(isOver, sql`coalesce(${notices.sent_at}, ${notices.created_at}) < ${before}`))
    .limit(NOTICES_PER_STEP);
  const { count } = await db.delete(notices).where(and(isOver, sql`${notices.id} = any(array${old})`));
  return count;
}

/** Runs one batch; returns how many passes it deleted. */
export async function prunePasses({ db, now }: Ctx<System>): Promise<number> {
  const before = new Date(now().getTime() - PASSES_KEPT_MS);
  const old = db
    .select({ id: letterPasses.id })
    .from(letterPasses)
    .where(lt(letterPasses.passed_at, before))
    .limit(NOTICES_PER_STEP);
  const { count } = await db.delete(letterPasses).where(sql`${letterPasses.id} = any(array${old})`);
  return count;
}
