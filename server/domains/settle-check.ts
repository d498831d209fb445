// Writes the result of a check: records, the status of the domain, its grant, and the DKIM key that signs.
import { and, eq, ne } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import type { DomainRecord, ProviderDomain } from "#db/domain-records.ts";
import { domains } from "#db/schema/domains.ts";
import type { Services } from "../base/context.ts";
import { encodeId, newId } from "../base/ids.ts";
import type { Recorded } from "../events/event-log.ts";
import type { EventBody } from "../events/schema.ts";
import { endVerifiedGrant, grantVerified, lockGrants } from "../grants/domain-grants.ts";
import { grantOfAnother } from "../grants/granted-domains.ts";
import { foreignLine } from "../system-mail/foreign.ts";
import { dashboardUrl, type EmailNeeds, noticesTo, writeNotices } from "../system-mail/write.ts";
import { promoteNextKey } from "./dkim/rotate-key.ts";
import { withKnown } from "./dns/check.ts";
import { expectedFor } from "./expected-for.ts";
import { type DomainRow, domainColumns } from "./find.ts";
import { nextCheck } from "./next-check.ts";
import { clearFormer, isUsedByFormer } from "./take-over.ts";

// Records that a domain was verified or lost: an event, and a notice to the owners of the organization.
const DOMAIN_MAX_CHARS = 253;
const LOST = "The ownership record was missing for 72 hours.";

/** The last statements of a transaction, because recording an event locks the positions of the organization. */
async function recordChange(
  tx: Transaction,
  services: EmailNeeds & Pick<Services, "eventLog">,
  row: DomainRow,
): Promise<Recorded> {
  const { eventLog, settings, now } = services;
  const { organization_id } = row;
  const isLost = row.status === "lost";
  if (isLost) {
    const to = { organizationId: organization_id, chosen: "domain" as const };
    const isHeldAbove = (await grantOfAnother(tx, now(), row)) !== undefined;
    await writeNotices(tx, services, await noticesTo(tx, services, to, lostEmail(settings, row, isHeldAbove)));
  }
  const named = { id: encodeId("dom", row.id), domain: row.domain };
  const body: EventBody = isLost
    ? { event: "domain.lost", inbox: null, domain: { ...named, status: "lost", reason: LOST } }
    : { event: "domain.verified", inbox: null, domain: { ...named, status: "verified", reason: null } };
  return eventLog.record(
    plainOf(tx),
    [{ id: newId(), organization_id, inbox_id: null, message_id: null, kind: body.event, body: JSON.stringify(body) }],
    now(),
  );
}

/** @param isHeldAbove another organization holds a domain above it, so the record alone does not give it back */
function lostEmail(settings: Services["settings"], row: DomainRow, isHeldAbove: boolean) {
  const { id, organization_id, domain, records } = row;
  const ownership = records.find(({ purpose }) => purpose === "ownership");
  const text = [
    `Your organization on ${settings.PUBLIC_URL} no longer holds the domain ${foreignLine(domain, DOMAIN_MAX_CHARS)}.`,
    LOST,
    "Its mailboxes still receive mail. They send none, and no new mailboxes can be created. Another organization can now verify the domain. Then the mailboxes are deleted.",
    isHeldAbove
      ? "Another organization holds a domain above it. To get the domain back, ask the operator of the service."
      : `To get the domain back, add this TXT record:\n\n${ownership?.name}\n${ownership?.value}`,
    `To see the domain, or to check it: ${dashboardUrl(settings, organization_id, "domains", encodeId("dom", id))}`,
  ];
  return { topic: "domain_lost" as const, text: `${text.join("\n\n")}\n` };
}

/** A domain without its ownership record is lost after this time. */
const LOST_AFTER_MS = 72 * 3_600_000;

type Change = Pick<DomainRow, "status" | "verified_at" | "ownership_missing_since"> & { taken?: boolean };
/** `taken`: the ownership record was found, but another organization holds the domain. */
export type Settled = { row: DomainRow; taken: boolean };

type Checked = { records: DomainRecord[]; provider: ProviderDomain | null };

