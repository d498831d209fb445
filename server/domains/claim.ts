// POST /v1/domains: adds a domain to the organization, which has to prove it in DNS.
import { randomBytes } from "node:crypto";
import { and, count, eq, ne, sql } from "drizzle-orm";
import type { Change } from "#db/activity-parts.ts";
import type { Transaction } from "#db/client.ts";
import { CLAIM_TOKEN_BYTES } from "#db/domain-records.ts";
import { dkimKeys, domains } from "#db/schema/domains.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { whyNarrow } from "../base/tenancy.ts";
import { lockGrants } from "../grants/domain-grants.ts";
import { grantOfAnother } from "../grants/granted-domains.ts";
import { newDkimKey } from "./dkim/make-key.ts";
import { withKnown } from "./dns/check.ts";
import { expectedFor } from "./expected-for.ts";
import { type DomainRow, domainColumns } from "./find.ts";
import { readClaim } from "./name.ts";

/** Of one organization: each costs DNS lookups for as long as it exists. */
const UNVERIFIED_MAX = 100;
const DOMAINS_MAX = 1_000;
const FIRST_CHECK_MS = 60_000;

/**
 * @returns the existing row if the organization has claimed the domain before
 * @throws ServiceError `invalid_request`, `domain_taken`, `too_many_domains`, `insufficient_scope`, `unavailable`
 */
export async function claimDomain(ctx: Ctx<Caller>, input: { domain: string }): Promise<DomainRow> {
  refuseRestricted(ctx);
  const domain = readClaim(ctx.settings, input.domain);
  const before = await findClaim(ctx, domain);
  if (before) return before;
  await refuseTaken(ctx, domain);
  await refuseMore(ctx, ctx.db);
  const id = newId();
  const { organizationId } = ctx.actor;
  const key = await newDkimKey(ctx, { domainId: id, domain, organizationId, selector: "mb1", state: "signing" });
  return ctx.db.transaction(async (tx) => {
    await lockGrants(tx);
    await refuseMore(ctx, tx);
    const added = await addDomain(tx, ctx, { id, organization_id: organizationId, domain }, key);
    if (added)
      await record(ctx, tx, [domainChange({ id, domain }, "The claim stays. Delete the domain if nothing uses it.")]);
    // Claimed by a concurrent call of the same organization.
    return added ?? (await findClaim(ctx, domain, tx)) ?? unreachable();
  });
}

/** An undo changes no domain, which is also at DNS and the mail provider. */
export function domainChange({ id, domain }: { id: string; domain: string }, final: string): Change {
  return { kind: "domain", id, name: domain, before: {}, after: {}, final };
}

/** @returns undefined if the organization has the domain already */
export async function addDomain(
  tx: Transaction,
  services: Pick<Services, "settings" | "now">,
  domain: Pick<DomainRow, "id" | "organization_id" | "domain">,
  key: typeof dkimKeys.$inferInsert,
): Promise<DomainRow | undefined> {
  const now = services.now();
  const values = {
    ...domain,
    token: randomBytes(CLAIM_TOKEN_BYTES).toString("hex"),
    status: "pending" as const,
    records: [],
    next_check_at: new Date(now.getTime() + FIRST_CHECK_MS),
    created_at: now,
  };
  const [row] = await tx.insert(domains).values(values).onConflictDoNothing().returning(domainColumns);
  if (!row) return;
  await tx.insert(dkimKeys).values(key);
  const records = withKnown(await expectedFor(tx, services, row), []);
  await tx.update(domains).set({ records }).where(eq(domains.id, row.id));
  return { ...row, records };
}

/** @throws ServiceError `insufficient_scope` for a key that reaches only some inboxes */
export function refuseRestricted({ actor }: Ctx<Caller>): void {
  const why = whyNarrow(actor);
  if (why) throw new ServiceError("insufficient_scope", `${why} It cannot manage domains.`);
}

function unreachable(): never {
  throw new Error("unreachable: the claim that conflicts exists");
}

async function findClaim({ actor, db }: Ctx<Caller>, domain: string, within: Pick<Ctx["db"], "select"> = db) {
  const [row] = await within
    .select(domainColumns)
    .from(domains)
    .where(and(eq(domains.organization_id, actor.organizationId), eq(domains.domain, domain)));
  return row;
}

/** @throws ServiceError `domain_taken` if another organization holds it, by a grant of it or of a domain above it */
async function refuseTaken(ctx: Ctx<Caller>, domain: string): Promise<void> {
  const wanted = { organization_id: ctx.actor.organizationId, domain };
  const other = await grantOfAnother(ctx.db, ctx.now(), wanted);
  if (other) throw taken(domain);
}

export function taken(domain: string): ServiceError {
  return new ServiceError("domain_taken", `Another organization holds ${domain} or a domain above it.`);
}

async function refuseMore({ actor }: Ctx<Caller>, db: Pick<Ctx["db"], "select">): Promise<void> {
  const own = eq(domains.organization_id, actor.organizationId);
  const [all] = await db.select({ rows: count() }).from(domains).where(own);
  const [open] = await db
    .select({ rows: count() })
    .from(domains)
    .where(and(own, ne(domains.status, "verified"), sql`not ${domainColumns.granted}`));
  if ((open?.rows ?? 0) >= UNVERIFIED_MAX) {
    throw new ServiceError(
      "too_many_domains",
      `Your organization has ${UNVERIFIED_MAX} domains that are not verified.`,
    );
  }
  if ((all?.rows ?? 0) >= DOMAINS_MAX) {
    throw new ServiceError("too_many_domains", `Your organization has ${DOMAINS_MAX} domains, which is the most.`);
  }
}
