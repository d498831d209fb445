// Refuses sends from a domain whose DNS records are not ready, because receivers would reject the mail.
import { and, desc, eq, ne, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { domains } from "#db/schema/domains.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { closestGrant, isRevoked, namesFrom } from "../grants/granted-domains.ts";
import { notFound, SENDING, sendingOf } from "./view.ts";

type Needs = Pick<Services, "settings" | "now"> & { db: Database | Transaction };
type Mailbox = { organization_id: string; domain: string };

function isAlwaysReady({ OUTBOUND, DEFAULT_DOMAIN }: Services["settings"], domain: string): boolean {
  return OUTBOUND === "local" || domain === DEFAULT_DOMAIN;
}

/**
 * The claim of the domain or of one above it; undefined if none was ever verified. One that was lost does not count while a
 * grant of the operator, or another claim, gives the organization the domain.
 */
async function closestClaim({ db, now }: Needs, mailbox: Mailbox) {
  const { organization_id, domain } = mailbox;
  const own = and(eq(domains.organization_id, organization_id), anyOf(domains.domain, namesFrom(domain)));
  const rows = await db
    .select({ domain: domains.domain, status: domains.status, records: domains.records, provider: domains.provider })
    .from(domains)
    .where(and(own, ne(domains.status, "pending")))
    .orderBy(desc(sql`length(${domains.domain})`));
  const [row] = rows;
  if (row?.status !== "lost") return row;
  if ((await closestGrant(db, now(), domain))?.organization_id !== organization_id) return row;
  return rows.find(({ status }) => status !== "lost");
}

/** Whether an organization no longer holds the domain of a mailbox: it was lost or revoked. Then queued mail does not leave. */
export async function isGivenUp(needs: Needs, mailbox: Mailbox): Promise<boolean> {
  if (isAlwaysReady(needs.settings, mailbox.domain)) return false;
  return (await isRevoked(needs.db, needs.now(), mailbox)) || (await closestClaim(needs, mailbox))?.status === "lost";
}

/**
 * Domains that the operator granted without a claim, and DEFAULT_DOMAIN, are the operator's to set up. With
 * OUTBOUND=local no mail leaves.
 * @throws ServiceError `domain_not_ready`, which names the first missing record
 */
export async function refuseNotReady(needs: Needs, mailbox: Mailbox): Promise<void> {
  const { domain } = mailbox;
  if (isAlwaysReady(needs.settings, domain)) return;
  if (await isRevoked(needs.db, needs.now(), mailbox)) {
    throw new ServiceError(
      "domain_not_ready",
      `Your organization no longer holds the domain ${domain}: it was revoked, or another organization holds it now.`,
      {
        fix: "Send from a mailbox on another domain. To use this one again, claim it with POST /v1/domains and verify it, or ask the operator to grant it.",
      },
    );
  }
  const row = await closestClaim(needs, mailbox);
  if (!row) return;
  const [first] = notFound(row.records, row.status === "lost" ? ["ownership"] : SENDING);
  const sending = sendingOf(row);
  if (row.status === "verified" && sending.status === "ready") return;
  const what = row.status === "lost" ? "lost" : "not ready to send";
  const record = first
    ? ` The ${first.type} record ${first.name} is ${first.status === "missing" ? "missing" : "wrong"}.`
    : row.status === "lost"
      ? ""
      : ` ${sending.reason}`;
  const after = `then call POST /v1/domains/${row.domain}/verify.`;
  throw new ServiceError("domain_not_ready", `The domain ${row.domain} is ${what}.${record}`, {
    fix: first?.fix ? `${first.fix.replace(/\.$/, "")}, ${after}` : `Wait for its status, ${after}`,
  });
}
