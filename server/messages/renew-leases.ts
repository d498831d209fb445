// Renews the leases of messages while this process hands them over, so that a lease can be short: only a dead process loses one.
import type { Ctx, System } from "../context.ts";
import { type Claimed, LEASE_MS } from "./claim-queued.ts";

const RENEW_EVERY_MS = 10_000;

async function renew({ sql, now }: Ctx<System>, claims: Claimed[]): Promise<void> {
  const until = new Date(now().getTime() + LEASE_MS);
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
 * Renews the leases of these messages every 10 s.
 * @param held what this process has claimed and not settled
 * @returns the way to stop that
 */
export function renewLeases(ctx: Ctx<System>, held: () => Claimed[]): () => void {
  let renewing = false;
  const timer = setInterval(async () => {
    const claims = held();
    if (renewing || claims.length === 0) return;
    renewing = true;
    await renew(ctx, claims).catch((error) => {
      ctx.log.warn({ error, messages: claims.length }, "leases not renewed yet; will repeat");
    });
    renewing = false;
  }, RENEW_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
