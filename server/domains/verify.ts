// POST /v1/domains/{domain}/verify: checks the DNS records of a domain now.
import { and, eq, isNull, lte, or } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { checkDomain } from "./check-domain.ts";
import { refuseRestricted, taken } from "./claim.ts";
import { type DomainRow, findDomain, noDomain } from "./find.ts";

const PAUSE_MS = 10_000;

/**
 * @throws ServiceError `domain_not_found`, `rate_limited` within 10 s of the last check, `domain_taken` if the
 * ownership record was found but another organization holds the domain, `insufficient_scope`
 */
export async function verifyDomain(ctx: Ctx<Caller>, named: string): Promise<DomainRow> {
  refuseRestricted(ctx);
  const row = await findDomain(ctx, named);
  await takeCheck(ctx, row);
  const settled = await checkDomain(ctx, row);
  if (!settled) throw noDomain();
  if (settled.taken) throw taken(row.domain);
  return settled.row;
}

/** Marks the domain as checked before the check, so that one of several concurrent calls runs it. */
async function takeCheck({ db, now }: Ctx<Caller>, { id, last_checked_at }: DomainRow): Promise<void> {
  const at = now();
  const isFree = or(isNull(domains.last_checked_at), lte(domains.last_checked_at, new Date(at.getTime() - PAUSE_MS)));
  const [marked] = await db
    .update(domains)
    .set({ last_checked_at: at })
    .where(and(eq(domains.id, id), isFree))
    .returning({ id: domains.id });
  if (marked) return;
  const passed = at.getTime() - (last_checked_at ?? at).getTime();
  const seconds = Math.min(PAUSE_MS / 1_000, Math.max(1, Math.ceil((PAUSE_MS - passed) / 1_000)));
  throw new ServiceError("rate_limited", "This domain was checked less than 10 seconds ago.", {
    headers: { "Retry-After": String(seconds) },
  });
}
