// The ramps of an organization, and of its mailboxes below each registrable domain: many new mailboxes together may send to no more
// strangers than these allow. The counts are of one organization, also at a domain that several share.
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { getDomain } from "tldts";
import type { Database, Transaction } from "#db/client.ts";
import { sendTotals } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { capAt, type Mailbox } from "./ramp.ts";

const DAY_MS = 86_400_000;
/** The day of the rows that the migration wrote, by the exact domains of mailboxes. */
const BEFORE_COUNTING = "1970-01-01";
/** The row of the whole organization. In all orders it is before those of domains. */
const ORGANIZATION = "";

type Owner = Pick<Mailbox, "organization_id" | "domain">;

/** The registrable domain by the Public Suffix List, whose mailboxes share a ramp; a domain without one is its own. */
export function registrable(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain;
}

/**
 * Counts the recipients of one message for its organization and its domain, in the transaction that queues it.
 * @returns undefined; or which cap they do not fit, and a sentence: then the transaction must be undone
 */
export async function takeTotals(
  { settings }: Pick<Services, "settings">,
  tx: Transaction,
  mailbox: Mailbox,
  { day, counted }: { day: string; counted: number },
): Promise<{ cap: "domain" | "organization"; message: string } | undefined> {
  if (counted === 0) return;
  await openDay(tx, mailbox, day);
  const totals = [
    { cap: "organization", domain: ORGANIZATION, ramp: settings.SEND_CAP_RAMP_ORGANIZATION },
    { cap: "domain", domain: registrable(mailbox.domain), ramp: settings.SEND_CAP_RAMP_DOMAIN },
  ] as const;
  for (const { cap, domain, ramp } of totals) {
    const row = and(rowsOf(mailbox, [domain]), eq(sendTotals.day, day));
    const limit = capOn(day, ramp);
    const { count } = await tx
      .update(sendTotals)
      .set({ counted: sql`${sendTotals.counted} + ${counted}::int` })
      .where(and(row, sql`${sendTotals.counted} + ${counted}::int <= ${limit}`));
    if (count > 0) continue;
    const [used] = await tx
      .select({ counted: sendTotals.counted, limit: limit.mapWith(Number) })
      .from(sendTotals)
      .where(row);
    const left = Math.max(0, (used?.limit ?? 0) - (used?.counted ?? 0));
    const whose =
      cap === "domain" ? `the mailboxes at ${domain} together` : "all mailboxes of the organization together";
    const message = `${counted === 1 ? "1 recipient of this message counts" : `${counted} recipients of this message count`} against the daily cap of ${whose}, and ${left} of ${used?.limit ?? 0} such recipients are left today (UTC).`;
    return { cap, message };
  }
}

function rowsOf({ organization_id }: Owner, domains: string[]) {
  return and(eq(sendTotals.organization_id, organization_id), inArray(sendTotals.domain, domains));
}

function capOn(day: string, ramp: number[]) {
  return capAt(ramp, sql`${day}::date - ${sendTotals.since}`);
}

/** Inserts the rows of the day if they are missing. */
async function openDay(tx: Transaction, mailbox: Mailbox, day: string): Promise<void> {
  const domains = [ORGANIZATION, registrable(mailbox.domain)];
  const open = await tx.$count(sendTotals, and(rowsOf(mailbox, domains), eq(sendTotals.day, day)));
  if (open === domains.length) return;
  for (const domain of domains) {
    const since = await readSince(tx, mailbox, domain, day);
    const row = { organization_id: mailbox.organization_id, domain, day, since };
    await tx.insert(sendTotals).values(row).onConflictDoNothing();
  }
}

/** The day of the first send; for mailboxes of before these counts, that of the first mailbox, as the migration wrote it. */
async function readSince(db: Database | Transaction, owner: Owner, domain: string, day: string): Promise<string> {
  const [first] = await db
    .select({ since: sendTotals.since })
    .from(sendTotals)
    .where(rowsOf(owner, [domain]))
    .orderBy(asc(sendTotals.day))
    .limit(1);
  if (first || domain === ORGANIZATION) return first?.since ?? day;
  const isBelow = sql`right(${sendTotals.domain}, ${domain.length + 1}::int) = ${`.${domain}`}`;
  const [below] = await db
    .select({ since: sql<string | null>`min(${sendTotals.since})::text` })
    .from(sendTotals)
    .where(and(eq(sendTotals.organization_id, owner.organization_id), eq(sendTotals.day, BEFORE_COUNTING), isBelow));
  return below?.since ?? day;
}

/** What was counted today, by domain or for the organization (""), and the days since the first send. */
export async function readTotals(db: Database, mailbox: Mailbox, day: string) {
  const domains = [ORGANIZATION, registrable(mailbox.domain)];
  const rows = await db
    .select()
    .from(sendTotals)
    .where(and(rowsOf(mailbox, domains), eq(sendTotals.day, day)));
  const known = await Promise.all(
    domains.map(async (domain) => {
      const row = rows.find((each) => each.domain === domain);
      const since = row?.since ?? (await readSince(db, mailbox, domain, day));
      return { domain, counted: row?.counted ?? 0, days: (Date.parse(day) - Date.parse(since)) / DAY_MS };
    }),
  );
  return (domain: string) => known.find((each) => each.domain === domain) ?? { counted: 0, days: 0 };
}
