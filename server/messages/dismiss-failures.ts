// Dismisses the mail of a mailbox that did not reach everyone, so that the overview does not show it any more.
import { and, eq, inArray, sql } from "drizzle-orm";
import { dismissedFailures, inboxes, messages } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { FIRST_ID } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import { isOwn } from "./columns.ts";
import { noMessage } from "./find.ts";

/**
 * For all members: this message and older ones of its mailbox.
 * @throws ServiceError `message_not_found`, also for a message that reached everyone
 */
export async function dismissFailures(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const { db } = ctx;
  const { id, organization_id, inbox_id, status } = messages;
  const hasFailed = inArray(status, ["failed", "bounced"]);
  const [failed] = await db
    .select({ organization_id, inbox_id, message_id: id })
    .from(messages)
    .innerJoin(inboxes, and(eq(inboxes.id, inbox_id), eq(inboxes.status, "live")))
    .where(and(eq(id, decodeId("msg", wireId) ?? FIRST_ID), isOwn(ctx, messages), hasFailed));
  if (!failed) throw noMessage();
  const newest = sql`greatest(${dismissedFailures.message_id}, excluded.message_id)`;
  await db
    .insert(dismissedFailures)
    .values(failed)
    .onConflictDoUpdate({
      target: [dismissedFailures.organization_id, dismissedFailures.inbox_id],
      set: { message_id: newest },
    });
}
