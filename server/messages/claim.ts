// Hands a message to one of many who wait for it, and to nobody else.
import type { Ctx, Services } from "../base/context.ts";

/** Whether the message is the caller's now; false: somebody else has it, or it is gone. */
export async function claimMessage({ sql, now }: Ctx, id: string): Promise<boolean> {
  const { count } = await sql`
    update messages set claimed_at = ${now()} where id = ${id} and claimed_at is null`;
  return count > 0;
}

/** The first of these messages that is nobody's. */
export async function findUnclaimed({ sql }: Ctx, ids: string[]): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from messages where id = any(${ids}::uuid[]) and claimed_at is null order by id limit 1`;
  return row?.id;
}

/** Gives it back: who had it went away before it was told. */
export async function releaseMessage({ sql, log }: Services, id: string): Promise<void> {
  try {
    await sql`update messages set claimed_at = null where id = ${id}`;
  } catch (error) {
    log.warn({ error, message: id }, "a claim of a caller who has gone was not given back");
  }
}
