// Queues unparsed mail for parsing again, for the operator's `messages reparse`.
import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import type { Ctx, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { FIRST_ID } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";

const BATCH_MAILS = 500;

/** The rows become `received` and due, without earlier attempts. */
async function putBack({ db, now }: Ctx<System>, which: SQL): Promise<string[]> {
  const some = db
    .select({ id: messages.id })
    .from(messages)
    .where(and(asInIndex(eq(messages.status, "unparsed")), which))
    .orderBy(messages.id)
    .limit(BATCH_MAILS)
    .for("update", { skipLocked: true });
  const rows = await db
    .update(messages)
    .set({ status: "received", next_attempt_at: now(), attempts: 0, parse_faults: 0, error: null, reading: null })
    .where(sql`${messages.id} = any(array${some})`)
    .returning({ id: messages.id });
  return rows.map(({ id }) => id).sort();
}

/**
 * @param wireId `msg_…`; undefined: all `unparsed` mail, in batches
 * @returns how many mails will be parsed again
 * @throws ServiceError `message_not_found` if the message does not exist or is not `unparsed`
 */
export async function reparseMessages(ctx: Ctx<System>, wireId: string | undefined): Promise<{ queued: number }> {
  const only = wireId === undefined ? undefined : (decodeId("msg", wireId) ?? FIRST_ID);
  let queued = 0;
  for (let after = FIRST_ID, full = true; full; ) {
    const ids = await putBack(ctx, only === undefined ? gt(messages.id, after) : eq(messages.id, only));
    queued += ids.length;
    after = ids.at(-1) ?? after;
    full = ids.length === BATCH_MAILS;
    ctx.signals.raise("bodies");
  }
  if (only !== undefined && queued === 0) {
    throw new ServiceError("message_not_found", `No unparsed message has the id ${wireId}. Pass --unparsed for all.`);
  }
  return { queued };
}
