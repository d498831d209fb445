// The columns that show a message, all except the search index, and the statements that read them. Each statement is built
// once, because building one with so many columns costs more than running it (docs/decisions/028).
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "#db/client.ts";
import { inboxes, messageRecipients, messages } from "#db/schema/mail.ts";
import { expectedReplies, scheduledSends } from "#db/schema/outbox.ts";
import { isReached, type Selection } from "../base/tenancy.ts";

declare module "../base/context.ts" {
  interface Services {
    messageStatements: ReturnType<typeof prepareMessageStatements>;
  }
}

const {
  search: _search,
  duplicate_key: _duplicate,
  idempotency_key: _key,
  idempotency_hash: _hash,
  parse_faults: _faults,
  list_unsubscribe: _unsubscribe,
  ...shown
} = getTableColumns(messages);

/** A message with the address of its mailbox. */
export type MessageRow = Pick<typeof messages.$inferSelect, keyof typeof shown> & {
  inbox: (typeof inboxes.$inferSelect)["address"];
  recipients: RecipientRow[] | null;
  /** When an outbound message is, or was, to leave. Null: immediately. */
  send_at: Date | null;
  /** Until when a reply is, or was, expected. Null: none is. */
  reply_by: Date | null;
};

/** A recipient of an outbound message, as JSON. */
export type RecipientRow = Pick<
  typeof messageRecipients.$inferSelect,
  "address" | "status" | "smtp_code" | "enhanced_code" | "reason"
> & { at: string | null };

const { message_id, index, address, status, smtp_code, enhanced_code, reason, at } = messageRecipients;
/** The recipients of an outbound message; null for inbound ones. For statements that name their tables. */
export const recipientsColumn = sql<RecipientRow[] | null>`case when ${messages.direction} = 'outbound' then (
  select json_agg(json_build_object('address', ${address}, 'status', ${status}, 'smtp_code', ${smtp_code},
    'enhanced_code', ${enhanced_code}, 'reason', ${reason}, 'at', ${at}) order by ${index})
  from ${messageRecipients} where ${message_id} = ${messages.id}) end`;

/** The chosen time of an outbound message, or the end of the outgoing delay that it waits for. */
export const sendAtColumn = sql<Date | null>`case when ${messages.direction} = 'outbound' then (
  coalesce((select ${scheduledSends.send_at} from ${scheduledSends} where ${scheduledSends.message_id} = ${messages.id}),
    case when ${messages.status} = 'queued' and ${messages.attempts} = 0 and ${messages.next_attempt_at} > ${messages.created_at}
      then ${messages.next_attempt_at} end)) end`;

/** Until when a reply to an outbound message is, or was, expected. */
const replyByColumn = sql<Date | null>`case when ${messages.direction} = 'outbound' then (
  select ${expectedReplies.reply_by} from ${expectedReplies} where ${expectedReplies.message_id} = ${messages.id}) end`;

export function prepareMessageStatements(db: Database) {
  const ids = sql`${sql.placeholder("ids")}::uuid[]`;
  const organizationIds = sql`${sql.placeholder("organizationIds")}::uuid[]`;
  const madeBy = sql`${sql.placeholder("madeBy")}::uuid`;
  const inboxIds = sql`${sql.placeholder("inboxIds")}::uuid[]`;
  const outbound = {
    recipients: recipientsColumn,
    send_at: sendAtColumn.mapWith(scheduledSends.send_at),
    reply_by: replyByColumn.mapWith(expectedReplies.reply_by),
  };
  const whole = () => db.select({ ...shown, inbox: inboxes.address, ...outbound }).from(messages);
  const ofInbox = eq(inboxes.id, messages.inbox_id);
  const ofLiveInbox = and(ofInbox, eq(inboxes.status, "live"));
  const named = sql`${messages.id} = any(${ids})`;
  const pairs = sql`unnest(${ids}, ${organizationIds}) as w(id, organization_id)`;
  const isPair = sql`${messages.id} = w.id and ${messages.organization_id} = w.organization_id`;
  return {
    /** The message `id` of an organization, in a live inbox, in one of `inboxIds` and created by the agent `madeBy`, unless these are null. */
    one: whole()
      .innerJoin(inboxes, ofLiveInbox)
      .where(
        and(
          eq(messages.id, sql.placeholder("id")),
          eq(messages.organization_id, sql.placeholder("organizationId")),
          sql`(${inboxIds} is null or ${messages.inbox_id} = any(${inboxIds}))`,
          sql`(${madeBy} is null or ${inboxes.agent_id} = ${madeBy})`,
        ),
      )
      .prepare("message"),
    /** The messages `ids`, each of the organization at the same place in `organizationIds`, in live inboxes. */
    some: whole().innerJoin(pairs, and(named, isPair)).innerJoin(inboxes, ofLiveInbox).prepare("messages"),
    /** The messages `ids` of one organization, in order. */
    page: whole()
      .innerJoin(inboxes, ofInbox)
      .where(and(named, eq(messages.organization_id, sql.placeholder("organizationId"))))
      .orderBy(messages.id)
      .prepare("page of messages"),
  };
}

/** What a caller may see. */
export type Reach = Selection;

/** The condition that rows are of the caller's organization, and of the inboxes that it reaches. */
export function isOwn(
  { actor }: { actor: Reach },
  of: { organization_id: PgColumn; inbox_id: PgColumn },
): SQL | undefined {
  return and(eq(of.organization_id, actor.organizationId), isReached(actor, of.inbox_id));
}
