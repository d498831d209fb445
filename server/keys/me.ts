// GET /v1/auth/me: the calling agent, its key, and what is left of its quota now.
import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { agentKeys, agents, enrollmentKeys, organizations } from "#db/schema/enrollment.ts";
import type { Agent, Ctx } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { submissionOf } from "../organizations/organization.ts";
import { restrictedTo } from "./find.ts";
import { quotaOf } from "./view.ts";

/** The key's own budget, and those of the keys above it. */
const budgets = alias(agentKeys, "budgets");

export async function me(ctx: Ctx<Agent>) {
  const { actor } = ctx;
  const row = await readKey(ctx);
  return {
    agent_id: encodeId("agt", actor.agentId),
    agent_handle: row.handle,
    agent_name: row.name,
    key_id: encodeId("akey", actor.keyId),
    org_id: encodeId("org", actor.organizationId),
    organization: row.organization,
    scopes: [...actor.scopes],
    inboxes: actor.inboxIds ? row.inboxes : null,
    inbox_access: actor.madeBy === null ? ("organization" as const) : ("own" as const),
    allowed_domains: [...actor.allowedDomains],
    quota: { ...quotaOf(row), ...(row.paid_provisioning && { prepaid: row.prepaid }) },
    send_budget: row.send_budget,
    sends_left: row.sends_left,
    submission: submissionOf(ctx.settings),
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

async function readKey({ actor, db }: Ctx<Agent>) {
  const addresses = restrictedTo(db);
  const left = db
    .select({ left: sql`min(${budgets.send_budget} - ${budgets.sent_count})` })
    .from(budgets)
    .where(sql`${budgets.id} = any(${agentKeys.budget_key_ids})`);
  const [row] = await db
    .select({
      handle: agents.handle,
      name: agents.name,
      organization: organizations.name,
      paid_provisioning: organizations.paid_provisioning,
      expires_at: agentKeys.expires_at,
      max_mailboxes: enrollmentKeys.max_mailboxes,
      used_count: enrollmentKeys.used_count,
      prepaid: enrollmentKeys.prepaid,
      send_budget: agentKeys.send_budget,
      sends_left: sql<number | null>`(${left})`,
      inboxes: sql<string[]>`array${addresses}`,
    })
    .from(agentKeys)
    .innerJoin(agents, eq(agents.id, agentKeys.agent_id))
    .innerJoin(enrollmentKeys, eq(enrollmentKeys.id, agents.enrollment_key_id))
    .innerJoin(organizations, eq(organizations.id, agents.organization_id))
    .where(and(eq(agentKeys.id, actor.keyId), eq(agents.organization_id, actor.organizationId)));
  if (!row) throw new Error(`the agent key ${actor.keyId} has gone`);
  return row;
}
