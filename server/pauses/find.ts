// Finds the pauses that stop a message: of its organization, its mailbox, the key that wrote it, or a key above that one.
import { eq, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { sendingPauses } from "#db/schema/sending.ts";
import type { Actor, Caller } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";

/** Pauses of an organization that are shown. */
const SHOWN_MAX = 100;

export type PauseRow = typeof sendingPauses.$inferSelect;

/** The keys whose pauses stop what the caller sends; null for a member. */
export function keysOf(actor: Actor): string[] | null {
  return actor.kind === "agent" ? [actor.keyId, ...actor.ancestorIds, actor.enrollmentKeyId] : null;
}

type Stoppable = { organization_id: string; inbox_id: string; sent_by: readonly string[] | null };

/** The targets whose pauses stop a message. */
export function targetsOf({ organization_id, inbox_id, sent_by }: Stoppable): string[] {
  return [organization_id, inbox_id, ...(sent_by ?? [])];
}

/**
 * The condition that a pause stops a message.
 * @param targets the array of `targetsOf`, as SQL
 * @param only the pauses that count
 */
export function isPaused(targets: SQL, only: SQL = sql`true`): SQL {
  return sql`exists (select 1 from ${sendingPauses} p where p.target_id = any(${targets}) and ${only})`;
}

/** The pauses of these targets, the oldest first. */
export function readPauses(db: Database | Transaction, targets: readonly string[]): Promise<PauseRow[]> {
  return db
    .select()
    .from(sendingPauses)
    .where(anyOf(sendingPauses.target_id, targets))
    .orderBy(sendingPauses.created_at, sendingPauses.target_id);
}

const NOUNS = {
  organization: "this organization",
  inbox: "this mailbox",
  agent_key: "this key",
  enrollment_key: "this key",
} as const;

/** One sentence: what is paused, since when, by whom and why. */
export function pauseSentence({ scope, created_at, paused_by, reason }: PauseRow): string {
  const why = reason === null ? "" : ` Reason: ${reason}`;
  return `${paused_by} paused the sending of ${NOUNS[scope]} at ${created_at.toISOString()}.${why}`;
}

/**
 * @returns whether a revocation pauses one of them; what a member approved leaves in spite of it
 * @throws ServiceError `sending_paused`
 */
export async function requireNotPaused(tx: Database | Transaction, targets: readonly string[]): Promise<boolean> {
  const pauses = await readPauses(tx, targets);
  const pause = pauses.find(({ cause }) => cause !== "revocation");
  if (pause) throw new ServiceError("sending_paused", pauseSentence(pause), fixOf(pause));
  return pauses.length > 0;
}

function fixOf({ cause }: PauseRow): { fix: string } {
  return cause === "operator"
    ? { fix: "Ask the operator of this service to resume sending." }
    : { fix: "Ask a member of your organization to resume sending in the dashboard." };
}

/**
 * Refuses a message of the caller, in the transaction that queues it. A process may still accept a key that was revoked in
 * this second.
 * @throws ServiceError `sending_paused`; `unauthorized` if the key was revoked
 */
export async function refuseIfPaused(
  tx: Database | Transaction,
  actor: Caller,
  { id: inbox_id, organization_id }: { id: string; organization_id: string },
): Promise<void> {
  const targets = targetsOf({ organization_id, inbox_id, sent_by: keysOf(actor) });
  if (await requireNotPaused(tx, targets)) throw new ServiceError("unauthorized", "This agent key was revoked.");
}

/** The pauses of an organization that people set, the oldest first. */
export function pausesOf(db: Database, organizationId: string): Promise<PauseRow[]> {
  const isOwn = eq(sendingPauses.organization_id, organizationId);
  return db
    .select()
    .from(sendingPauses)
    .where(sql`${isOwn} and ${sendingPauses.cause} <> 'revocation'`)
    .orderBy(sendingPauses.created_at, sendingPauses.target_id)
    .limit(SHOWN_MAX);
}
