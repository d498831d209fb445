// Follows the event log as it grows: what GET /v1/events/stream and the tRPC subscription give, from any point on.
import type { Agent, Ctx } from "../context.ts";
import type { Following } from "./feed.ts";
import { cursorAt, type EventRow, eventsAfter, readPosition, readSelection, type Selection } from "./list.ts";
import type { StoredEvent } from "./record.ts";
import { takeSlot } from "./slots.ts";

const EVENTS_PER_READ = 200;
/** A reader that is further behind than this gets the rest from the database, not from memory. */
const WAITING_MAX = 1_000;
const HEARTBEAT_MS = 15_000;

type Until = { signal: AbortSignal; allowed: () => Promise<void> };
type Queue = ReturnType<typeof createQueue>;

/**
 * Every event of the caller's inboxes (or of one) after `after`, each once, in order, and then each new one as it comes.
 * `null` is a heartbeat: nothing came for 15 s. Ends when `signal` aborts or the service stops.
 * @param input.after event id; undefined: from now on
 * @param until `allowed` throws once the caller's key is no longer good, and that ends it
 * @returns the events, and the cursor of where they begin, for a caller who is cut off before the first one
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`, `rate_limited` (too many at once), before anything is given
 */
export async function followEvents(
  ctx: Ctx<Agent>,
  input: { after?: string | undefined; inbox?: string | undefined },
  until: Until,
): Promise<{ events: AsyncGenerator<EventRow | null, void>; start: string }> {
  const selection = await readSelection(ctx, input.inbox);
  const after = input.after === undefined ? undefined : await readPosition(ctx, input.after);
  let start = 0;
  const events = follow(ctx, selection, after, until, (position) => {
    start = position;
  });
  // From here on nothing is missed.
  await events.next();
  return { events, start: cursorAt(ctx, start) };
}

async function* follow(
  ctx: Ctx<Agent>,
  selection: Selection,
  after: number | undefined,
  { signal, allowed }: Until,
  begin: (position: number) => void,
): AsyncGenerator<EventRow | null, void> {
  const { organizationId, inboxIds } = selection;
  const queue = createQueue(signal);
  const inboxId = inboxIds?.length === 1 ? inboxIds[0] : undefined;
  const leaveSlot = takeSlot(ctx);
  let following: Following | undefined;
  try {
    following = await ctx.feed.follow({ organizationId, inboxId }, (event) => {
      if (!event) queue.end();
      else if (!inboxIds || (event.inbox_id !== null && inboxIds.includes(event.inbox_id))) queue.add(event);
    });
    let position = after ?? following.position;
    let behind = after !== undefined;
    begin(position);
    yield null;
    while (!queue.ended) {
      const next = behind ? await readNext(ctx, selection, position) : await takeNext(queue);
      await allowed();
      for (const event of next.events) {
        if (event.position <= position) continue;
        position = event.position;
        yield event;
      }
      if (!behind && next.events.length === 0 && !next.behind && !queue.ended) yield null;
      behind = next.behind;
    }
  } finally {
    following?.stop();
    queue.close();
    leaveSlot();
  }
}

async function readNext(ctx: Ctx<Agent>, selection: Selection, position: number) {
  const events = await eventsAfter(ctx, selection, position, EVENTS_PER_READ);
  return { events, behind: events.length === EVENTS_PER_READ };
}

async function takeNext(queue: Queue): Promise<{ events: EventRow[]; behind: boolean }> {
  const { events, overflowed } = await queue.next(HEARTBEAT_MS);
  return { events, behind: overflowed };
}

/** Events between the feed and one reader; ends when `signal` aborts, or by `end`. */
function createQueue(signal: AbortSignal) {
  let waiting: StoredEvent[] = [];
  let overflowed = false;
  let ended = signal.aborted;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  signal.addEventListener("abort", end);
  return {
    end,
    get ended() {
      return ended;
    },
    add(event: StoredEvent): void {
      if (waiting.length < WAITING_MAX) waiting.push(event);
      else overflowed = true;
      wake();
    },
    /** What has come; after `ms` at the latest, with nothing then. */
    async next(ms: number): Promise<{ events: StoredEvent[]; overflowed: boolean }> {
      if (waiting.length === 0 && !ended) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, ms);
        wake = resolve;
        await promise;
        clearTimeout(timer);
      }
      const taken = { events: waiting, overflowed };
      waiting = [];
      overflowed = false;
      return taken;
    },
    close: () => signal.removeEventListener("abort", end),
  };
}
