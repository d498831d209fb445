// Stops the mail of revoked keys, in the transaction that revokes them. Their mail that waits is held for a member
// (sending/reviews/hold-revoked.ts).
import { and, eq, isNull } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { asInIndex } from "#db/conditions.ts";
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

export type Revocation = typeof sendingPauses.$inferSelect;

/** The oldest revocation whose waiting mail was not held yet. */
export async function nextRevocation(db: Database): Promise<Revocation | undefined> {
  const { cause, held_at, created_at } = sendingPauses;
  const [row] = await db
    .select()
    .from(sendingPauses)
    .where(and(asInIndex(eq(cause, "revocation")), isNull(held_at)))
    .orderBy(created_at)
    .limit(1);
  return row;
}

/** Mail that is found later is held when it is due. */
export async function markHeld(db: Database, { target_id }: Revocation, at: Date): Promise<void> {
  const isThis = and(eq(sendingPauses.target_id, target_id), eq(sendingPauses.cause, "revocation"));
  await db.update(sendingPauses).set({ held_at: at }).where(isThis);
}
