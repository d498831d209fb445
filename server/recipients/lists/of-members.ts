// Refuses changes of agents that would undo what members put on the lists.
import { and, eq, type SQL } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { listEntries } from "#db/schema/lists.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { type ListName, listCondition, type Owner } from "./owner.ts";
import { readRules } from "./rules.ts";
import { refusalByMembers } from "./verdict.ts";

const FIX = "Ask an admin of your organization to change the list under Lists in the dashboard.";

/** @throws ServiceError `insufficient_scope` if a member added the entry */
export async function requireNotMembers(tx: Transaction, isThis: SQL | undefined): Promise<void> {
  const found = await tx.$count(listEntries, and(isThis, eq(listEntries.set_by, "member")));
  if (found > 0) throw refused("A member added this entry. Only a member removes it.");
}

/**
 * The judgement of a message never lets an agent's entry win (verdict.ts). This tells the agent when it adds the entry.
 * @throws ServiceError `insufficient_scope` if a member added the same entry to the opposite list, or if entries of members
 *   refuse what the entry would allow
 */
export async function requireMembersAgree(
  tx: Transaction,
  ctx: Ctx<Caller>,
  { owner, named, entry }: { owner: Owner; named: ListName; entry: string },
): Promise<void> {
  const opposite = named.list === "block" ? ("allow" as const) : ("block" as const);
  const isOpposite = and(listCondition(ctx, owner, { ...named, list: opposite }), eq(listEntries.entry, entry));
  const contrary = await tx.$count(listEntries, and(isOpposite, eq(listEntries.set_by, "member")));
  if (contrary > 0) throw refused(`A member added ${entry} to the ${opposite} list. Only a member changes that.`);
  if (named.list === "block") return;
  const mailbox = { id: owner.id, organization_id: ctx.actor.organizationId };
  const rules = await readRules(tx, [mailbox], named.direction, [entry]);
  const refusal = refusalByMembers(mailbox, rules, { blocked: [entry], allowed: [entry] });
  if (!refusal) return;
  const why = refusal.rule
    ? `A member added ${refusal.rule.entry} to a block list, which covers ${entry}.`
    : `Members keep an allow list that does not cover ${entry}.`;
  throw refused(`${why} Only a member changes that.`);
}

function refused(message: string): ServiceError {
  return new ServiceError("insufficient_scope", message, { fix: FIX });
}
