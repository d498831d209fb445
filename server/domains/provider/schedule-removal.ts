// Schedules the removal of a deleted domain at the mail provider, in the transaction that deletes it.
import type { Transaction } from "#db/client.ts";
import { type domains, providerRemovals } from "#db/schema/domains.ts";
import type { Services } from "../../base/context.ts";
import { newId } from "../../base/ids.ts";

type Deleted = Pick<typeof domains.$inferSelect, "domain" | "provider">;

/** Does nothing if the provider never had the domain. After the commit, raise the signal `identities`. */
export async function scheduleRemoval(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  { domain, provider }: Deleted,
): Promise<void> {
  if (!provider?.ref) return;
  const at = now();
  await tx
    .insert(providerRemovals)
    .values({ id: newId(), domain, ref: provider.ref, next_attempt_at: at, created_at: at });
}
