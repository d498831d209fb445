// Counts the work that waits for a member: approvals, domains that were never set up, and the problems of each kind.
import { and, desc, eq } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { domains } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";
import { reviews } from "#db/schema/reviews.ts";
import type { Ctx, Member } from "../base/context.ts";
import { readProblems } from "./problems.ts";
import { readUsableKeys } from "./quotas.ts";
import type { Need, Problem } from "./sending-problems.ts";

/** Messages that wait, and domains, that are counted. */
const COUNTED_MAX = 1_000;

export async function readNeeds(ctx: Ctx<Member>): Promise<Need[]> {
  return needsOf(ctx, await readProblems(ctx, await readUsableKeys(ctx)));
}

/**
 * Approvals first, because they expire, then the most severe.
 * @param problems the most severe first
 */
export async function needsOf(ctx: Ctx<Member>, problems: Problem[]): Promise<Need[]> {
  const [approvals, pending] = await Promise.all([waitingApprovals(ctx), pendingDomains(ctx)]);
  const kinds = Map.groupBy(problems, ({ where }) => where.kind);
  const ofProblems = [...kinds].map(([kind, found]) => ({
    kind,
    severity: found[0]?.severity ?? ("warning" as const),
    count: found.length,
    oldest_at: null,
    expires_at: null,
  }));
  return [...approvals, ...ofProblems, ...pending];
}

async function waitingApprovals({ db, actor }: Ctx<Member>): Promise<Need[]> {
  const { organization_id, status, message_id, created_at, expires_at } = reviews;
  const waiting = await db
    .select({ created_at, expires_at })
    .from(reviews)
    .innerJoin(inboxes, and(eq(inboxes.id, reviews.inbox_id), eq(inboxes.status, "live")))
    .where(and(eq(organization_id, actor.organizationId), asInIndex(eq(status, "pending"))))
    .orderBy(desc(message_id))
    .limit(COUNTED_MAX);
  return needOf("approval", waiting);
}

/** Domains that were added and never verified. */
async function pendingDomains({ db, actor }: Ctx<Member>): Promise<Need[]> {
  const { organization_id, status, id, created_at } = domains;
  const pending = await db
    .select({ created_at })
    .from(domains)
    .where(and(eq(organization_id, actor.organizationId), eq(status, "pending")))
    .orderBy(desc(id))
    .limit(COUNTED_MAX);
  return needOf("pending_domain", pending);
}

function needOf(kind: Need["kind"], waiting: { created_at: Date; expires_at?: Date }[]): Need[] {
  if (waiting.length === 0) return [];
  const oldest = Math.min(...waiting.map(({ created_at }) => created_at.getTime()));
  const ends = waiting.flatMap(({ expires_at }) => expires_at?.getTime() ?? []);
  const expires_at = ends.length > 0 ? new Date(Math.min(...ends)).toISOString() : null;
  const oldest_at = new Date(oldest).toISOString();
  return [{ kind, severity: "warning", count: waiting.length, oldest_at, expires_at }];
}
