// Decides which addresses receive their mail here. Such an address cannot have an account, and gets no invitations and
// password resets.
import { and, eq, exists, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { domainGrants } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import { readAddress } from "../base/addresses.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { isGrantInEffect } from "./granted-domains.ts";

/**
 * Creating mailboxes holds this lock shared (quota.ts); a transaction that gives an address to a person holds it
 * exclusively. So one of them sees what the other committed. A number that no other advisory lock of the service has:
 * "addr" in ASCII.
 */
export const ADDRESS_LOCK = 0x61_64_64_72;

/** Waits for running creates of mailboxes, and blocks new ones until the transaction ends. */
export async function lockAddresses(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADDRESS_LOCK})`);
}

/**
 * Whether this service receives mail for the address: its domain is DEFAULT_DOMAIN, granted, or has had a mailbox here.
 */
export async function isHosted(
  db: Database,
  { settings, now }: Pick<Services, "settings" | "now">,
  address: string,
): Promise<boolean> {
  const domain = readAddress(address)?.domain;
  // Not a plain address, so no mailbox of this service.
  if (domain === undefined) return false;
  if (domain === settings.DEFAULT_DOMAIN) return true;
  const used = db.select({ id: inboxes.id }).from(inboxes).where(eq(inboxes.domain, domain));
  const isBelow = sql`${domain}::text like '%.' || ${domainGrants.domain}`;
  const granted = db
    .select({ id: domainGrants.id })
    .from(domainGrants)
    .where(and(isGrantInEffect(now()), or(eq(domainGrants.domain, domain), isBelow)));
  const [row] = await db.execute<{ hosted: boolean }>(sql`select ${exists(used)} or ${exists(granted)} as hosted`);
  return row?.hosted === true;
}

/** @throws ServiceError `hosted_address` if this service receives mail for the address */
export async function refuseHosted(
  db: Database,
  services: Pick<Services, "settings" | "now">,
  email: string,
): Promise<void> {
  if (!(await isHosted(db, services, email))) return;
  throw new ServiceError(
    "hosted_address",
    `${email} is an address of this service. Its mailbox could take over an account.`,
  );
}
