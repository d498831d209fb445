// Checks the DNS records of one domain and writes the result.
import type { Services } from "../base/context.ts";
import { checkRecords } from "./dns/check.ts";
import { expectedFor } from "./expected-for.ts";
import type { DomainRow } from "./find.ts";
import { type Settled, settleCheck } from "./settle-check.ts";

/** @returns undefined if the domain was deleted during the check */
export async function checkDomain(ctx: Services, row: DomainRow): Promise<Settled | undefined> {
  const checked = await checkRecords(ctx, await expectedFor(ctx.db, ctx, row), row.records);
  return settleCheck(ctx, row.id, checked);
}
