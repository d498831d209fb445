// The send budgets of agent keys: how many recipients a key and the keys below it may send to, exactly.
import { and, isNotNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { agentKeys } from "#db/schema/enrollment.ts";
import type { Caller } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";

/**
 * Counts the recipients of one message against every budget of the caller's key, in the transaction that queues it.
 * @throws ServiceError `send_budget_exceeded` if not all of them fit
 */
export async function takeSendBudget(tx: Transaction, actor: Caller, recipients: string[]): Promise<void> {
  if (actor.kind !== "agent" || actor.budgetKeyIds.length === 0) return;
  const added = new Set(recipients.map((address) => address.toLowerCase())).size;
  const budgets = and(anyOf(agentKeys.id, actor.budgetKeyIds), isNotNull(agentKeys.send_budget));
  // In one order, so that two sends cannot wait for each other.
  const rows = await tx
    .select({ budget: agentKeys.send_budget, sent: agentKeys.sent_count })
    .from(agentKeys)
    .where(budgets)
    .orderBy(agentKeys.id)
    .for("update");
  const left = Math.min(...rows.map(({ budget, sent }) => (budget ?? 0) - sent));
  if (added > left) {
    const message = `This message has ${added} recipients, and ${Math.max(0, left)} are left of this key's send budget.`;
    throw new ServiceError("send_budget_exceeded", message);
  }
  await tx
    .update(agentKeys)
    .set({ sent_count: sql`${agentKeys.sent_count} + ${added}::int` })
    .where(budgets);
}
