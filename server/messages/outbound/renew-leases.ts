// Renews the leases of messages while this process sends them. Short leases end soon when a process dies.
import { and, eq, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";
import { keepRenewing, leaseEnd } from "../../base/lease.ts";
import type { Claimed } from "./lease-queued.ts";

async function renew({ db, now }: Ctx<System>, claims: Claimed[]): Promise<void> {
  const until = leaseEnd(now());
  const rows = JSON.stringify(claims.map(({ id, leases }) => ({ id, leases })));
  // Added before the statement: an outcome written during the renewal, or after a lost answer, then matches the row
  // either way.
  for (const claim of claims) claim.leases = [...claim.leases, until];
  const held = sql`${messages.id} = c.id and ${messages.next_attempt_at} = any(c.leases)`;
  const byId = anyOf(
    messages.id,
    claims.map(({ id }) => id),
  );
  const renewed = await db
    .update(messages)
    .set({ next_attempt_at: until })
    .from(sql`json_to_recordset(${rows}::text::json) as c(id uuid, leases timestamptz[])`)
    .where(and(byId, held, eq(messages.status, "sending")))
    .returning({ id: messages.id });
  const ids = new Set(renewed.map(({ id }) => id));
  for (const claim of claims) if (ids.has(claim.id)) claim.leases = [until];
}

/**
 * Renews the leases of these messages until stopped.
 * @param held the messages that this process has leased and not settled
 * @returns a function that stops
 */
export function renewLeases(ctx: Ctx<System>, held: () => Claimed[]): () => void {
  return keepRenewing(async () => {
    const claims = held();
    if (claims.length > 0) await renew(ctx, claims);
  }, ctx.log);
}