/**
 * A domain is verified only when former organizations have no mailboxes on it. They are deleted in transactions of their
 * own; a check that could not delete all of them leaves the domain as it is, and the next check continues.
 * @returns undefined if the domain was deleted during the check
 */
export async function settleCheck(ctx: Services, domainId: string, checked: Checked): Promise<Settled | undefined> {
  const ownership = checked.records.find(({ purpose }) => purpose === "ownership");
  if (isProven(ownership)) await clearFormer(ctx, "verification", (tx) => toBeVerified(tx, ctx, domainId));
  const settled = await ctx.db.transaction(async (tx) => {
    // Before the row: concurrent checks of one domain take both locks in one order.
    if (isProven(ownership)) await lockGrants(tx);
    const [stored] = await tx.select(domainColumns).from(domains).where(eq(domains.id, domainId)).for("update");
    if (!stored) return undefined;
    const row = { ...stored, provider: checked.provider };
    const { taken, ...change } = await changeOf(tx, ctx, row, ownership);
    await promoteNextKey(tx, ctx, row, checked.records);
    const records = withKnown(await expectedFor(tx, ctx, row), checked.records);
    const now = ctx.now();
    const to = { ...change, records, provider: row.provider, last_checked_at: now };
    const next_check_at = nextCheck({ ...row, ...to }, now);
    await tx
      .update(domains)
      .set({ ...to, next_check_at })
      .where(eq(domains.id, row.id));
    const after = { ...row, ...to, next_check_at };
    return {
      row: after,
      taken: taken === true,
      recorded: change.status === row.status ? undefined : await recordChange(tx, ctx, after),
    };
  });
  if (settled?.recorded) {
    ctx.eventLog.announce(settled.recorded);
    ctx.signals.raise("outbound");
  }
  return settled;
}

/** Whether this check has read the record. One that it could not read keeps the status of an earlier check. */
function isProven(ownership: DomainRecord | undefined): boolean {
  return ownership?.status === "found" && ownership.readable;
}

/** The domain if it can be verified now. */
async function toBeVerified(tx: Transaction, ctx: Services, domainId: string) {
  const [waiting] = await tx
    .select()
    .from(domains)
    .where(and(eq(domains.id, domainId), ne(domains.status, "verified")));
  if (!waiting) return undefined;
  await lockGrants(tx);
  const other = await grantOfAnother(tx, ctx.now(), waiting);
  return other ? undefined : waiting;
}

async function changeOf(
  tx: Transaction,
  ctx: Services,
  row: DomainRow,
  ownership: DomainRecord | undefined,
): Promise<Change> {
  const { status, verified_at, ownership_missing_since } = row;
  const now = ctx.now();
  if (isProven(ownership)) {
    if (status === "verified") return { status, verified_at, ownership_missing_since: null };
    const outcome = await verify(tx, ctx, row);
    if (outcome === "verified") return { status: outcome, verified_at: now, ownership_missing_since: null };
    return { status, verified_at, ownership_missing_since, taken: outcome === "taken" };
  }
  if (status !== "verified" || !ownership?.readable) return { status, verified_at, ownership_missing_since };
  const since = ownership_missing_since ?? now;
  const isLost = now.getTime() - since.getTime() >= LOST_AFTER_MS;
  if (isLost) await lose(tx, row);
  return { status: isLost ? "lost" : "verified", verified_at, ownership_missing_since: since };
}

/** @returns `taken`: another organization holds the domain or one above it; `in_use`: a mailbox of a former one is left */
async function verify(tx: Transaction, ctx: Services, row: DomainRow): Promise<"verified" | "taken" | "in_use"> {
  const { organization_id, domain } = row;
  if (await grantOfAnother(tx, ctx.now(), row)) return "taken";
  if (await isUsedByFormer(tx, ctx.now(), row)) return "in_use";
  await grantVerified(tx, ctx, { organizationId: organization_id, domain });
  return "verified";
}

async function lose(tx: Transaction, { organization_id, domain }: DomainRow): Promise<void> {
  await endVerifiedGrant(tx, organization_id, domain);
}
