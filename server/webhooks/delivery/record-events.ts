// Records events of any kind together with their deliveries.
import type { TransactionSql } from "postgres";
import type { deliveries } from "#db/schema/events.ts";
import type { Services } from "../../base/context.ts";
import { newId } from "../../base/ids.ts";
import type { EventLog, Recorded } from "../../events/event-log.ts";
import { insertEvents, type NewEvent, stored, type TakenPosition, takePositions } from "../../events/record.ts";
import { type Filtered, isFiltered, passes, type StoredFilter } from "./filter.ts";

type Needs = Pick<Services, "feed" | "signals" | "log">;
type DeliveryRow = typeof deliveries.$inferSelect;
type Subscribed = Pick<DeliveryRow, "event_id" | "webhook_id" | "organization_id" | "event_kind"> & StoredFilter;

export function createEventLog(services: Needs): EventLog {
  return { record: recordWithDeliveries, announce: (recorded) => announce(services, recorded) };
}

/** The webhooks that receive each event. An event without a mailbox goes only to webhooks for all mailboxes. */
function subscribed(tx: TransactionSql, events: NewEvent[]) {
  const rows = events.map(({ id, organization_id, inbox_id, kind }) => ({ id, organization_id, inbox_id, kind }));
  return tx`
    select e.id as event_id, w.id as webhook_id, w.organization_id, e.kind as event_kind, w.from_filter, w.to_filter,
      w.subject_filter, w.kind_filter, w.label_filter
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as e(id uuid, organization_id uuid, inbox_id uuid, kind text)
    join webhooks w on w.organization_id = e.organization_id and w.active and e.kind = any(w.events)
      and (w.inbox_id is null or w.inbox_id = e.inbox_id)
      and (w.agent_id is null or w.agent_id = (select agent_id from inboxes where id = e.inbox_id))`;
}

async function recordWithDeliveries(tx: TransactionSql, events: NewEvent[], now: Date): Promise<Recorded> {
  if (events.length === 0) return { events: [], deliveries: 0 };
  const positions = await tx<(TakenPosition & { hooks: Subscribed[] | null })[]>`
    with positions as (
      ${takePositions(tx, events, tx`true`)}
    ), new_events as (
      ${insertEvents(tx, events, now)}
    ), hooks as materialized (
      ${subscribed(tx, events)}
    )
    select organization_id, last,
      (select json_agg(hooks) from hooks where hooks.organization_id = positions.organization_id) as hooks
    from positions`;
  const hooks = await chosenOf(
    tx,
    events,
    positions.flatMap((row) => row.hooks ?? []),
  );
  const owed = hooks.map(({ event_id, webhook_id, organization_id, event_kind }) => {
    return { id: newId(), event_id, webhook_id, organization_id, event_kind };
  });
  if (owed.length > 0) await owe(tx, owed, now);
  return { events: stored(events, positions, now), deliveries: owed.length };
}

/** Without webhooks whose filter the message of the event does not pass. Events about no message pass every filter. */
async function chosenOf(tx: TransactionSql, events: NewEvent[], hooks: Subscribed[]): Promise<Subscribed[]> {
  if (!hooks.some(isFiltered)) return hooks;
  const about = new Map(events.map(({ id, message_id }) => [id, message_id]));
  const ids = [...new Set(events.flatMap(({ message_id }) => message_id ?? []))];
  const rows = await tx<(Omit<Filtered, "recipients"> & { id: string; recipients: string[] })[]>`
    select id, from_address as from, to_addresses || cc_addresses || bcc_addresses || array_remove(array[envelope_to], null) as recipients,
      subject, kind, labels from messages where id = any(${ids}::uuid[])`;
  const mails = new Map(rows.map((row) => [row.id, row]));
  return hooks.filter((hook) => {
    const messageId = about.get(hook.event_id) ?? null;
    if (messageId === null || !isFiltered(hook)) return true;
    const mail = mails.get(messageId);
    return mail !== undefined && passes(hook, mail);
  });
}

type Owed = Omit<Subscribed, keyof StoredFilter> & { id: string };

async function owe(tx: TransactionSql, owed: Owed[], now: Date): Promise<void> {
  await tx`
    insert into deliveries (id, organization_id, webhook_id, event_id, event_kind, status, next_attempt_at, created_at)
    select id, organization_id, webhook_id, event_id, event_kind, 'pending', ${now}::timestamptz, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(owed)}::text::json)
      as r(id uuid, organization_id uuid, webhook_id uuid, event_id uuid, event_kind text)`;
}

function announce({ feed, signals, log }: Needs, { events, deliveries }: Recorded): void {
  try {
    feed.publish(events);
    if (deliveries > 0) signals.raise("deliveries");
  } catch (error) {
    log.error({ error }, "could not announce committed events; the polls will find them");
  }
}
