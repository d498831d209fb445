// GET /v1/suppressions: lists suppressed addresses, newest first.
import { and, desc, eq, lt, sql } from "drizzle-orm";
import { inboxes, suppressions } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";
import { ServiceError } from "../../base/errors.ts";
import { whyNarrow } from "../../base/tenancy.ts";

export type SuppressionRow = Pick<
  typeof suppressions.$inferSelect,
  "id" | "address" | "reason" | "message_id" | "set_by" | "set_by_key" | "created_at"
> & { inbox: string | null };

/** The list covers all mailboxes, so a key that reaches only some may neither read nor change it. */
export function requireEveryInbox({ actor }: Ctx<Caller>): void {
  const why = whyNarrow(actor);
  if (!why) return;
  throw new ServiceError(
    "insufficient_scope",
    `${why} Suppressions apply to all inboxes. Use a key that reaches all of them.`,
  );
}

/** @throws ServiceError `insufficient_scope`, `invalid_cursor` */
export async function listSuppressions(
  ctx: Ctx<Caller>,
  input: { address?: string | undefined; contains?: string | undefined; limit: number; cursor?: string | undefined },
) {
  requireEveryInbox(ctx);
  const { organizationId } = ctx.actor;
  const wanted = input.address?.toLowerCase();
  const part = input.contains?.toLowerCase();
  const list = ["suppressions", organizationId, wanted ?? "", ...(part === undefined ? [] : [part])].join(":");
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const { id, address, reason, message_id, set_by, set_by_key, created_at } = suppressions;
  const rows: SuppressionRow[] = await ctx.db
    .select({ id, address, reason, message_id, set_by, set_by_key, created_at, inbox: inboxes.address })
    .from(suppressions)
    .leftJoin(inboxes, and(eq(inboxes.id, suppressions.inbox_id), eq(inboxes.organization_id, organizationId)))
    .where(
      and(
        eq(suppressions.organization_id, organizationId),
        wanted === undefined ? undefined : eq(address, wanted),
        part === undefined ? undefined : sql`strpos(${address}, ${part}) > 0`,
        before === undefined ? undefined : lt(id, before),
      ),
    )
    .orderBy(desc(id))
    .limit(input.limit + 1);
  return toPage(ctx, list, rows, input.limit);
}
