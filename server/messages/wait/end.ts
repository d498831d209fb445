// The end of a wait: notes where the next one starts.
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { waitEnds } from "#db/schema/waits.ts";
import type { Agent, Ctx } from "../../base/context.ts";

/** Positions of events are larger. */
const BEFORE_ALL = 0;

/**
 * Notes that a wait of this key returned the message at a position, for its next wait without `after`. If the caller disconnects before
 * the answer, the earlier position is put back, unless another wait of the key moved it further. Never rejects: the message may be
 * claimed, so a note that fails must not take the answer away.
 */
export async function noteEnd(
  { db, log, actor }: Ctx<Agent>,
  { inboxId, position }: { inboxId: string; position: number },
  signal: AbortSignal,
): Promise<void> {
  const own = { agent_key_id: actor.keyId, inbox_id: inboxId };
  const isOwn = and(eq(waitEnds.agent_key_id, own.agent_key_id), eq(waitEnds.inbox_id, own.inbox_id));
  const move = async (tx: Transaction) => {
    // Locks the row, which may be new: concurrent waits of the key must not read the same earlier position.
    const [row] = await tx
      .insert(waitEnds)
      .values({ ...own, position: BEFORE_ALL })
      .onConflictDoUpdate({
        target: [waitEnds.agent_key_id, waitEnds.inbox_id],
        set: { position: sql`${waitEnds.position}` },
      })
      .returning({ position: waitEnds.position });
    const before = row?.position ?? BEFORE_ALL;
    if (before < position) await tx.update(waitEnds).set({ position }).where(isOwn);
    return before;
  };
  try {
    const before = await db.transaction(move);
    if (before >= position) return;
    const putBack = () =>
      db
        .update(waitEnds)
        .set({ position: before })
        .where(and(isOwn, eq(waitEnds.position, position)))
        .catch((error: unknown) => log.warn({ error }, "a mail that was not delivered is not found by the next wait"));
    if (signal.aborted) return void (await putBack());
    signal.addEventListener("abort", () => void putBack(), { once: true });
  } catch (error) {
    log.warn({ error }, "the next wait may return the same mail again: could not note where a wait ended");
  }
}
