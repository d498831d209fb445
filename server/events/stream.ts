// Follows the event log from any position: for GET /v1/events/stream and the tRPC subscription.
import { and, eq } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import type { EventKind } from "#db/event-kinds.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { HEARTBEAT_MS } from "../base/heartbeat.ts";
import { isReached, readSelection } from "../base/tenancy.ts";
import type { Following } from "./feed.ts";
import { cursorAt, type EventRow, readNext, readPosition, type Selected } from "./list.ts";
import { createQueue, type Queue } from "./queue.ts";
import { takeSlot, type Until } from "./slots.ts";

/**
 * Yields every event of the caller's inboxes (or of one) after `after`, in order, each once, and then new events as
 * they arrive. `null` is a heartbeat after `HEARTBEAT_MS` without an event. Ends when `signal` aborts or the service
 * stops.
 * @param input.events the kinds; undefined: all
 * @param input.after event id, or the cursor of an earlier call; undefined: only new events
 * @returns the events, and the cursor of their start, for a caller who is disconnected before the first event
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`, `rate_limited` (too many open), before the first event
 */
export async function followEvents(
  ctx: Ctx<Caller>,
  input: { after?: string | undefined; inbox?: string | undefined; events?: readonly EventKind[] | undefined },
  until: Until,
): Promise<{ events: AsyncGenerator<EventRow | null, void>; start: string }> {
  const selection = { ...(await readSelection(ctx, input.inbox)), kinds: input.events };
  const after = input.after === undefined ? undefined : await readPosition(ctx, input.after);
  let start = 0;
  const events = follow(ctx, { selection, after }, until, (position) => {
    start = position;
  });
  // Following starts here, so no event is missed.
  await events.next();
  return { events, start: cursorAt(ctx, start) };
}

async function* follow(
  ctx: Ctx<Caller>,
  { selection, after }: { selection: Selected; after: number | undefined },
  { signal, allowed }: Until,
  begin: (position: number) => void,
): AsyncGenerator<EventRow | null, void> {
  const { organizationId, inboxIds, madeBy } = selection;
  const kinds = selection.kinds && new Set<string>(selection.kinds);
  const inboxId = inboxIds?.length === 1 ? inboxIds[0] : undefined;
  const leaveSlot = takeSlot(ctx);
  const queue = createQueue(signal);
  let following: Following | undefined;
  const release = () => {
    following?.stop();
    queue.close();
    leaveSlot();
  };
  // After a disconnect, the consumer requests neither the next event nor the end.
  signal.addEventListener("abort", release, { once: true });
  try {
    following = await ctx.feed.follow({ organizationId, inboxId }, (event) => {
      if (!event) queue.end();
      else if (kinds?.has(event.kind) === false || (madeBy !== null && event.inbox_id === null)) return;
      else if (!inboxIds || (event.inbox_id !== null && inboxIds.includes(event.inbox_id))) queue.add(event);
    });
    if (signal.aborted) return;
    const position = after ?? following.position;
    begin(position);
    yield null;
    const read = (from: number) => readNext(ctx, selection, from);
    const reached = (next: EventRow[]) => (madeBy === null ? next : reachedOf(ctx, selection, next));
    yield* readOn(queue, { position, behind: after !== undefined, read, reached, allowed });
  } finally {
    signal.removeEventListener("abort", release);
    release();
  }
}

async function reachedOf(ctx: Ctx<Caller>, selection: Selected, next: EventRow[]): Promise<EventRow[]> {
  const named = anyOf(
    inboxes.id,
    next.flatMap(({ inbox_id }) => inbox_id ?? []),
  );
  const own = and(eq(inboxes.organization_id, selection.organizationId), named, isReached(selection, inboxes.id));
  const rows = await ctx.db.select({ id: inboxes.id }).from(inboxes).where(own);
  const ids = new Set(rows.map(({ id }) => id));
  return next.filter(({ inbox_id }) => inbox_id !== null && ids.has(inbox_id));
}

type Start = {
  position: number;
  /** There may be events in the log after `position` that the queue does not hold. */
  behind: boolean;
  read: (position: number) => ReturnType<typeof readNext>;
  /** Those of mailboxes that the caller reaches: an agent may create some while it follows. */
  reached: (events: EventRow[]) => EventRow[] | Promise<EventRow[]>;
  allowed: () => Promise<void>;
};

/** From the log until nothing is missed, then from the queue. */
async function* readOn(
  queue: Queue,
  { read, reached, allowed, ...start }: Start,
): AsyncGenerator<EventRow | null, void> {
  let { position, behind } = start;
  while (!queue.ended) {
    const next = behind ? await read(position) : await queue.next(HEARTBEAT_MS);
    await allowed();
    for (const event of await reached(next.events)) {
      if (event.position <= position) continue;
      position = event.position;
      yield event;
    }
    if (!behind && next.events.length === 0 && !next.behind && !queue.ended) yield null;
    behind = next.behind;
  }
}
