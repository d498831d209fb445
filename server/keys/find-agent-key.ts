// The statement that finds the agent key of a call, with its agent and its enrollment key.
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { callerColumns } from "./caller-columns.ts";

/**
 * The statement of `id` and the time `at`. It is built once, because building it costs more than running it
 * (docs/decisions/028).
 */
export function prepareFindAgentKey(db: Database) {
  return (
    db
      .select({
        ...callerColumns(db),
        secret_hash: agentKeys.secret_hash,
        budget_key_ids: agentKeys.budget_key_ids,
        expires_at: agentKeys.expires_at,
      })
      .from(agentKeys)
      // All three are of one organization, whatever a row refers to.
      .innerJoin(agents, and(eq(agents.id, agentKeys.agent_id), eq(agents.organization_id, agentKeys.organization_id)))
      .innerJoin(
        enrollmentKeys,
        and(
          eq(enrollmentKeys.id, agents.enrollment_key_id),
          eq(enrollmentKeys.organization_id, agents.organization_id),
        ),
      )
      .where(eq(agentKeys.id, sql.placeholder("id")))
      .prepare("find_agent_key")
  );
}
