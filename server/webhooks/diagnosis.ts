// What the page of a webhook shows beside its deliveries: the last answer that failed, how many wait for a retry, and their mail.
import { and, desc, eq, or, sql } from "drizzle-orm";
import { anyOf, isNotBefore } from "#db/conditions.ts";
import { deliveries, deliveryAttempts } from "#db/schema/events.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { FIRST_ID, LAST_ID } from "../base/id-range.ts";
import type { DeliveryRow } from "./deliveries.ts";
import { findWebhook } from "./find.ts";

/** The newest deliveries that are counted. */
const COUNTED_MAX = 1_000;

export type Diagnosis = Awaited<ReturnType<typeof diagnose>>;

/** @throws ServiceError `webhook_not_found` */
export async function diagnose(ctx: Ctx<Member>, wireId: string) {
  const webhook = await findWebhook(ctx, wireId);
  const { id, webhook_id, organization_id, status, attempts } = deliveries;
  const newest = await ctx.db
    .select({ id, status, attempts })
    .from(deliveries)
    .where(
      and(
        // In pairs, as the index is (docs/decisions/011).
        sql`(${webhook_id}, ${id}) >= (${webhook.id}::uuid, ${FIRST_ID}::uuid)`,
        sql`(${webhook_id}, ${id}) <= (${webhook.id}::uuid, ${LAST_ID}::uuid)`,
        eq(organization_id, ctx.actor.organizationId),
      ),
    )
    .orderBy(desc(webhook_id), desc(id))
    .limit(COUNTED_MAX);
  const retrying = newest.filter((row) => row.status === "pending" && row.attempts > 0).length;
  const failing = newest.find((row) => row.attempts > (row.status === "succeeded" ? 1 : 0));
  const failure = failing && (await lastFailure(ctx, failing.id));
  return { retrying, more: newest.length === COUNTED_MAX, failure: failure ?? null };
}

async function lastFailure({ db, actor }: Ctx<Member>, deliveryId: string) {
  const { id, delivery_id, organization_id, status, error, response_body, started_at } = deliveryAttempts;
  const [row] = await db
    .select({ status, error, response_body, started_at })
    .from(deliveryAttempts)
    .where(
      and(
        eq(delivery_id, deliveryId),
        isNotBefore(id, sql`${deliveryId}::uuid`),
        eq(organization_id, actor.organizationId),
        or(sql`${status} is null`, sql`${status} not between 200 and 299`),
      ),
    )
    .orderBy(desc(delivery_id), desc(id))
    .limit(1);
  return row;
}

/** The subject, the sender and the mailbox of each message of the deliveries, by its id. */
export async function mailOf({ db, actor }: Ctx<Member>, rows: DeliveryRow[]) {
  const ids = rows.flatMap(({ message_id }) => message_id ?? []);
  if (ids.length === 0) return new Map<string, never>();
  const mails = await db
    .select({ id: messages.id, subject: messages.subject, from: messages.from_address, inbox: inboxes.address })
    .from(messages)
    .innerJoin(inboxes, and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live")))
    .where(and(eq(messages.organization_id, actor.organizationId), anyOf(messages.id, ids)));
  return new Map(mails.map(({ id, ...mail }) => [id, mail]));
}
