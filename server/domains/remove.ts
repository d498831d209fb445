// DELETE /v1/domains/{domain}: deletes a domain that has no live mailboxes, and ends the grant of its verification.
import { and, eq, ne, or, sql } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { endVerifiedGrant, lockGrants } from "../grants/domain-grants.ts";
import { lockAddresses } from "../grants/hosted.ts";
import { identityUse } from "../inboxes/identity-use.ts";
import { refuseRestricted } from "./claim.ts";
import { type DomainRow, findDomain, noDomain } from "./find.ts";

const RETRY_AFTER_MAX_SECONDS = 3_600;

/**
 * @returns the UUID of the domain
 * @throws ServiceError `domain_not_found`, `domain_in_use`, `insufficient_scope`, `unavailable` if the mail provider could not
 * remove it now
 */
export async function removeDomain(ctx: Ctx<Caller>, named: string): Promise<string> {
  refuseRestricted(ctx);
  const row = await findDomain(ctx, named);
  const { id, domain } = row;
  const { organizationId } = ctx.actor;
  await refuseUsed(ctx, ctx.db, row);
  await closeAtProvider(ctx, row);
  await ctx.db.transaction(async (tx) => {
    await lockGrants(tx);
    // Waits for running creates, which hold it shared; later ones see that the domain is deleted.
    await lockAddresses(tx);
    await refuseUsed(ctx, tx, row);
    await endVerifiedGrant(tx, organizationId, domain);
    const gone = await tx.delete(domains).where(eq(domains.id, id)).returning({ id: domains.id });
    if (gone.length === 0) throw noDomain();
  });
  return id;
}

/** @throws ServiceError `domain_in_use` */
async function refuseUsed(
  { actor }: Ctx<Caller>,
  db: Pick<Ctx["db"], "select">,
  { domain, status }: DomainRow,
): Promise<void> {
  if (status === "pending") return;
  const within = or(eq(inboxes.domain, domain), sql`${inboxes.domain} like '%.' || ${domain}::text`);
  // Also reserved ones, which become live when their payment is settled.
  const isLeft = ne(inboxes.status, "deleted");
  const left = and(eq(inboxes.organization_id, actor.organizationId), isLeft, within);
  const [used] = await db.select({ address: inboxes.address }).from(inboxes).where(left).limit(1);
  if (used) throw new ServiceError("domain_in_use", `${used.address} is a mailbox on this domain.`);
}

/** A refusal stays with the operator: the domain here can go. @throws ServiceError `unavailable` */
async function closeAtProvider({ db, log, outbound }: Ctx<Caller>, { id, domain, provider }: DomainRow): Promise<void> {
  if (!outbound.identities || !provider?.ref) return;
  const { isUsed, refs } = await identityUse(db, domain, id);
  if (isUsed) return;
  const outcome = await outbound.identities.close(domain, [...refs, provider.ref]);
  if (outcome.outcome === "done") return;
  log.warn({ domain, error: outcome.error }, "could not remove a domain from the mail provider");
  if (outcome.outcome === "refused") return;
  const seconds = Math.min(RETRY_AFTER_MAX_SECONDS, Math.max(1, Math.ceil((outcome.retryAfterMs ?? 0) / 1_000)));
  throw new ServiceError("unavailable", "The mail provider could not remove the domain. Delete it again later.", {
    headers: { "Retry-After": String(seconds) },
  });
}
