// Worker job: erases mail past RETENTION_DAYS_MESSAGES, in all mailboxes.
import { and, lt, notInArray } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import type { Ctx, System } from "../base/context.ts";
import { highestId } from "../base/id-range.ts";
import { eraseSome } from "./remove.ts";

const DAY_MS = 86_400_000;
const MESSAGES_PER_STEP = 200;

/**
 * Runs one batch, the oldest mail first. Mail that waits to be sent stays.
 * @returns how many messages were erased; 0 if none was old enough
 */
export async function pruneMessages(ctx: Ctx<System>): Promise<number> {
  const { RETENTION_DAYS_MESSAGES: days } = ctx.settings;
  if (days === undefined) return 0;
  const before = new Date(ctx.now().getTime() - days * DAY_MS);
  const isOver = and(
    lt(messages.created_at, before),
    notInArray(messages.status, ["scheduled", "held", "queued", "sending"]),
  );
  const old = await ctx.db
    .select({ id: messages.thread_id, inbox_id: messages.inbox_id })
    .from(messages)
    .where(and(lt(messages.id, highestId(before)), isOver))
    .orderBy(messages.id)
    .limit(MESSAGES_PER_STEP);
  const threads = new Map(old.map((thread) => [thread.id, thread]));
  let erased = 0;
  for (const thread of threads.values()) erased += (await eraseSome(ctx, thread, isOver)).erased;
  return erased;
}
