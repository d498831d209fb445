// Stops the mail of revoked keys, in the transaction that revokes them. Their mail that waits is held for a member
// (sending/reviews/hold-revoked.ts).
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf, asInIndex } from "#db/conditions.ts";
import { sendingPauses } from "#db/schema/sending.ts";

/**
 * @param scope what was revoked; the keys below a revoked key stop with it. `isTakenBack`: its mail is cancelled, not held; what is found
 *   later is held when it is due
 */
export async function stopRevoked(
  tx: Transaction,
  { id, organization_id }: { id: string; organization_id: string },
  { scope, at, isTakenBack = false }: { scope: "agent_key" | "enrollment_key"; at: Date; isTakenBack?: boolean },
): Promise<void> {
  const row = {
    target_id: id,
    organization_id,
    scope,
    cause: "revocation" as const,
    created_at: at,
    held_at: isTakenBack ? at : null,
  };
  await tx
    .insert(sendingPauses)
    .values({ ...row, paused_by: "A revocation" })
    .onConflictDoNothing();
}

/** Organizations that one batch serves. */
const ORGANIZATIONS_MAX = 8;
/** Revocations of one organization whose mail is looked for together. */
const TOGETHER_MAX = 500;

/** What was revoked in one organization: the ids of keys. */
export type Revocations = { organizationId: string; targets: string[] };

/**
 * The oldest revocations whose waiting mail was not held yet, of some organizations: chosen at random, so that none waits behind what
 * others have revoked.
 */
export async function nextRevocations(db: Database): Promise<Revocations[]> {
  const { target_id, organization_id, cause, held_at, created_at } = sendingPauses;
  const isWaiting = and(asInIndex(eq(cause, "revocation")), isNull(held_at));
  const waiting = db
    .selectDistinct({ organizationId: organization_id })
    .from(sendingPauses)
    .where(isWaiting)
    .as("waiting");
  const chosen = await db.select().from(waiting).orderBy(sql`random()`).limit(ORGANIZATIONS_MAX);
  return Promise.all(
    chosen.map(async ({ organizationId }) => {
      const rows = await db
        .select({ id: target_id })
        .from(sendingPauses)
        .where(and(isWaiting, eq(organization_id, organizationId)))
        .orderBy(created_at)
        .limit(TOGETHER_MAX);
      return { organizationId, targets: rows.map(({ id }) => id) };
    }),
  );
}

/** Mail that is found later is held when it is due. */
export async function markHeld(db: Database, { targets }: Revocations, at: Date): Promise<void> {
  const isThis = and(anyOf(sendingPauses.target_id, targets), eq(sendingPauses.cause, "revocation"));
  await db.update(sendingPauses).set({ held_at: at }).where(isThis);
}

/** In the transaction that deletes the keys, of which no mail waits. */
export async function endPausesOf(tx: Transaction, keyIds: string[]): Promise<void> {
  await tx.delete(sendingPauses).where(anyOf(sendingPauses.target_id, keyIds));
}
