// PATCH /v1/inboxes/{addr}: changes the display name, and merges metadata.
import { isDeepStrictEqual } from "node:util";
import { and, eq, sql } from "drizzle-orm";
import { inboxes } from "#db/schema/mail.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { findInbox, type InboxRow, inboxColumns } from "../base/tenancy.ts";
import { METADATA_KEYS } from "./schema.ts";

type Patch = {
  addr: string;
  display_name?: string | undefined;
  metadata?: Record<string, string | number | boolean | null> | undefined;
};

/** @throws ServiceError `inbox_not_found`; `invalid_request` if more than METADATA_KEYS keys would remain */
export async function updateInbox(ctx: Ctx<Caller>, patch: Patch): Promise<InboxRow> {
  const { id } = await findInbox(ctx, patch.addr);
  return ctx.db.transaction(async (tx) => {
    // jsonb_strip_nulls deletes the keys that the caller set to null.
    const merged = sql`${inboxes.metadata} || ${JSON.stringify(patch.metadata ?? {})}::text::jsonb`;
    const own = and(eq(inboxes.id, id), eq(inboxes.organization_id, ctx.actor.organizationId));
    const isLive = and(own, eq(inboxes.status, "live"));
    const [before] = await tx.select(inboxColumns).from(inboxes).where(isLive).for("update");
    const [row] = await tx
      .update(inboxes)
      .set({ display_name: patch.display_name, metadata: sql`jsonb_strip_nulls(${merged})` })
      .where(isLive)
      .returning(inboxColumns);
    if (!row || !before) throw new ServiceError("inbox_not_found", "The inbox does not exist.");
    if (Object.keys(row.metadata).length > METADATA_KEYS) {
      throw invalidField("metadata", `at most ${METADATA_KEYS} keys`);
    }
    await record(ctx, tx, [{ kind: "inbox", id, ...changed(before, row) }], { inbox_id: id });
    return row;
  });
}

function changed(from: InboxRow, to: InboxRow) {
  const names = (["display_name", "metadata"] as const).filter((name) => !isDeepStrictEqual(from[name], to[name]));
  const only = (row: InboxRow) => Object.fromEntries(names.map((name) => [name, row[name]]));
  return { before: only(from), after: only(to) };
}
