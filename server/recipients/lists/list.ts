// GET /v1/lists/{direction}/{list}: lists the entries of an allow or block list, newest first. For members: those of all lists.
import { and, desc, eq, lt, or, sql } from "drizzle-orm";
import { listEntries } from "#db/schema/lists.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Caller, Ctx, Member } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";
import { readEntry } from "./entry.ts";
import { findOwner, type ListName, listCondition } from "./owner.ts";

const { id, entry, reason, set_by, set_by_key, created_at } = listEntries;
export const entryColumns = { id, entry, reason, set_by, set_by_key, created_at };
export type EntryRow = Pick<typeof listEntries.$inferSelect, keyof typeof entryColumns>;

/** @throws ServiceError `inbox_not_found`, `insufficient_scope`, `invalid_cursor`, `invalid_request` */
export async function listEntriesOf(
  ctx: Ctx<Caller>,
  input: ListName & { entry?: string | undefined; limit: number; cursor?: string | undefined },
) {
  const owner = await findOwner(ctx, input.inbox);
  const wanted = input.entry === undefined ? undefined : readEntry(input.entry);
  const { organizationId } = ctx.actor;
  const name = ["lists", organizationId, owner.id, input.direction, input.list, wanted ?? ""].join(":");
  const before = input.cursor === undefined ? undefined : readCursor(ctx, name, input.cursor);
  const rows: EntryRow[] = await ctx.db
    .select(entryColumns)
    .from(listEntries)
    .where(
      and(
        listCondition(ctx, owner, input),
        wanted === undefined ? undefined : eq(entry, wanted),
        before === undefined ? undefined : lt(id, before),
      ),
    )
    .orderBy(desc(id))
    .limit(input.limit + 1);
  return toPage(ctx, name, rows, input.limit);
}

const { direction, list, organization_id, inbox_id } = listEntries;
export type NamedEntryRow = EntryRow &
  Pick<typeof listEntries.$inferSelect, "direction" | "list"> & { inbox: string | null };

type AllInput = Partial<Pick<ListName, "direction" | "list">> & { contains?: string | undefined } & {
  limit: number;
  cursor?: string | undefined;
};

/**
 * The entries of all lists of the organization and of its mailboxes.
 * @param input.contains a part of the entry or of the mailbox's address
 * @throws ServiceError `invalid_cursor`
 */
export async function listAllEntries(ctx: Ctx<Member>, input: AllInput) {
  const { organizationId } = ctx.actor;
  const part = input.contains?.toLowerCase();
  const name = ["all lists", organizationId, input.direction ?? "", input.list ?? "", part ?? ""].join(":");
  const before = input.cursor === undefined ? undefined : readCursor(ctx, name, input.cursor);
  const rows: NamedEntryRow[] = await ctx.db
    .select({ ...entryColumns, direction, list, inbox: inboxes.address })
    .from(listEntries)
    .leftJoin(inboxes, and(eq(inboxes.id, inbox_id), eq(inboxes.organization_id, organizationId)))
    .where(
      and(
        eq(organization_id, organizationId),
        input.direction && eq(direction, input.direction),
        input.list && eq(list, input.list),
        part === undefined
          ? undefined
          : or(sql`strpos(${entry}, ${part}) > 0`, sql`strpos(${inboxes.address}, ${part}) > 0`),
        before === undefined ? undefined : lt(id, before),
      ),
    )
    .orderBy(desc(id))
    .limit(input.limit + 1);
  return toPage(ctx, name, rows, input.limit);
}
