// Agents: one for each handle of an enrollment key.
import { agents } from "#db/schema/enrollment.ts";
import type { Services } from "../base/context.ts";
import { newId } from "../base/ids.ts";

/** The agent of that handle, made when there is none; a `name` given anew is taken over. Returns its UUID. */
export async function ensureAgent(
  ctx: Services,
  enrollment: { id: string; organization_id: string },
  agent: { handle: string; name?: string | undefined },
): Promise<string> {
  const [row] = await ctx.db
    .insert(agents)
    .values({
      id: newId(),
      organization_id: enrollment.organization_id,
      enrollment_key_id: enrollment.id,
      handle: agent.handle,
      name: agent.name,
      created_at: ctx.now(),
    })
    .onConflictDoUpdate({
      target: [agents.enrollment_key_id, agents.handle],
      // Something must be set for the row to be returned.
      set: agent.name === undefined ? { handle: agent.handle } : { name: agent.name },
    })
    .returning({ id: agents.id });
  return (row as { id: string }).id;
}
