// Lists the records that a claimed domain needs now, with its current DKIM keys.
import { and, asc, eq, gt, isNull, or } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { dkimKeys } from "#db/schema/domains.ts";
import type { Services } from "../base/context.ts";
import { RETIRED_KEPT_MS } from "./dkim/rotate-key.ts";
import { type Expected, expectedRecords } from "./dns/expected.ts";
import type { DomainRow } from "./find.ts";

export async function expectedFor(
  db: Database | Transaction,
  { settings, now }: Pick<Services, "settings" | "now">,
  { id, domain, token, provider }: Pick<DomainRow, "id" | "domain" | "token" | "provider">,
): Promise<Expected[]> {
  const { selector, public_key, state, retired_at, created_at } = dkimKeys;
  const published = or(isNull(retired_at), gt(retired_at, new Date(now().getTime() - RETIRED_KEPT_MS)));
  const keys = await db
    .select({ selector, public_key, state })
    .from(dkimKeys)
    .where(and(eq(dkimKeys.domain_id, id), published))
    .orderBy(asc(created_at));
  // A provider has its own records, but only of domains that are verified.
  const records = settings.OUTBOUND === "resend" ? (provider?.records ?? []) : undefined;
  return expectedRecords(settings, { domain, token, keys, provider: records });
}
