// Worker job: checks the DNS records of domains that are due, a few of each organization at a time, and adds those that the
// operator granted.
import { sql } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Ctx, System } from "../base/context.ts";
import { leaseEnd } from "../base/lease.ts";
import { checkDomain } from "./check-domain.ts";
import { domainColumns } from "./find.ts";
import { addGranted } from "./granted.ts";

const BATCH_DOMAINS = 8;
/** Of the due domains, the ones that wait longest are looked at. */
const LOOKED_AT_MAX = 1_000;

/** Takes turns between organizations: the first due domain of each, then the second. */
async function leaseDue({ db, now }: Ctx<System>) {
  const at = now();
  const { id, organization_id, next_check_at } = domains;
  const turns = sql`
    select id from (
      select id, next_check_at, row_number() over (partition by organization_id order by next_check_at) as turn
      from (select ${id}, ${organization_id}, ${next_check_at} from ${domains}
        where ${next_check_at} <= ${at.toISOString()}::timestamptz order by ${next_check_at} limit ${LOOKED_AT_MAX}) due
    ) turns order by turn, next_check_at limit ${BATCH_DOMAINS}`;
  const free = sql`select ${id} from ${domains}
    where ${id} in (${turns}) and ${next_check_at} <= ${at.toISOString()}::timestamptz for update skip locked`;
  return db
    .update(domains)
    .set({ next_check_at: leaseEnd(at) })
    .where(sql`${id} = any(array(${free}))`)
    .returning(domainColumns);
}

/**
 * Runs one batch.
 * @returns how many domains were due
 */
export async function recheckDomains(ctx: Ctx<System>): Promise<number> {
  const due = await leaseDue(ctx);
  // Each check writes its own result; a failed one is due again when its lease ends.
  const results = await Promise.allSettled(due.map((row) => checkDomain(ctx, row)));
  for (const result of results) {
    if (result.status === "rejected") ctx.log.warn({ error: result.reason }, "a domain could not be checked");
  }
  await addGranted(ctx);
  return due.length;
}
