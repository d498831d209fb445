// Problems of sending: domains that lost a record, and mailboxes that are paused.
import { and, desc, eq, isNotNull, or, sql } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";
import { sendingStates } from "#db/schema/sending.ts";
import type { Ctx, Member } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { sendingOf } from "../domains/view.ts";
import { pauseReason } from "../recipients/limits/sending-pause.ts";

// One problem on the overview.
export type Problem = {
  severity: "critical" | "warning";
  /** The problem as a sentence. */
  text: string;
  fix: string;
  /** When it started, if known. */
  since: string | null;
  where:
    | { kind: "key"; id: string }
    | { kind: "webhook"; id: string }
    | { kind: "message"; id: string; inbox: string; thread_id: string }
    | { kind: "storage"; id: string }
    | { kind: "domain"; id: string }
    /** `id`: the address. */
    | { kind: "inbox"; id: string };
};

/** Work that waits for a member, one for each kind. */
export type Need = {
  kind: Problem["where"]["kind"] | "approval" | "pending_domain";
  severity: Problem["severity"];
  count: number;
  /** When the oldest began to wait, and when the first expires. Of problems: null. */
  oldest_at: string | null;
  expires_at: string | null;
};

const DOMAINS_MAX = 100;
const PAUSED_MAX = 50;

const columns = {
  id: domains.id,
  domain: domains.domain,
  status: domains.status,
  records: domains.records,
  provider: domains.provider,
  ownership_missing_since: domains.ownership_missing_since,
};
type Row = Pick<typeof domains.$inferSelect, keyof typeof columns>;

function domainProblem(row: Row): Problem[] {
  const where = { kind: "domain" as const, id: encodeId("dom", row.id) };
  const since = row.ownership_missing_since?.toISOString() ?? null;
  const fix = "Open the domain, add the record that it shows, and check it again.";
  if (row.status === "lost") {
    const text = `The domain ${row.domain} is lost: its ownership record was missing for 72 hours. It sends no mail.`;
    return [{ severity: "critical", text, fix, since, where }];
  }
  if (since !== null) {
    const text = `The ownership record of ${row.domain} is missing. After 72 hours the domain is lost.`;
    return [{ severity: "critical", text, fix, since, where }];
  }
  const { status, reason } = sendingOf(row);
  if (status !== "failing") return [];
  const text = `The domain ${row.domain} sends no mail: ${reason ?? "a record is wrong."}`;
  return [{ severity: "critical", text, fix, since, where }];
}

/** Domains that were ready before. One that was never set up is no problem: it may only receive mail. */
export async function domainProblems({ db, actor }: Ctx<Member>): Promise<Problem[]> {
  const lacksRecord = sql`jsonb_path_exists(${domains.records}, '$[*] ? (@.status != "found")')`;
  const failsAtProvider = sql`${domains.provider}->>'status' = 'failed'`;
  const missing = isNotNull(domains.ownership_missing_since);
  const isBroken = or(missing, lacksRecord, failsAtProvider);
  const verified = and(eq(domains.status, "verified"), isBroken);
  const rows = await db
    .select(columns)
    .from(domains)
    .where(and(eq(domains.organization_id, actor.organizationId), or(eq(domains.status, "lost"), verified)))
    .orderBy(desc(domains.id))
    .limit(DOMAINS_MAX);
  return rows.flatMap(domainProblem);
}

export async function pausedProblems({ db, actor }: Ctx<Member>): Promise<Problem[]> {
  const { inbox_id, organization_id, paused_at } = sendingStates;
  const rows = await db
    .select({
      address: inboxes.address,
      since: paused_at,
      recipients: sendingStates.paused_recipients,
      bounced: sendingStates.paused_bounced,
      complained: sendingStates.paused_complained,
    })
    .from(sendingStates)
    .innerJoin(inboxes, and(eq(inboxes.id, inbox_id), eq(inboxes.status, "live")))
    .where(and(eq(organization_id, actor.organizationId), isNotNull(paused_at)))
    .orderBy(desc(paused_at))
    .limit(PAUSED_MAX);
  return rows.map(({ address, since, ...figures }) => ({
    severity: "critical",
    text: `Sending from ${address} is paused. ${pauseReason(figures)}`,
    fix: "Stop mail to addresses that bounce or complain. Then resume sending on the page of the inbox.",
    since: since?.toISOString() ?? null,
    where: { kind: "inbox", id: address },
  }));
}
