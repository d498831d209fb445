// Renews the leases of messages while this process hands them over, so that a lease can be short: only a dead process loses one.
import type { Ctx, System } from "../../base/context.ts";
import { keepRenewing, leaseEnd } from "../../base/lease.ts";
import type { Claimed } from "./lease-queued.ts";

async function renew({ sql, now }: Ctx<System>, claims: Claimed[]): Promise<void> {
  const until = leaseEnd(now());
  const rows = JSON.stringify(claims.map(({ id, leases }) => ({ id, leases })));
  // Added before the statement: an outcome that is written meanwhile, or after a lost answer, matches the row either way.
  for (const claim of claims) claim.leases = [...claim.leases, until];
  const renewed = await sql<{ id: string }[]>`
    update messages m set next_attempt_at = ${until}
    from json_to_recordset(${rows}::text::json) as c(id uuid, leases timestamptz[])
    where m.id = any(${claims.map(({ id }) => id)}::uuid[]) and m.id = c.id and m.status = 'sending'
      and m.next_attempt_at = any(c.leases)
    returning m.id`;
  const ids = new Set(renewed.map(({ id }) => id));
  for (const claim of claims) if (ids.has(claim.id)) claim.leases = [until];
}

/**
 * Renews the leases of these messages as long as it is not stopped.
 * @param held what this process has claimed and not settled
 * @returns the way to stop
 */
export function renewLeases(ctx: Ctx<System>, held: () => Claimed[]): () => void {
  return keepRenewing(async () => {
    const claims = held();
    if (claims.length > 0) await renew(ctx, claims);
  }, ctx.log);
}
