// POST /v1/lists/{direction}/{list}: adds an address or a domain to an allow or block list.
import { and, eq } from "drizzle-orm";
import { listEntries } from "#db/schema/lists.ts";
import { inboxes } from "#db/schema/mail.ts";
import { record } from "../../activity/record.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { setByOf } from "../suppressions/set-by.ts";
import { ofInbox } from "../suppressions/suppress.ts";
import { readEntry } from "./entry.ts";
import { type EntryRow, entryColumns } from "./list.ts";
import { requireMembersAgree } from "./of-members.ts";
import { findOwner, type ListName, listCondition, lockLists } from "./owner.ts";

/** Of one organization, in all its lists. */
const ENTRIES_MAX = 200_000;

/**
 * @returns the entry; an existing one is kept as it is, and becomes a member's when a member adds it
 * @throws ServiceError `invalid_request`, `inbox_not_found`, `insufficient_scope`, also for an agent if members decided otherwise, `too_many_list_entries`
 */
export async function addListEntry(
  ctx: Ctx<Caller>,
  input: ListName & { entry: string; reason?: string | undefined },
): Promise<EntryRow> {
  const owner = await findOwner(ctx, input.inbox);
  const entry = readEntry(input.entry);
  const { direction, list } = input;
  if (list === "trusted" && direction === "send") throw invalidField("list", "`trusted` is only for `receive`");
  const { organizationId: organization_id } = ctx.actor;
  const setBy = setByOf(ctx.actor);
  const row = { organization_id, inbox_id: owner.id, direction, list, entry, reason: input.reason ?? null, ...setBy };
  return ctx.db.transaction(async (tx) => {
    await lockLists(tx, ctx);
    const isThis = and(listCondition(ctx, owner, input), eq(listEntries.entry, entry));
    const [known] = await tx.select(entryColumns).from(listEntries).where(isThis);
    if (known && (known.set_by === "member" || setBy.set_by === "agent")) return known;
    if (known) {
      await tx.update(listEntries).set(setBy).where(isThis);
      return { ...known, ...setBy };
    }
    if (setBy.set_by === "agent") await requireMembersAgree(tx, ctx, { owner, named: input, entry });
    if (owner.address !== null) {
      const isLive = and(eq(inboxes.id, owner.id), eq(inboxes.status, "live"));
      // A concurrent deletion of the mailbox waits, and then erases this entry too.
      const [live] = await tx.select({ id: inboxes.id }).from(inboxes).where(isLive).for("share");
      if (!live) throw new ServiceError("inbox_not_found", "The inbox does not exist.");
    }
    const held = await tx.$count(listEntries, eq(listEntries.organization_id, organization_id));
    if (held >= ENTRIES_MAX) {
      throw new ServiceError(
        "too_many_list_entries",
        `Your organization has ${held} list entries, which is the limit.`,
      );
    }
    const [added] = await tx
      .insert(listEntries)
      .values({ ...row, id: newId(), created_at: ctx.now() })
      .returning(entryColumns);
    if (!added) throw new Error("unreachable: the entry was written");
    const values = { ...row, created_at: added.created_at };
    await record(ctx, tx, [{ kind: "list_entry", id: added.id, before: null, after: values }], ofInbox(owner.id));
    return added;
  });
}
