// Worker job: deletes uploads that have expired, and gives back their storage.
import { lte } from "drizzle-orm";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import { attachments } from "#db/schema/content.ts";
import { uploads } from "#db/schema/outbox.ts";
import type { Ctx, System } from "../base/context.ts";
import { freeStorage } from "../inboxes/storage/count.ts";

const BATCH_UPLOADS = 100;

/** Runs one batch. @returns how many had expired */
export async function expireUploads({ db, now }: Ctx<System>): Promise<number> {
  return db.transaction(async (tx) => {
    const { id, organization_id, size, expires_at } = uploads;
    const due = await tx
      .select({ id, organization_id, size })
      .from(uploads)
      .where(lte(expires_at, now()))
      .orderBy(expires_at)
      .limit(BATCH_UPLOADS)
      .for("update", { skipLocked: true });
    if (due.length === 0) return 0;
    const ids = due.map((row) => row.id);
    await tx.delete(uploads).where(anyOf(id, ids));
    await tx.delete(attachments).where(anyOf(attachments.message_id, ids));
    // In one order, so that two processes cannot wait for each other.
    for (const row of due.toSorted((a, b) => a.organization_id.localeCompare(b.organization_id))) {
      await freeStorage(tx, { ...row, inbox_id: EVERY_INBOX });
    }
    return due.length;
  });
}
