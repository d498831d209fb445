// Lists the records that a claimed domain needs now, with its current DKIM keys.
import type { Database, Transaction } from "#db/client.ts";
import type { Services } from "../base/context.ts";
import { publishedKeys } from "./dkim/published-keys.ts";
import { type Expected, expectedRecords } from "./dns/expected.ts";
import type { DomainRow } from "./find.ts";

export async function expectedFor(
  db: Database | Transaction,
  services: Pick<Services, "settings" | "now">,
  { id, domain, token, provider }: Pick<DomainRow, "id" | "domain" | "token" | "provider">,
): Promise<Expected[]> {
  const { settings } = services;
  const keys = await publishedKeys(db, services, { id, domain });
  // A provider has its own records, but only of domains that are verified.
  const records = settings.OUTBOUND === "resend" ? (provider?.records ?? []) : undefined;
  return expectedRecords(settings, { domain, token, keys, provider: records });
}
