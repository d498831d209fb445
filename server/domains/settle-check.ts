// Writes the result of a check: records, the status of the domain, its grant, and the DKIM key that signs.
import { eq } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import type { DomainRecord, ProviderDomain } from "#db/domain-records.ts";
import { domains } from "#db/schema/domains.ts";
import type { Services } from "../base/context.ts";
import { endVerifiedGrant, grantVerified, lockGrants, overlappingGrant } from "../grants/domain-grants.ts";
import { promoteNextKey } from "./dkim/rotate-key.ts";
import { withKnown } from "./dns/check.ts";
import { expectedFor } from "./expected-for.ts";
import type { DomainRow } from "./find.ts";
import { nextCheck } from "./next-check.ts";
import { recordChange } from "./record-change.ts";

/** A domain without its ownership record is lost after this time. */
const LOST_AFTER_MS = 72 * 3_600_000;

type Change = Pick<DomainRow, "status" | "verified_at" | "ownership_missing_since">;
/** `taken`: the ownership record was found, but another organization holds the domain. */
export type Settled = { row: DomainRow; taken: boolean };

type Checked = { records: DomainRecord[]; provider: ProviderDomain | null };

/** @returns undefined if the domain was deleted during the check */
export async function settleCheck(ctx: Services, domainId: string, checked: Checked): Promise<Settled | undefined> {
  const ownership = checked.records.find(({ purpose }) => purpose === "ownership");
  const settled = await ctx.db.transaction(async (tx) => {
    // Before the row: concurrent checks of one domain take both locks in one order.
    if (ownership?.status === "found") await lockGrants(tx);
    const [stored] = await tx.select().from(domains).where(eq(domains.id, domainId)).for("update");
    if (!stored) return undefined;
    const row = { ...stored, provider: checked.provider };
    const change = await changeOf(tx, ctx, row, ownership);
    await promoteNextKey(tx, ctx, row.id, checked.records);
    const records = withKnown(await expectedFor(tx, ctx, row), checked.records);
    const now = ctx.now();
    const to = { ...change, records, provider: row.provider, last_checked_at: now };
    const next_check_at = nextCheck({ ...row, ...to }, now);
    await tx
      .update(domains)
      .set({ ...to, next_check_at })
      .where(eq(domains.id, row.id));
    const taken = ownership?.status === "found" && change.status !== "verified";
    const after = { ...row, ...to, next_check_at };
    return {
      row: after,
      taken,
      recorded: change.status === row.status ? undefined : await recordChange(tx, ctx, after),
    };
  });
  if (settled?.recorded) {
    ctx.eventLog.announce(settled.recorded);
    ctx.signals.raise("outbound");
  }
  return settled;
}

async function changeOf(
  tx: Transaction,
  ctx: Services,
  row: DomainRow,
  ownership: DomainRecord | undefined,
): Promise<Change> {
  const { status, verified_at, ownership_missing_since } = row;
  const now = ctx.now();
  if (ownership?.status === "found") {
    const isFree = status === "verified" || (await verify(tx, ctx, row));
    if (!isFree) return { status, verified_at, ownership_missing_since };
    return {
      status: "verified",
      verified_at: status === "verified" ? verified_at : now,
      ownership_missing_since: null,
    };
  }
  if (status !== "verified" || !ownership?.readable) return { status, verified_at, ownership_missing_since };
  const since = ownership_missing_since ?? now;
  const isLost = now.getTime() - since.getTime() >= LOST_AFTER_MS;
  if (isLost) await lose(tx, row);
  return { status: isLost ? "lost" : "verified", verified_at, ownership_missing_since: since };
}

/** @returns false if another organization holds the domain, a parent or a subdomain of it */
async function verify(tx: Transaction, ctx: Services, { organization_id, domain }: DomainRow): Promise<boolean> {
  if (await overlappingGrant(tx, ctx.now(), organization_id, [domain])) return false;
  await grantVerified(tx, ctx, { organizationId: organization_id, domain });
  return true;
}

async function lose(tx: Transaction, { organization_id, domain }: DomainRow): Promise<void> {
  await endVerifiedGrant(tx, organization_id, domain);
}
