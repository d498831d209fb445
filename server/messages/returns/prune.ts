// Worker job: deletes the recipients of erased messages when their return paths are no longer accepted.
import { and, isNotNull, lt, sql } from "drizzle-orm";
import { messageRecipients } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";
import { lowestId } from "../../base/id-range.ts";
import { VALID_DAYS } from "./return-path.ts";

const DAY_MS = 86_400_000;
const MESSAGES_PER_STEP = 1_000;

/** Runs one batch; returns how many rows it deleted, 0 if none was old enough. */
export async function pruneRecipients({ db, now }: Ctx<System>): Promise<number> {
  const { message_id, counted_at } = messageRecipients;
  const isErased = isNotNull(counted_at);
  const before = lowestId(new Date(now().getTime() - VALID_DAYS * DAY_MS));
  const old = db
    .selectDistinct({ message_id })
    .from(messageRecipients)
    .where(and(isErased, lt(message_id, before)))
    .orderBy(message_id)
    .limit(MESSAGES_PER_STEP);
  const { count } = await db.delete(messageRecipients).where(and(sql`${message_id} = any(array${old})`, isErased));
  return count;
}
