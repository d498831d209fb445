// Lists the DKIM keys of a domain whose records must be in DNS.
import { and, asc, eq, gt, isNull, or, type SQL } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import type { DomainRecord } from "#db/domain-records.ts";
import { dkimKeys } from "#db/schema/domains.ts";
import type { Services } from "../../base/context.ts";
import type { PublishedKey } from "../dns/expected.ts";

/** A retired key stays published for mail that is still in a queue. Receivers retry for 5 days (RFC 5321 §4.5.4.1). */
export const RETIRED_KEPT_MS = 7 * 86_400_000;

/** `id`: of the claim; null for DEFAULT_DOMAIN. */
export type KeyOwner = { id: string | null; domain: string };

export function keysOf({ id, domain }: KeyOwner): SQL | undefined {
  if (id !== null) return eq(dkimKeys.domain_id, id);
  return and(isNull(dkimKeys.domain_id), eq(dkimKeys.domain, domain));
}

/** Whether the last check found the record of the key. */
export function isPublished({ public_key }: Pick<PublishedKey, "public_key">, records: DomainRecord[]): boolean {
  return records.some(({ purpose, status, value }) => {
    return purpose === "dkim" && status === "found" && value.endsWith(`p=${public_key}`);
  });
}

/** Oldest first. */
export async function publishedKeys(
  db: Database | Transaction,
  { now }: Pick<Services, "now">,
  owner: KeyOwner,
): Promise<PublishedKey[]> {
  const { selector, public_key, state, retired_at, created_at } = dkimKeys;
  const isPublished = or(isNull(retired_at), gt(retired_at, new Date(now().getTime() - RETIRED_KEPT_MS)));
  return db
    .select({ selector, public_key, state })
    .from(dkimKeys)
    .where(and(keysOf(owner), isPublished))
    .orderBy(asc(created_at));
}
