// Worker job: deletes agent keys that ended long ago and that nothing shows any more, with their pauses.
import { and, eq, gt, lt, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { anyOf } from "#db/conditions.ts";
import { agentKeys } from "#db/schema/enrollment.ts";
import { messages, trashedMessages } from "#db/schema/mail.ts";
import { appConnections } from "#db/schema/oauth.ts";
import { sendingPauses } from "#db/schema/sending.ts";
import { mailboxLeases } from "#db/schema/verifications.ts";
import type { Ctx, System } from "../base/context.ts";
import { lowestId } from "../base/id-range.ts";
import { daysAgo } from "../base/retention.ts";
import { endPausesOf } from "../pauses/revocations.ts";

const KEYS_PER_STEP = 100;
/** Of a key that was used no longer, its mail is found by the ids of that time. Few keys are used longer: their number is limited. */
const SHORT_LIVED = sql`interval '1 hour'`;

/**
 * Deletes keys of less than an hour that were revoked or have expired, past the retention of activity and of the audit log, whose lines
 * name them. The newest key of an agent stays, because an agent without keys is not listed; so does one that wrote mail, whose author is
 * shown.
 * @returns how many keys it deleted
 */
export async function pruneKeys(ctx: Ctx<System>): Promise<number> {
  const { db, settings } = ctx;
  const before = daysAgo(ctx, Math.max(settings.RETENTION_DAYS_ACTIVITY, settings.RETENTION_DAYS_AUDIT));
  const { id, agent_id, created_at, revoked_at, expires_at } = agentKeys;
  const ended = sql`least(${revoked_at}, ${expires_at})`;
  const newer = alias(agentKeys, "newer");
  const hasNewer = db
    .select({ id: newer.id })
    .from(newer)
    .where(and(eq(newer.agent_id, agent_id), gt(newer.id, id)));
  // UUIDv7 begins with the time. An hour for clocks that differ.
  const lastMail = sql`(lpad(to_hex(((extract(epoch from ${ended}) + 3600) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;
  const isOf = (mails: typeof messages | typeof trashedMessages) =>
    and(
      eq(mails.organization_id, agentKeys.organization_id),
      gt(mails.id, id),
      lt(mails.id, lastMail),
      // Also of the keys below it, whose mail waits for a member because of its pause.
      sql`${id} = any(${mails.sent_by})`,
    );
  const mail = db.select({ id: messages.id }).from(messages).where(isOf(messages));
  const trashed = db.select({ id: trashedMessages.id }).from(trashedMessages).where(isOf(trashedMessages));
  const isUnread = sql`(${ended} - ${created_at} < ${SHORT_LIVED} and not exists ${mail} and not exists ${trashed})`;
  const connected = db.select({ id: appConnections.agent_key_id }).from(appConnections);
  const leasing = db.select({ id: mailboxLeases.agent_key_id }).from(mailboxLeases);
  const toHold = db
    .select({ id: sendingPauses.target_id })
    .from(sendingPauses)
    .where(sql`${sendingPauses.cause} = 'revocation' and ${sendingPauses.held_at} is null`);
  const isReferred = or(sql`${id} in ${connected}`, sql`${id} in ${leasing}`, sql`${id} in ${toHold}`);
  const isOver = and(
    lt(id, lowestId(before)),
    sql`${ended} < ${before.toISOString()}::timestamptz`,
    sql`exists ${hasNewer}`,
    isUnread,
    sql`not ${isReferred}`,
  );
  return db.transaction(async (tx) => {
    const old = await tx.select({ id }).from(agentKeys).where(isOver).orderBy(id).limit(KEYS_PER_STEP);
    if (old.length === 0) return 0;
    const ids = old.map((key) => key.id);
    await tx.delete(agentKeys).where(anyOf(id, ids));
    await endPausesOf(tx, ids);
    return ids.length;
  });
}
