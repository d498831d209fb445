// Statistics of the last UTC days: inbound and outbound mail, and webhook deliveries.
import type { Ctx, Member } from "../base/context.ts";
import { lowestId } from "../base/id-range.ts";

const DAY_MS = 86_400_000;
const DAYS = 14;
/** Only the newest deliveries are counted, so that the overview of a busy organization is fast. */
const DELIVERIES_MAX = 200_000;
const WEBHOOKS_MAX = 100;

export type Day = {
  /** `2026-11-22`, UTC. */
  day: string;
  received: number;
  sent: number;
  /** Null for days before the counted deliveries. */
  deliveries: { succeeded: number; failed: number } | null;
};

const nameOf = (start: Date) => start.toISOString().slice(0, 10);

/** The midnights that start the last days, oldest first. */
function starts(now: Date): Date[] {
  const today = Math.floor(now.getTime() / DAY_MS);
  return Array.from({ length: DAYS }, (_, index) => new Date((today - DAYS + 1 + index) * DAY_MS));
}

/**
 * Inbound mail by day. Positions of the log have no gaps and follow the clock, so a binary search finds the first
 * position of each day, and a day's mail is a difference: the cost hardly depends on the number of events.
 */
async function countReceived({ sql, actor }: Ctx<Member>, days: Date[]): Promise<Map<string, number>> {
  const organization = actor.organizationId;
  const rows = await sql<{ start: Date; received: number }[]>`
    with recursive search as (
      select d.start, 1::bigint as low, p.last + 1 as high, p.last + 1 as past
      from unnest(${days.map((day) => day.toISOString())}::timestamptz[]) as d(start), event_positions p where p.organization_id = ${organization}
      union all
      select s.start,
        case when e.created_at < s.start then e.position + 1 else s.low end,
        case when e.created_at < s.start then s.high else (s.low + s.high) / 2 end,
        s.past
      from search s left join lateral (
        select position, created_at from events
        where organization_id = ${organization} and position >= (s.low + s.high) / 2
        order by organization_id, position limit 1) e on true
      where s.low < s.high
    ), days as (
      select start, low as first, lead(low, 1, past) over (order by start) as next from search where low >= high
    )
    select start, (next - first - (
      select count(*) from events
      where organization_id = ${organization} and kind <> 'message.received' and position >= first and position < next
    ))::int as received
    from days`;
  return new Map(rows.map(({ start, received }) => [nameOf(start), received]));
}

/** Queued outbound mail of the existing inboxes. */
async function countSent({ sql, actor }: Ctx<Member>, since: Date): Promise<Map<string, number>> {
  const rows = await sql<{ day: string; sent: number }[]>`
    select day, sum(counted + replies)::int as sent from send_usage
    where organization_id = ${actor.organizationId} and day >= ${nameOf(since)} group by day`;
  return new Map(rows.map(({ day, sent }) => [day, sent]));
}

type DeliveriesRow = { webhook_id: string; day: string; succeeded: number; failed: number; seen: number };

/** Finished deliveries, by the day of their event; undefined for days that were only partly read. */
async function countDeliveries({ sql, actor }: Ctx<Member>, since: Date) {
  const webhooks = await sql<{ id: string }[]>`
    select id from webhooks where organization_id = ${actor.organizationId} order by id desc limit ${WEBHOOKS_MAX}`;
  const each = Math.floor(DELIVERIES_MAX / Math.max(webhooks.length, 1));
  const rows = await sql<DeliveriesRow[]>`
    select w.id as webhook_id, d.day::text as day, count(*) filter (where d.status = 'succeeded')::int as succeeded,
      count(*) filter (where d.status = 'failed')::int as failed, count(*)::int as seen
    from unnest(${webhooks.map(({ id }) => id)}::uuid[]) as w(id), lateral (
      select status, (created_at at time zone 'UTC')::date as day from deliveries
      where (webhook_id, id) > (w.id, ${lowestId(since)}::uuid) and webhook_id = w.id and created_at >= ${since}
      order by webhook_id desc, id desc limit ${each}) d
    group by 1, 2`;
  const perWebhook = Map.groupBy(rows, ({ webhook_id }) => webhook_id);
  const cut = [...perWebhook.values()]
    .filter((own) => own.reduce((sum, { seen }) => sum + seen, 0) >= each)
    .map((own) => own.map(({ day }) => day).sort()[0] ?? "");
  const lastPartial = cut.sort().at(-1) ?? "";
  const perDay = Map.groupBy(rows, ({ day }) => day);
  return (day: string) => {
    if (day <= lastPartial) return null;
    const own = perDay.get(day) ?? [];
    const sum = (of: "succeeded" | "failed") => own.reduce((total, row) => total + row[of], 0);
    return { succeeded: sum("succeeded"), failed: sum("failed") };
  };
}

/** The last 14 UTC days, including today, oldest first. */
export async function readDays(ctx: Ctx<Member>): Promise<Day[]> {
  const days = starts(ctx.now());
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
