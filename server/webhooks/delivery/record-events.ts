// Records events of any kind together with their deliveries.
import type { TransactionSql } from "postgres";
import type { deliveries, webhooks } from "#db/schema/events.ts";
import type { Services } from "../../base/context.ts";
import { newId } from "../../base/ids.ts";
import { recipientFilter } from "../../base/recipient-filter.ts";
import type { EventLog, Recorded } from "../../events/event-log.ts";
import {
  EVENT_KIND,
  insertEvents,
  type NewEvent,
  stored,
  type TakenPosition,
  takePositions,
} from "../../events/record.ts";

type Needs = Pick<Services, "feed" | "signals" | "log">;
type DeliveryRow = typeof deliveries.$inferSelect;
/** Of the mail of an event; null for all other events. */
type Asked = Pick<typeof webhooks.$inferSelect, "to_filter" | "kind_filter"> & {
  mail_kind: string | null;
  mail_to: string[] | null;
};
type Subscribed = Pick<DeliveryRow, "event_id" | "webhook_id" | "organization_id" | "event_kind">;

export function createEventLog(services: Needs): EventLog {
  return { record: recordWithDeliveries, announce: (recorded) => announce(services, recorded) };
}

/**
 * The webhooks that receive each event. An event without a mailbox goes only to webhooks for all mailboxes, and that of a received
 * mail to those that ask for such mail.
 */
async function subscribed(tx: TransactionSql, events: NewEvent[]): Promise<Subscribed[]> {
  const rows = events.map(({ id, organization_id, inbox_id, message_id, kind }) => {
    return { id, organization_id, inbox_id, message_id: kind === EVENT_KIND ? message_id : null, kind };
  });
  const all = await tx<(Subscribed & Asked)[]>`
    select e.id as event_id, w.id as webhook_id, w.organization_id, e.kind as event_kind, w.to_filter, w.kind_filter,
      m.kind as mail_kind, m.to_addresses || m.cc_addresses || m.envelope_to as mail_to
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as e(id uuid, organization_id uuid, inbox_id uuid, message_id uuid, kind text)
    join webhooks w on w.organization_id = e.organization_id and w.active and e.kind = any(w.events)
      and (w.inbox_id is null or w.inbox_id = e.inbox_id)
      and (w.agent_id is null or w.agent_id = (select agent_id from inboxes where id = e.inbox_id))
    left join messages m on m.id = e.message_id and m.organization_id = e.organization_id`;
  const isAsked = ({ to_filter, kind_filter, mail_kind, mail_to }: Asked) =>
    mail_to === null ||
    ((to_filter === null || recipientFilter(to_filter)(mail_to)) &&
      (kind_filter === null || kind_filter === mail_kind));
  return all.filter(isAsked).map(({ event_id, webhook_id, organization_id, event_kind }) => ({
    event_id,
    webhook_id,
    organization_id,
    event_kind,
  }));
}

async function recordWithDeliveries(tx: TransactionSql, events: NewEvent[], now: Date): Promise<Recorded> {
  if (events.length === 0) return { events: [], deliveries: 0 };
  const owed = (await subscribed(tx, events)).map((each) => ({ id: newId(), ...each }));
  const positions = await tx<TakenPosition[]>`
    with positions as (
      ${takePositions(tx, events, tx`true`)}
    ), new_events as (
      ${insertEvents(tx, events, now)}
    ), new_deliveries as (
      insert into deliveries (id, organization_id, webhook_id, event_id, event_kind, status, next_attempt_at, created_at)
      select id, organization_id, webhook_id, event_id, event_kind, 'pending', ${now}::timestamptz, ${now}::timestamptz
      from json_to_recordset(${JSON.stringify(owed)}::text::json)
        as r(id uuid, organization_id uuid, webhook_id uuid, event_id uuid, event_kind text)
    )
    select organization_id, last from positions`;
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
