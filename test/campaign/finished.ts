// What must hold once all work is done: each send left, each webhook arrived, and a second copy says that it is one.
import { setTimeout as sleep } from "node:timers/promises";
import { decodeId, encodeId } from "#server/base/ids.ts";
import type { Ledger } from "./ledger.ts";
import { violation } from "./stored.ts";
import type { Sql, System } from "./system.ts";

/** Within this everything is done that does not wait for the planned time of a retry. */
const HELD_MS = 120_000;
/** Within this everything is done, retries included. */
const DONE_MS = 420_000;
/** What is not done by then is held by a process that died, or waits for a retry. */
const HURRY_EVERY_MS = 3_000;
const LOOK_EVERY_MS = 250;
const SENT_MESSAGE_ID = /^Message-ID:\s+<(msg_\w+)\.\w+@/im;
const MAY_BE_SECOND = "second copy";
const CAPTURED = "captured: ";

/** `held`: by a process, or by one that died, or not taken yet; `planned`: waits for the time of its next attempt. */
type Unfinished = { what: string; held: number; planned: number };

/** How many rows are not final. */
function unfinished(sql: Sql): Promise<Unfinished[]> {
  return sql<Unfinished[]>`
    with left_over as (
      select 'messages ' || status as what, status = 'queued' and error is not null and next_attempt_at > now() as planned
      from messages where status in ('queued', 'sending', 'received')
      union all
      select 'deliveries', exists (
        select from delivery_attempts a where a.delivery_id = d.id and a.next_attempt_at = d.next_attempt_at)
      from deliveries d where status = 'pending')
    select what, count(*) filter (where not planned) as held, count(*) filter (where planned) as planned
    from left_over group by what`;
}

/**
 * Waits until nothing is left to do, 120 s at most for what waits for no retry.
 * @returns how long that took, and what was stuck
 */
export async function finish(system: System): Promise<{ ms: number; broken: string[] }> {
  const started = performance.now();
  let hurriedAt = started;
  for (;;) {
    const left = await system.read(unfinished);
    const ms = performance.now() - started;
    if (left.length === 0) return { ms, broken: [] };
    const late = left.filter(({ held }) => ms > DONE_MS || (held > 0 && ms > HELD_MS));
    const names = late.map(({ what, held, planned }) => `${what} (${held} held, ${planned} planned)`);
    if (late.length > 0)
      return { ms, broken: violation(`kinds of rows are stuck after ${Math.round(ms / 1_000)} s`, names) };
    if (performance.now() - hurriedAt > HURRY_EVERY_MS) {
      await system.hurry();
      hurriedAt = performance.now();
    }
    await sleep(LOOK_EVERY_MS);
  }
}

type Outbound = { id: string; rfc_message_id: string | null; status: string; reason: string | null; stored: number };

/** @returns how many sends reached the relay twice and say so, and what is wrong */
export async function checkFinished(system: System, { mailed }: Ledger): Promise<{ copies: number; broken: string[] }> {
  const copiesOf = new Map<string, number>();
  for (const { raw } of system.sink.received) {
    const id = SENT_MESSAGE_ID.exec(raw.toString("latin1"))?.[1] ?? "";
    copiesOf.set(id, (copiesOf.get(id) ?? 0) + 1);
  }
  const rows = await system.read(
    (sql) => sql<Outbound[]>`
      select m.id, m.rfc_message_id, r.status, r.reason,
        (select count(*) from messages i where i.direction = 'inbound' and i.rfc_message_id = m.rfc_message_id) as stored
      from messages m join message_recipients r on r.message_id = m.id where m.direction = 'outbound'`,
  );
  const copies = (row: Outbound) => copiesOf.get(encodeId("msg", row.id)) ?? 0;
  // A process with OUTBOUND=local keeps what is for other services.
  const relayed = rows.filter(({ status, reason }) => status === "sent" && !reason?.startsWith(CAPTURED));
  const notThere = relayed.filter((row) => copies(row) === 0);
  const doubled = relayed.filter((row) => copies(row) > 1);
  const silent = doubled.filter(({ reason }) => !reason?.includes(MAY_BE_SECOND));
  const undelivered = rows.filter(({ status, stored }) => status === "delivered" && stored !== 1);
  const refused = rows.filter(({ status }) => status === "bounced" || status === "failed");
  const { taken, counts } = system.receiver;
  const events = await system.read(
    (sql) => sql<{ message_id: string; delivery: string }[]>`
      select e.message_id, d.id as delivery from events e join deliveries d on d.event_id = e.id`,
  );
  const unheard = events.filter(({ message_id }) => !taken.has(encodeId("msg", message_id)));
  const renamed = [...taken].filter(([, deliveries]) => deliveries.size > 1);
  const unknown = [...mailed.values()].filter(({ id }) => !taken.has(id) && decodeId("msg", id));
  const idsOf = (found: Outbound[]) => found.map(({ id }) => id);
  return {
    copies: doubled.length,
    broken: [
      ...violation("sends are called accepted, and the relay has none of them", idsOf(notThere)),
      ...violation("sends reached the relay twice without saying so", idsOf(silent)),
      ...violation("sends are called delivered, and are not stored once", idsOf(undelivered)),
      ...violation("sends were refused", idsOf(refused)),
      ...violation(
        "events never reached the webhook",
        unheard.map(({ message_id }) => message_id),
      ),
      ...violation(
        "accepted mails never reached the webhook",
        unknown.map(({ id }) => id),
      ),
      ...violation(
        "mails came to the webhook under several delivery ids",
        renamed.map(([id]) => id),
      ),
      ...violation("deliveries had no valid signature", counts.unsigned > 0 ? [`${counts.unsigned}`] : []),
    ],
  };
}
