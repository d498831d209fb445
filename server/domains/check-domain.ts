// Checks the DNS records of one domain, with those of the mail provider, and writes the result.
import type { Services } from "../base/context.ts";
import { checkRecords } from "./dns/check.ts";
import { expectedFor } from "./expected-for.ts";
import type { DomainRow } from "./find.ts";
import { askProvider, startVerification } from "./provider/ask.ts";
import { type Settled, settleCheck } from "./settle-check.ts";
import { notFound, SENDING } from "./view.ts";

/** @returns undefined if the domain was deleted during the check */
export async function checkDomain(ctx: Services, row: DomainRow): Promise<Settled | undefined> {
  const asked = await askProvider(ctx, row);
  const checked = await checkRecords(ctx, await expectedFor(ctx.db, ctx, { ...row, provider: asked }), row.records);
  const provider = notFound(checked, SENDING).length === 0 ? await startVerification(ctx, asked) : asked;
  const settled = await settleCheck(ctx, row.id, { records: checked, provider });
  const isNew = row.status !== "verified" && settled?.row.status === "verified";
  // The provider gets the domain now, and its records are checked with the others.
  return isNew && ctx.outbound.identities ? checkDomain(ctx, settled.row) : settled;
}
