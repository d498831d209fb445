// Lists an organization's webhooks, without test receivers, with how their newest deliveries went: the failing ones first.
import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { isNotBefore } from "#db/conditions.ts";
import { deliveries, deliveryAttempts, webhooks } from "#db/schema/events.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { FIRST_ID, LAST_ID } from "../base/id-range.ts";
import { webhookColumnsAt } from "./find.ts";
import { BY_REQUEST } from "./update.ts";

/** With COUNTED_DELIVERIES for each, 10,000 deliveries are read at most. */
const SHOWN_MAX = 200;
const COUNTED_DELIVERIES = 50;

const { id, url, active, failing_since, disabled_reason } = webhooks;
const columns = {
  /** The webhooks of the organization with this URL. */
  same_url: sql<number>`(count(*) over (partition by ${url}))::int`.as("same_url"),
  total: sql<number>`(count(*) over ())::int`.as("total"),
};

type Recent = {
  id: string;
  succeeded: number;
  failed: number;
  retrying: number;
  waiting: number;
  failure_at: Date | null;
  failure_status: number | null;
  failure_error: string | null;
};

/** Failing first, then disabled by failures, then the newest. */
function selectWebhooks({ db, actor, now }: Ctx<Member>) {
  const isFailing = sql`(${active} and ${isNotNull(failing_since)})`;
  const isDisabledByFailure = sql`(not ${active} and ${disabled_reason} is distinct from ${BY_REQUEST})`;
  return db
    .select({ ...webhookColumnsAt(now()), ...columns })
    .from(webhooks)
    .leftJoin(inboxes, eq(inboxes.id, webhooks.inbox_id))
    .where(and(eq(webhooks.organization_id, actor.organizationId), isNull(webhooks.expires_at)))
    .orderBy(sql`${isFailing} desc`, sql`${isDisabledByFailure} desc`, desc(id))
    .limit(SHOWN_MAX);
}

/** How the newest deliveries of each webhook stand, and the last attempt of them that failed. */
function countRecent({ db }: Ctx<Member>, ids: string[]) {
  const { webhook_id, status, attempts } = deliveries;
  const own = deliveryAttempts;
  return db.execute<Recent>(sql`
    select w.id, r.succeeded, r.failed, r.retrying, r.waiting,
      a.started_at as failure_at, a.status as failure_status, a.error as failure_error
    from unnest(${sql.param(ids)}::uuid[]) as w(id)
    cross join lateral (
      select count(*) filter (where status = 'succeeded')::int as succeeded,
        count(*) filter (where status = 'failed')::int as failed,
        count(*) filter (where status = 'pending' and attempts > 0)::int as retrying,
        count(*) filter (where status = 'pending' and attempts = 0)::int as waiting,
        max(id::text) filter (where attempts > (status = 'succeeded')::int) as failing
      from (
        select ${deliveries.id}, ${status}, ${attempts} from ${deliveries}
        -- In pairs: with an equality the planner would walk all deliveries by their id.
        where (${webhook_id}, ${deliveries.id}) >= (w.id, ${FIRST_ID}::uuid)
          and (${webhook_id}, ${deliveries.id}) <= (w.id, ${LAST_ID}::uuid)
        order by ${webhook_id} desc, ${deliveries.id} desc limit ${COUNTED_DELIVERIES}) newest) r
    left join lateral (
      select ${own.started_at}, ${own.status}, ${own.error} from ${own}
      where ${own.delivery_id} = r.failing::uuid and ${isNotBefore(own.id, sql`r.failing`)}
        and (${own.status} is null or ${own.status} not between 200 and 299)
      order by ${own.delivery_id} desc, ${own.id} desc limit 1) a on true`);
}

export type WebhookHealth = Awaited<ReturnType<typeof readHealth>>["rows"][number];

export async function readHealth(ctx: Ctx<Member>) {
  const rows = await selectWebhooks(ctx);
  const counts = await countRecent(
    ctx,
    rows.map((row) => row.id),
  );
  const recent = new Map(counts.map((row) => [row.id, row]));
  return { rows: rows.map((row) => ({ ...row, recent: recent.get(row.id) })), total: rows[0]?.total ?? 0 };
}
