// Refuses sends from a domain whose DNS records are not ready, because receivers would reject the mail.
import { and, desc, eq, ne, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { domains } from "#db/schema/domains.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { isRevoked } from "../grants/granted-domains.ts";
import { notFound, SENDING, sendingOf } from "./view.ts";

/**
 * Domains that the operator granted without a claim, and DEFAULT_DOMAIN, are the operator's to set up. With
 * OUTBOUND=local no mail leaves.
 * @throws ServiceError `domain_not_ready`, which names the first missing record
 */
export async function refuseNotReady(
  { db, settings }: Pick<Services, "settings"> & { db: Database | Transaction },
  { organization_id, domain }: { organization_id: string; domain: string },
): Promise<void> {
  if (settings.OUTBOUND === "local" || domain === settings.DEFAULT_DOMAIN) return;
  if (await isRevoked(db, { organization_id, domain })) {
    throw new ServiceError(
      "domain_not_ready",
      `Your organization no longer holds the domain ${domain}: it was revoked.`,
      {
        fix: "Send from a mailbox on another domain. To use this one again, claim it with POST /v1/domains and verify it, or ask the operator to grant it.",
      },
    );
  }
  const labels = domain.split(".");
  const names = labels.map((_, i) => labels.slice(i).join("."));
  const own = and(eq(domains.organization_id, organization_id), anyOf(domains.domain, names));
  const [row] = await db
    .select({ domain: domains.domain, status: domains.status, records: domains.records, provider: domains.provider })
    .from(domains)
    .where(and(own, ne(domains.status, "pending")))
    .orderBy(desc(sql`length(${domains.domain})`))
    .limit(1);
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
