// Statistics of the last UTC days: inbound and outbound mail, and webhook deliveries.
import { and, desc, eq, gte, sql } from "drizzle-orm";
import { deliveries, eventPositions, events, webhooks } from "#db/schema/events.ts";
import { sendUsage } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { LAST_ID, lowestId } from "../base/id-range.ts";

const DAY_MS = 86_400_000;
const DAYS = 14;
/** Only the newest deliveries are counted, so that the overview of a busy organization is fast. */
const DELIVERIES_MAX = 50_000;
const WEBHOOKS_MAX = 100;

export type Day = {
  /** `2026-11-22`, UTC. */
  day: string;
  received: number;
  sent: number;
  /** Null for days before the counted deliveries. */
  deliveries: Deliveries | null;
};

/** `retrying`: failed so far. `attempts` are those of all of them; `failed_attempts` got no 2xx. */
type Deliveries = {
  succeeded: number;
  failed: number;
  retrying: number;
  waiting: number;
  attempts: number;
  failed_attempts: number;
};

const nameOf = (start: Date) => start.toISOString().slice(0, 10);

/** The midnights that start the last 14 UTC days, today included, oldest first. */
export function lastDays(now: Date): Date[] {
  const today = Math.floor(now.getTime() / DAY_MS);
  return Array.from({ length: DAYS }, (_, index) => new Date((today - DAYS + 1 + index) * DAY_MS));
}

/**
 * Inbound mail by day. Positions of the log have no gaps and follow the clock, so a binary search finds the first
 * position of each day, and a day's mail is a difference: the cost hardly depends on the number of events.
 */
async function countReceived({ db, actor }: Ctx<Member>, days: Date[]): Promise<Map<string, number>> {
  const { organization_id, position, created_at, kind } = events;
  const isOwn = eq(organization_id, actor.organizationId);
  const past = sql`${eventPositions.last} + 1`;
  const rows = await db.execute<{ start: Date; received: number }>(sql`
    with recursive search as (
      select d.start, 1::bigint as low, ${past} as high, ${past} as past
      from unnest(${sql.param(days.map((day) => day.toISOString()))}::timestamptz[]) as d(start), ${eventPositions}
      where ${eq(eventPositions.organization_id, actor.organizationId)}
      union all
      select s.start,
        case when e.created_at < s.start then e.position + 1 else s.low end,
        case when e.created_at < s.start then s.high else (s.low + s.high) / 2 end,
        s.past
      from search s left join lateral (
        select ${position}, ${created_at} from ${events}
        where ${isOwn} and ${position} >= (s.low + s.high) / 2
        order by ${organization_id}, ${position} limit 1) e on true
      where s.low < s.high
    ), days as (
      select start, low as first, lead(low, 1, past) over (order by start) as next from search where low >= high
    )
    select start, (next - first - (
      select count(*) from ${events}
      where ${isOwn} and ${kind} <> 'message.received' and ${position} >= first and ${position} < next
    ))::int as received
    from days`);
  return new Map(rows.map(({ start, received }) => [nameOf(start), received]));
}

/** Recipients of outbound mail of the existing inboxes. */
async function countSent({ db, actor }: Ctx<Member>, since: Date): Promise<Map<string, number>> {
  const rows = await db
    .select({ day: sendUsage.day, sent: sql<number>`sum(${sendUsage.counted} + ${sendUsage.replies})::int` })
    .from(sendUsage)
    .where(and(eq(sendUsage.organization_id, actor.organizationId), gte(sendUsage.day, nameOf(since))))
    .groupBy(sendUsage.day);
  return new Map(rows.map(({ day, sent }) => [day, sent]));
}

type DeliveriesRow = Pick<typeof deliveries.$inferSelect, "webhook_id"> & Deliveries & { day: string; seen: number };

function addUp(rows: Deliveries[]): Deliveries {
  const sum = (of: keyof Deliveries) => rows.reduce((total, row) => total + row[of], 0);
  return {
    succeeded: sum("succeeded"),
    failed: sum("failed"),
    retrying: sum("retrying"),
    waiting: sum("waiting"),
    attempts: sum("attempts"),
    failed_attempts: sum("failed_attempts"),
  };
}

