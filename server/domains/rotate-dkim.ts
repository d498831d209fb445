// POST /v1/domains/{domain}/rotate-dkim: adds a DKIM key that replaces the current one when its record is found.
import { eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { domains } from "#db/schema/domains.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { domainChange, refuseRestricted } from "./claim.ts";
import { addNextKey } from "./dkim/rotate-key.ts";
import { withKnown } from "./dns/check.ts";
import { expectedFor } from "./expected-for.ts";
import { type DomainRow, domainColumns, findDomain, noDomain } from "./find.ts";

const NEXT_CHECK_MS = 60_000;

/**
 * @param note runs in the transaction that writes
 * @returns the domain with the record of the new key
 * @throws ServiceError `domain_not_found`, `insufficient_scope`, `invalid_request`, `rate_limited`, `unavailable`
 */
export async function rotateDkim(ctx: Ctx<Caller>, named: string): Promise<DomainRow> {
  refuseRestricted(ctx);
  const domain = await findDomain(ctx, named);
  const change = domainChange(domain, "The new DKIM key stays.");
  return rotateKeyOf(ctx, domain, (tx) => record(ctx, tx, [change]));
}

/**
 * @returns the domain with the record of the new key
 * @throws ServiceError `invalid_request` if a mail provider has the keys, `rate_limited`, `unavailable`
 */
export async function rotateKeyOf(
  ctx: Services,
  { id, domain, organization_id }: DomainRow,
  note?: (tx: Transaction) => Promise<void>,
): Promise<DomainRow> {
  if (ctx.outbound.identities) {
    throw new ServiceError("invalid_request", "The mail provider makes and rotates the DKIM keys of this domain.", {
      fix: "Nothing to do here: GET the domain for the DKIM records that the provider needs now.",
    });
  }
  await addNextKey(ctx, { id, domain }, organization_id);
  return ctx.db.transaction(async (tx) => {
    const [row] = await tx.select(domainColumns).from(domains).where(eq(domains.id, id)).for("update");
    if (!row) throw noDomain();
    const records = withKnown(await expectedFor(tx, ctx, row), row.records);
    const next_check_at = new Date(ctx.now().getTime() + NEXT_CHECK_MS);
    await tx.update(domains).set({ records, next_check_at }).where(eq(domains.id, id));
    await note?.(tx);
    return { ...row, records, next_check_at };
  });
}
