// DELETE /v1/lists/{direction}/{list}: removes an entry from an allow or block list.
import { and, eq } from "drizzle-orm";
import { listEntries } from "#db/schema/lists.ts";
import { record } from "../../activity/record.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { ofInbox } from "../suppressions/suppress.ts";
import { readEntry } from "./entry.ts";
import { requireNotMembers } from "./of-members.ts";
import { findOwner, type ListName, listCondition, lockLists } from "./owner.ts";

/**
 * @returns the entry as it was stored
 * @throws ServiceError `invalid_request`, `inbox_not_found`, `insufficient_scope`, also for an agent if a member added it,
 *   `list_entry_not_found`
 */
export async function removeListEntry(ctx: Ctx<Caller>, input: ListName & { entry: string }): Promise<string> {
  const owner = await findOwner(ctx, input.inbox);
  const entry = readEntry(input.entry);
  const isThis = and(listCondition(ctx, owner, input), eq(listEntries.entry, entry));
  const gone = await ctx.db.transaction(async (tx) => {
    // A member may be making the entry of an agent their own.
    await lockLists(tx, ctx);
    if (ctx.actor.kind === "agent") await requireNotMembers(tx, isThis);
    const rows = await tx.delete(listEntries).where(isThis).returning();
    const changes = rows.map(({ id, ...before }) => ({ kind: "list_entry" as const, id, before, after: null }));
    await record(ctx, tx, changes, ofInbox(owner.id));
    return rows;
  });
  if (gone.length === 0) throw new ServiceError("list_entry_not_found", "The list has no such entry.");
  return entry;
}
