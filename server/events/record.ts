// Numbers and stores events, as parts of the statement that stores their cause.
import { lt } from "drizzle-orm";
import type { ISql, PendingQuery, Row } from "postgres";
import { type eventPositions, events } from "#db/schema/events.ts";
import { newId } from "../base/ids.ts";
import { daysAgo, deleteOld } from "../base/retention.ts";
import type { EventBody } from "./schema.ts";

/** The kind that received mail has (specification §6). */
export const EVENT_KIND = "message.received";

/** `body` is JSON text, which webhooks receive as it is. */
export type NewEvent = Omit<StoredEvent, "position" | "created_at"> & { traceparent?: string | undefined };

/** @param message_id null: the event is about no message. `inbox_id` null: it goes to readers of all mailboxes only */
export function newEvent(
  about: { organization_id: string; inbox_id: string | null; message_id?: string | null },
  body: EventBody,
): NewEvent {
  const { organization_id, inbox_id, message_id = null } = about;
  return { id: newId(), organization_id, inbox_id, message_id, kind: body.event, body: JSON.stringify(body) };
}

/** An event of the log. `position` increases by one per organization, in the order of commits. */
export type StoredEvent = Omit<typeof events.$inferSelect, "traceparent">;

/** The row type of the CTE `positions`: the position of the organization's last event. */
export type TakenPosition = typeof eventPositions.$inferSelect;

/**
 * Reserves positions for each organization with new events; the body of a CTE that must be called `positions`. The
 * counters stay locked until the commit, always in the same order, so a visible position guarantees that all earlier
 * ones are visible. Reserve them in the last statement of a transaction.
 */
export function takePositions(sql: ISql, events: NewEvent[], condition: PendingQuery<Row[]>) {
  const counts = new Map<string, number>();
  for (const { organization_id } of events) counts.set(organization_id, (counts.get(organization_id) ?? 0) + 1);
  const rows = [...counts].map(([organization_id, count]) => ({ organization_id, count }));
  return sql`
    insert into event_positions as p (organization_id, last)
    select organization_id, count from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(organization_id uuid, count bigint)
    where ${condition} order by organization_id
    on conflict (organization_id) do update set last = p.last + excluded.last
    returning organization_id, last`;
}

/** `insert into events` at the positions of the CTE `positions`; inserts nothing if it reserved none. */
export function insertEvents(sql: ISql, events: NewEvent[], now: Date) {
  const rows = withRanks(events);
  const isTraced = events.some(({ traceparent }) => traceparent);
  const [name, typed] = isTraced ? [sql`, traceparent`, sql`, traceparent text`] : [sql``, sql``];
  return sql`
    insert into events (id, organization_id, position, inbox_id, message_id, kind, body, created_at${name})
    select id, organization_id, last - below, inbox_id, message_id, kind, body, ${now}::timestamptz${name}
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as r(id uuid, organization_id uuid, below int, inbox_id uuid, message_id uuid, kind text, body text${typed})
    join positions using (organization_id)`;
}

/** `below`: the distance of each event from the last position of its organization. */
function withRanks(events: NewEvent[]): (NewEvent & { below: number })[] {
  const after = new Map<string, number>();
  const ranked = events.toReversed().map((event) => {
    const below = after.get(event.organization_id) ?? 0;
    after.set(event.organization_id, below + 1);
    return { ...event, below };
  });
  return ranked.reverse();
}

/** The events as stored in the log. */
export function stored(events: NewEvent[], positions: TakenPosition[], now: Date): StoredEvent[] {
  const last = new Map(positions.map((each) => [each.organization_id, each.last]));
  return withRanks(events).map(({ below, ...event }) => {
    return { ...event, position: (last.get(event.organization_id) ?? 0) - below, created_at: now };
  });
}

/**
 * Stores events without deliveries, as the last statement of the caller's transaction. `ctx.eventLog` also creates
 * deliveries.
 */
export async function recordEvents(sql: ISql, events: NewEvent[], now: Date): Promise<StoredEvent[]> {
  const positions = await sql<TakenPosition[]>`
    with positions as (${takePositions(sql, events, sql`true`)}), inserted as (${insertEvents(sql, events, now)})
    select organization_id, last from positions`;
  return stored(events, positions, now);
}

/** Deletes events past RETENTION_DAYS_EVENTS. */
export const pruneEvents = deleteOld({
  table: events,
  key: events.id,
  isOver: (ctx) => lt(events.created_at, daysAgo(ctx, ctx.settings.RETENTION_DAYS_EVENTS)),
  oldestFirst: events.created_at,
});