/**
 * Deliveries and their attempts, by the day of the delivery; null for days that were only partly read. Each webhook has an equal
 * share of what is read; what some leave is read of the busy ones.
 */
async function countDeliveries(ctx: Ctx<Member>, since: Date) {
  const { db, actor } = ctx;
  const newest = await db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(eq(webhooks.organization_id, actor.organizationId))
    .orderBy(desc(webhooks.id))
    .limit(WEBHOOKS_MAX);
  const share = Math.floor(DELIVERIES_MAX / Math.max(newest.length, 1));
  const ids = newest.map((webhook) => webhook.id);
  const first = await readDeliveries(ctx, ids, since, share);
  const busy = cutAt(first, share);
  const others = first.filter((row) => !busy.has(row.webhook_id));
  const left = DELIVERIES_MAX - others.reduce((sum, { seen }) => sum + seen, 0);
  const each = busy.size === 0 ? share : Math.floor(left / busy.size);
  const rows = each > share ? [...others, ...(await readDeliveries(ctx, [...busy.keys()], since, each))] : first;
  const lastPartial = [...cutAt(rows, each).values()].sort().at(-1) ?? "";
  const perDay = Map.groupBy(rows, ({ day }) => day);
  return (day: string) => {
    if (day <= lastPartial) return null;
    return addUp(perDay.get(day) ?? []);
  };
}

/** The webhooks that have as many deliveries as were read of each, with the oldest day that was read of them. */
function cutAt(rows: DeliveriesRow[], each: number): Map<string, string> {
  const cut = [...Map.groupBy(rows, (row) => row.webhook_id)].filter(
    ([, own]) => own.reduce((sum, { seen }) => sum + seen, 0) >= each,
  );
  return new Map(cut.map(([id, own]) => [id, own.map(({ day }) => day).sort()[0] ?? ""]));
}

function readDeliveries({ db }: Ctx<Member>, webhookIds: string[], since: Date, each: number) {
  const { id, webhook_id, created_at } = deliveries;
  return db.execute<DeliveriesRow>(sql`
    select w.id as webhook_id, d.day::text as day, count(*) filter (where d.status = 'succeeded')::int as succeeded,
      count(*) filter (where d.status = 'failed')::int as failed,
      count(*) filter (where d.status = 'pending' and d.attempts > 0)::int as retrying,
      count(*) filter (where d.status = 'pending' and d.attempts = 0)::int as waiting,
      sum(d.attempts)::int as attempts, sum(d.attempts - (d.status = 'succeeded' and d.attempts > 0)::int)::int as failed_attempts,
      count(*)::int as seen
    from unnest(${sql.param(webhookIds)}::uuid[]) as w(id), lateral (
      select ${deliveries.status}, ${deliveries.attempts}, (${created_at} at time zone 'UTC')::date as day from ${deliveries}
      -- In pairs: with an equality the planner would walk all deliveries by their id.
      where (${webhook_id}, ${id}) > (w.id, ${lowestId(since)}::uuid) and (${webhook_id}, ${id}) <= (w.id, ${LAST_ID}::uuid)
        and ${gte(created_at, since)}
      order by ${webhook_id} desc, ${id} desc limit ${each}) d
    group by 1, 2`);
}

/** The last 14 UTC days, including today, oldest first. */
export async function readDays(ctx: Ctx<Member>): Promise<Day[]> {
  const days = lastDays(ctx.now());
  const [first = ctx.now()] = days;
  const [received, sent, deliveries] = await Promise.all([
    countReceived(ctx, days),
    countSent(ctx, first),
    countDeliveries(ctx, first),
  ]);
  return days.map((start) => {
    const day = nameOf(start);
    return { day, received: received.get(day) ?? 0, sent: sent.get(day) ?? 0, deliveries: deliveries(day) };
  });
}
