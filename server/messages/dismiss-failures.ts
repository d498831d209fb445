// Which mail did not reach everyone, and dismisses it, so that the overview does not show it any more.
import { and, eq, gte, inArray, lte, notExists, type SQL, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { dismissedFailures, inboxes, messageRecipients, messages } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { FIRST_ID, lowestId } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import { isOwn } from "./columns.ts";
import { noMessage } from "./find.ts";

const DAY_MS = 86_400_000;
/** Mail is retried for two days, so mail that failed within the last day is at most that old. */
const FAILED_SINCE_DAYS = 3;

const hasFailed = inArray(messages.status, ["failed", "bounced"]);

/** The recipients of a message of the outer query whom it did not reach. */
function unreached({ db }: Pick<Ctx<Member>, "db">): SQL<number[]> {
  const { message_id, index, status } = messageRecipients;
  const isUnreached = and(eq(message_id, messages.id), inArray(status, ["failed", "bounced"]));
  return sql`array(${db.select({ index }).from(messageRecipients).where(isUnreached)})`;
}

/**
 * Mail of the organization that was created within the last 3 days and failed, of live and deleted mailboxes. Not what a member dismissed, unless it failed for another
 * recipient since.
 */
export function isFailure(ctx: Ctx<Member>): SQL | undefined {
  const { db, actor, now } = ctx;
  const since = new Date(now().getTime() - FAILED_SINCE_DAYS * DAY_MS);
  const { message_id, organization_id, recipients } = dismissedFailures;
  const isDismissed = and(
    eq(organization_id, actor.organizationId),
    eq(message_id, messages.id),
    sql`${recipients} @> ${unreached(ctx)}`,
  );
  return and(
    eq(messages.organization_id, actor.organizationId),
    asInIndex(hasFailed),
    gte(messages.id, lowestId(since)),
    gte(messages.created_at, since),
    notExists(db.select({ message_id }).from(dismissedFailures).where(isDismissed)),
  );
}

/**
 * For all members: this message and the older failures of its mailbox. What fails later is shown, also if it was sent before this message,
 * as long as `isFailure` has it: mail that was created within the last 3 days.
 * @throws ServiceError `message_not_found`, also for a message that reached everyone
 */
export async function dismissFailures(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const { db } = ctx;
  const { id, organization_id, inbox_id } = messages;
  const [failed] = await db
    .select({ id, inbox_id })
    .from(messages)
    .innerJoin(inboxes, and(eq(inboxes.id, inbox_id), eq(inboxes.status, "live")))
    .where(and(eq(id, decodeId("msg", wireId) ?? FIRST_ID), isOwn(ctx, messages), hasFailed));
  if (!failed) throw noMessage();
  const shown = db
    .select({ message_id: id, organization_id, recipients: unreached(ctx).as("recipients") })
    .from(messages)
    .where(and(isFailure(ctx), eq(inbox_id, failed.inbox_id), lte(id, failed.id)))
    // In the order in which other statements lock messages. An erasure that runs now ends first, or erases the row too.
    .orderBy(id)
    .for("key share");
  await db
    .insert(dismissedFailures)
    .select(shown)
    .onConflictDoUpdate({ target: dismissedFailures.message_id, set: { recipients: sql`excluded.recipients` } });
}
