// Claims a message for one of several waiters.
import type { Ctx, Services } from "../base/context.ts";

/** Whether the caller now has the message; false: another waiter has it, or it was deleted. */
export async function claimMessage({ sql, now }: Ctx, id: string): Promise<boolean> {
  const { count } = await sql`
    update messages set claimed_at = ${now()} where id = ${id} and claimed_at is null`;
  return count > 0;
}

/** Claims the first of these messages that no waiter has. */
export async function findUnclaimed({ sql }: Ctx, ids: string[]): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from messages where id = any(${ids}::uuid[]) and claimed_at is null order by id limit 1`;
  return row?.id;
}

/** Releases the claim of a caller that disconnected before the answer. */
export async function releaseMessage({ sql, log }: Services, id: string): Promise<void> {
  try {
    await sql`update messages set claimed_at = null where id = ${id}`;
  } catch (error) {
    log.warn({ error, message: id }, "could not release the claim of a disconnected caller");
  }
}
