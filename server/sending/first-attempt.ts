// Decides when a message is transmitted first: after the outgoing delay of its mailbox and of its keys, of which the longest counts.
import { type SQL, sql } from "drizzle-orm";
import { agentKeys } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";

type Sender = {
  inbox_id: SQL | string;
  organization_id: SQL | string;
  /** UUIDs of the key and those above it; null for a member. */
  sent_by: SQL | string[] | null;
};

/**
 * The value of `next_attempt_at` of a message that is queued at `at`. It reads the delays as they are now, so a change applies to the
 * next message.
 */
export function firstAttempt({ inbox_id, organization_id, sent_by }: Sender, at: Date): SQL<Date> {
  const keys = Array.isArray(sent_by) ? sql.param(sent_by) : sent_by;
  return sql`${at.toISOString()}::timestamptz + make_interval(secs => coalesce(greatest(
    (select i.outgoing_delay_seconds from ${inboxes} i where i.id = ${inbox_id} and i.organization_id = ${organization_id}),
    (select max(k.outgoing_delay_seconds) from ${agentKeys} k
      where k.id = any(${keys}::uuid[]) and k.organization_id = ${organization_id})), 0))`;
}
