// Records events of any kind together with their deliveries.
import type { TransactionSql } from "postgres";
import type { deliveries } from "#db/schema/events.ts";
import type { Services } from "../../base/context.ts";
import type { EventLog, Recorded } from "../../events/event-log.ts";
import { insertEvents, type NewEvent, stored, type TakenPosition, takePositions } from "../../events/record.ts";
import type { StoredFilter } from "./filter.ts";
import { insertDueDeliveries } from "./insert-deliveries.ts";
import { createFilterCheck, filterColumnsOf, isSubscribed } from "./subscribers.ts";

type Needs = Pick<Services, "feed" | "signals" | "log">;
type DeliveryRow = typeof deliveries.$inferSelect;
type Subscribed = Pick<DeliveryRow, "event_id" | "webhook_id" | "organization_id" | "event_kind"> & StoredFilter;

export function createEventLog(services: Needs): EventLog {
  return { record: recordWithDeliveries, announce: (recorded) => announce(services, recorded) };
}

/** The webhooks that receive each event of the CTE `new_events`, by its kind and mailbox. */
function subscribed(tx: TransactionSql) {
  const agent_id = tx`(select agent_id from inboxes where id = e.inbox_id)`;
  const event = { organization_id: tx`e.organization_id`, inbox_id: tx`e.inbox_id`, agent_id, kind: tx`e.kind` };
  return tx`
    select e.id as event_id, w.id as webhook_id, w.organization_id, e.kind as event_kind, ${filterColumnsOf(tx)}
    from new_events e join webhooks w on ${isSubscribed(tx, event)}`;
}

async function recordWithDeliveries(tx: TransactionSql, events: NewEvent[], now: Date): Promise<Recorded> {
  if (events.length === 0) return { events: [], deliveries: 0 };
  const positions = await tx<(TakenPosition & { hooks: Subscribed[] | null })[]>`
    with positions as (
      ${takePositions(tx, events, tx`true`)}
    ), new_events as (
      ${insertEvents(tx, events, now)} returning id, organization_id, inbox_id, kind
    ), hooks as materialized (
      ${subscribed(tx)}
    )
    select organization_id, last,
      (select json_agg(hooks) from hooks where hooks.organization_id = positions.organization_id) as hooks
    from positions`;
  const hooks = positions.flatMap((row) => row.hooks ?? []);
  const about = new Map(events.map((event) => [event.id, event]));
  const passes = await createFilterCheck(tx, hooks, events);
  const owed = hooks.flatMap(({ event_id, webhook_id, organization_id, event_kind, ...filter }) => {
    const isOwed = passes(filter, about.get(event_id) ?? { message_id: null });
    return isOwed ? [{ event_id, webhook_id, organization_id, event_kind }] : [];
  });
  await insertDueDeliveries(tx, owed, now);
  return { events: stored(events, positions, now), deliveries: owed.length };
}

function announce({ feed, signals, log }: Needs, { events, deliveries }: Recorded): void {
  try {
    feed.publish(events);
    if (deliveries > 0) signals.raise("deliveries");
  } catch (error) {
    log.error({ error }, "could not announce committed events; the polls will find them");
  }
}
