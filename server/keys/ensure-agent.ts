// Finds the agent with a handle, one for each enrollment key, or makes it.
import { agents } from "#db/schema/enrollment.ts";
import type { Services } from "../base/context.ts";
import { invalidField } from "../base/errors.ts";
import { newId } from "../base/ids.ts";

/** Of the agent that acts for members: one for each enrollment key and all members; the audit log names the member. */
export const MEMBERS_HANDLE = "dashboard";

/**
 * With a key of that agent, a program would reach what members create, whatever the other agents of the enrollment key reach.
 * @throws ServiceError `invalid_request`
 */
export function refuseMembersHandle(handle: string): void {
  if (handle !== MEMBERS_HANDLE) return;
  throw invalidField("agent_handle", `${MEMBERS_HANDLE} stands for what members do; choose another name`);
}

/** @param agent a `name` replaces the one that the agent has */
export async function ensureAgent(
  { db, now }: Services,
  enrollment: { id: string; organization_id: string },
  { handle, name }: { handle: string; name?: string | undefined },
): Promise<typeof agents.$inferSelect> {
  const { id: enrollment_key_id, organization_id } = enrollment;
  const [row] = await db
    .insert(agents)
    .values({ id: newId(), organization_id, enrollment_key_id, handle, name, created_at: now() })
    .onConflictDoUpdate({
      target: [agents.enrollment_key_id, agents.handle],
      // Something must be set for the row to be returned.
      set: name === undefined ? { handle } : { name },
    })
    .returning();
  if (!row) throw new Error("an upsert returned no row");
  return row;
}
