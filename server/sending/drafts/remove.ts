// DELETE /v1/drafts/{id}: deletes a draft and its attachments. What an agent deleted stays as a version.
import { and, eq, isNull } from "drizzle-orm";
import { drafts } from "#db/schema/outbox.ts";
import { record } from "../../activity/record.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { freeStorage } from "../../inboxes/storage/count.ts";
import { writeFiles } from "./content.ts";
import { findDraft, noDraft } from "./find.ts";
import { keepVersion } from "./versions.ts";

/** @throws ServiceError `draft_not_found`, also if it was sent */
export async function removeDraft(ctx: Ctx<Caller>, wireId: string): Promise<string> {
  const draft = await findDraft(ctx, wireId);
  await ctx.db.transaction(async (tx) => {
    const isUnsent = and(eq(drafts.id, draft.id), isNull(drafts.sent_message_id));
    const [gone] = await tx.delete(drafts).where(isUnsent).returning();
    if (!gone) throw noDraft();
    await freeStorage(tx, gone);
    const kept = await keepVersion(ctx, tx, gone, { withFiles: true });
    await writeFiles(tx, gone, [], []);
    await record(
      ctx,
      tx,
      [{ kind: "draft", id: gone.id, before: { revision: gone.revision, sent: null }, after: null, ...kept }],
      { inbox_id: gone.inbox_id },
    );
  });
  return draft.id;
}
