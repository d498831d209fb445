// DELETE /v1/drafts/{id}: erases a draft and its attachments.
import { and, eq, isNull } from "drizzle-orm";
import { drafts } from "#db/schema/outbox.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { freeStorage } from "../../inboxes/storage.ts";
import { writeFiles } from "./content.ts";
import { findDraft, noDraft } from "./find.ts";

/** @throws ServiceError `draft_not_found`, also if it was sent */
export async function removeDraft(ctx: Ctx<Caller>, wireId: string): Promise<string> {
  const draft = await findDraft(ctx, wireId);
  await ctx.db.transaction(async (tx) => {
    const isUnsent = and(eq(drafts.id, draft.id), isNull(drafts.sent_message_id));
    const [gone] = await tx.delete(drafts).where(isUnsent).returning();
    if (!gone) throw noDraft();
    await writeFiles(tx, gone, [], []);
    await freeStorage(tx, gone);
  });
  return draft.id;
}
