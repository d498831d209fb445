// The limits of sending for a batch of messages, as parts of the statement that queues them (sending/batch.ts): which
// of them surely fit, and what is counted. The limits themselves are those of send-cap.ts, totals.ts and sending-pause.ts.
import { type SQL, sql } from "drizzle-orm";
import { correspondents, sendTotals, sendUsage } from "#db/schema/mail.ts";
import { sendingStates } from "#db/schema/sending.ts";
import type { Services } from "../../base/context.ts";
import { isPaused } from "../../pauses/find.ts";
import { capAt, dayOf, daysThatHeld } from "./ramp.ts";
import { REPLY_FACTOR } from "./send-cap.ts";
import { PAUSE_RECIPIENTS_MIN, WINDOW_RECIPIENTS } from "./sending-pause.ts";

/** So many earlier recipients are kept beside one new one. */
const KEPT = WINDOW_RECIPIENTS - 1;

/**
 * The condition that recipients may be added to the window of a mailbox without a new look at its rates: it is not paused, and
 * its rates already counted or it has none. More recipients never raise rates that count.
 */
function isCalm(state: SQL): SQL {
  return sql`(${state}.paused_at is null and (cardinality(${state}.recent) >= ${PAUSE_RECIPIENTS_MIN}::int
    or cardinality(${state}.bounced) + cardinality(${state}.complained) = 0))`;
}

/** The condition that the message `m` is not paused. */
export function maySend(): SQL {
  return sql`not exists (select 1 from ${sendingStates} w where w.inbox_id = m.inbox_id and not ${isCalm(sql`w`)})
    and not ${isPaused(sql`(m.sent_by || array[m.organization_id, m.inbox_id])`)}`;
}

/** Of the message `m`: the recipients in each column of `send_usage`, and the cap of its mailbox, as `send-cap.ts` counts them. */
export function countedColumns({ settings, now }: Pick<Services, "settings" | "now">): { counts: SQL; columns: SQL } {
  const held = sql`(select count(*)::int from ${sendUsage} where ${daysThatHeld(sql`m.inbox_id`, dayOf(now()))})`;
  return {
    counts: sql`cross join lateral (select count(*)::int as replies from ${correspondents} c
      where c.inbox_id = m.inbox_id and c.address = any(m.addresses)) k`,
    columns: sql`cardinality(m.addresses) - k.replies as counted, k.replies,
      ${capAt(settings.SEND_CAP_RAMP, sql`m.age - ${held}`)} as cap`,
  };
}

/** The condition that the message `s` fits with those before it in the batch: `counted_sum` and `replies_sum` are of both. */
export function fitsCap({ now }: Pick<Services, "now">): SQL {
  const used = (column: SQL) =>
    sql`coalesce((select ${column} from ${sendUsage} u where u.inbox_id = s.inbox_id and u.day = ${dayOf(now())}), 0)`;
  return sql`(s.counted = 0 or ${used(sql`u.counted`)} + s.counted_sum <= s.cap)
    and (s.replies = 0 or ${used(sql`u.replies`)} + s.replies_sum <= s.cap * ${REPLY_FACTOR}::int)`;
}

/**
 * The condition that the message `s` fits with those before it for its organization and its domain: `counted_in_organization`
 * and `counted_in_domain` are of both. False if the rows of the day are missing, which totals.ts inserts.
 */
export function fitsTotals(services: Pick<Services, "settings" | "now">): SQL {
  const cap = capOfTotal(services, sql`t`);
  return sql`(s.counted = 0 or 2 = (select count(*) from ${sendTotals} t
    where t.organization_id = s.organization_id and t.domain in ('', s.domain) and t.day = ${dayOf(services.now())}
      and t.counted + case t.domain when '' then s.counted_in_organization else s.counted_in_domain end <= ${cap}))`;
}

function capOfTotal({ settings, now }: Pick<Services, "settings" | "now">, total: SQL): SQL {
  const days = sql`${dayOf(now())}::date - ${total}.since`;
  return sql`case ${total}.domain when '' then ${capAt(settings.SEND_CAP_RAMP_ORGANIZATION, days)}
    else ${capAt(settings.SEND_CAP_RAMP_DOMAIN, days)} end`;
}

/** Adds the rows of `fit` that are in `new_messages` to the windows of their mailboxes; the body of a CTE, a row for each mailbox. */
export function insertWindows(): SQL {
  return sql`
    insert into sending_states as w (inbox_id, organization_id, recent)
    select inbox_id, organization_id, recent[greatest(1, cardinality(recent) - ${KEPT}::int):] from (
      select m.inbox_id, m.organization_id, array_agg(m.id) as recent
      from new_messages join m using (id) cross join lateral generate_series(1, cardinality(m.addresses))
      group by 1, 2) added
    order by inbox_id
    on conflict (inbox_id) do update set recent = (w.recent || excluded.recent)[
      greatest(1, cardinality(w.recent) + cardinality(excluded.recent) - ${KEPT}::int):]
    where ${isCalm(sql`w`)}
    returning 1`;
}

/** Counts the same rows on their day, after the CTE `windows`; the body of a CTE, a row for each mailbox whose messages all fit. */
export function insertUsage({ now }: Pick<Services, "now">): SQL {
  return sql`
    insert into send_usage as u (organization_id, inbox_id, day, counted, replies)
    select organization_id, inbox_id, ${dayOf(now())}, sum(counted), sum(replies) from new_messages join fit using (id, inbox_id)
    where (select count(*) from windows) >= 0
    group by 1, 2 order by inbox_id
    on conflict (inbox_id, day) do update set counted = u.counted + excluded.counted, replies = u.replies + excluded.replies
    where (excluded.counted = 0 or u.counted + excluded.counted <= (select min(cap) from fit where inbox_id = excluded.inbox_id))
      and (excluded.replies = 0
        or u.replies + excluded.replies <= (select min(cap) from fit where inbox_id = excluded.inbox_id) * ${REPLY_FACTOR}::int)
    returning 1`;
}

/** The recipients of the same rows for each organization, and for each of its domains; the body of a CTE. */
export function addedTotals(): SQL {
  return sql`
    select organization_id, domain, sum(counted)::int as counted from (
      select organization_id, unnest(array['', domain]) as domain, counted
      from new_messages join fit using (id, inbox_id) where counted > 0) each
    group by 1, 2`;
}

/** Counts `added_totals`, after the CTE `days`; the body of a CTE, a row for each that fits. */
export function insertTotals(services: Pick<Services, "settings" | "now">): SQL {
  const day = dayOf(services.now());
  return sql`
    insert into send_totals as t (organization_id, domain, day, counted, since)
    select organization_id, domain, ${day}::date, counted, ${day}::date from added_totals
    where (select count(*) from days) >= 0 order by organization_id, domain
    on conflict (organization_id, domain, day) do update set counted = t.counted + excluded.counted
    where t.counted + excluded.counted <= ${capOfTotal(services, sql`t`)}
    returning 1`;
}
