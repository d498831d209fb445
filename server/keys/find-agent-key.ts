// The statement that finds the agent key of a call, with its agent and its enrollment key.
import { eq, sql } from "drizzle-orm";
import type { Database } from "#db/client.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { callerColumns } from "./caller-columns.ts";

/**
 * The statement of `id` and the time `at`. It is built once, because building it costs more than running it
 * (docs/decisions/028).
 */
export function prepareFindAgentKey(db: Database) {
  return db
    .select({
      ...callerColumns(db),
      secret_hash: agentKeys.secret_hash,
      budget_key_ids: agentKeys.budget_key_ids,
      expires_at: agentKeys.expires_at,
    })
    .from(agentKeys)
    .innerJoin(agents, eq(agents.id, agentKeys.agent_id))
    .innerJoin(enrollmentKeys, eq(enrollmentKeys.id, agents.enrollment_key_id))
    .where(eq(agentKeys.id, sql.placeholder("id")))
    .prepare("find_agent_key");
}
