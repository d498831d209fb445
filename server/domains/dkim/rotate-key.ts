// Rotates the DKIM key of a domain: a second key waits until its record is found, then it signs and the first is retired.
import { and, eq, lte } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import type { DomainRecord } from "#db/domain-records.ts";
import { dkimKeys } from "#db/schema/domains.ts";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { newDkimKey } from "./make-key.ts";
import { isPublished, type KeyOwner, keysOf, RETIRED_KEPT_MS } from "./published-keys.ts";

/**
 * Adds the next key, outside a transaction because making it takes time. Does nothing if one waits already.
 * @param organizationId whose domain it is; null: of the operator
 * @throws ServiceError `rate_limited` while the key before the current one must stay published
 */
export async function addNextKey(
  ctx: Pick<Services, "db" | "dkimKeyMaker" | "secrets" | "now">,
  owner: KeyOwner,
  organizationId: string | null,
): Promise<void> {
  const keys = await ctx.db.select().from(dkimKeys).where(keysOf(owner));
  if (keys.some(({ state }) => state === "next")) return;
  const freeAt = (keys.find(({ state }) => state === "retired")?.retired_at?.getTime() ?? 0) + RETIRED_KEPT_MS;
  const seconds = Math.ceil((freeAt - ctx.now().getTime()) / 1_000);
  if (seconds > 0) {
    throw new ServiceError("rate_limited", "The last key must stay published for 7 days after a rotation.", {
      headers: { "Retry-After": String(seconds) },
    });
  }
  const signing = keys.find(({ state }) => state === "signing");
  const selector = signing?.selector === "mb1" ? "mb2" : "mb1";
  const { id: domainId, domain } = owner;
  const key = await newDkimKey(ctx, { domainId, domain, organizationId, selector, state: "next" });
  await ctx.db.transaction(async (tx) => {
    const retired = and(eq(dkimKeys.state, "retired"), lte(dkimKeys.retired_at, new Date(freeAt)));
    await tx.delete(dkimKeys).where(and(keysOf(owner), retired));
    // A concurrent rotation may have added one.
    await tx.insert(dkimKeys).values(key).onConflictDoNothing();
  });
}

/**
 * Signs with the next key from now on, if its record was found.
 * @returns whether the keys changed
 */
export async function promoteNextKey(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  owner: KeyOwner,
  records: DomainRecord[],
): Promise<boolean> {
  const [next] = await tx
    .select()
    .from(dkimKeys)
    .where(and(keysOf(owner), eq(dkimKeys.state, "next")))
    .for("update");
  const read = records.filter(({ readable }) => readable);
  if (!next || !isPublished(next, read)) return false;
  await tx
    .update(dkimKeys)
    .set({ state: "retired", retired_at: now() })
    .where(and(keysOf(owner), eq(dkimKeys.state, "signing")));
  await tx.update(dkimKeys).set({ state: "signing" }).where(eq(dkimKeys.id, next.id));
  return true;
}
