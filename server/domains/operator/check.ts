// The operators' commands `domains check` and `domains rotate-dkim` for a domain that an organization holds.
import { and, eq, or } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Ctx, System } from "../../base/context.ts";
import { ADMIN_COMMAND } from "../../base/errors/admin-command.ts";
import { ServiceError } from "../../base/errors.ts";
import { readGrantDomain } from "../../grants/domain-grants.ts";
import { checkDomain } from "../check-domain.ts";
import { type DomainRow, domainColumns } from "../find.ts";
import { addGranted } from "../granted.ts";
import { rotateKeyOf } from "../rotate-dkim.ts";
import { domainView } from "../view.ts";

/** @throws ServiceError `not_found`, `invalid_request` */
async function findHeld(ctx: Ctx<System>, text: string): Promise<DomainRow> {
  const domain = readGrantDomain(text);
  await addGranted(ctx);
  const isHeld = or(eq(domains.status, "verified"), domainColumns.granted);
  const [row] = await ctx.db
    .select(domainColumns)
    .from(domains)
    .where(and(eq(domains.domain, domain), isHeld));
  if (row) return row;
  throw new ServiceError("not_found", `No organization holds ${domain}. See ${ADMIN_COMMAND} domains list`);
}

/**
 * Checks DNS now.
 * @returns each record with its state and what to do
 * @throws ServiceError `not_found` if no organization was granted or has verified exactly this domain, `invalid_request`
 */
export async function checkHeldDomain(ctx: Ctx<System>, text: string) {
  const row = await findHeld(ctx, text);
  const settled = await checkDomain(ctx, row);
  return domainView(ctx, settled?.row ?? row).records;
}

/**
 * Makes a second DKIM key, which signs when its record is found.
 * @returns the records of the keys
 * @throws ServiceError `not_found`, `invalid_request`, `rate_limited` within 7 days of the last rotation
 */
export async function rotateHeldDkim(ctx: Ctx<System>, text: string) {
  const { records } = domainView(ctx, await rotateKeyOf(ctx, await findHeld(ctx, text)));
  return records.filter(({ purpose }) => purpose === "dkim");
}
