// Wakes waits and streams: reads the end of the event log of each organization that has followers in this process.
// Events of this process come from memory right after their commit, events of other processes by one query for all
// followers.
import { eq } from "drizzle-orm";
import { eventPositions } from "#db/schema/events.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import type { StoredEvent } from "./record.ts";

declare module "../base/context.ts" {
  interface Services {
    feed: Feed;
  }
}

/** The poll for lost signals. */
const POLL_MS = 2_000;
const EVENTS_PER_READ = 500;
const ORGANIZATIONS_PER_READ = 500;

/** Follows all events of an organization, or of one of its inboxes. */
type Followed = { organizationId: string; inboxId?: string | undefined };

export type Feed = {
  /** Passes on events that this process has just committed, and signals the other processes. Never throws. */
  publish(events: StoredEvent[]): void;
  /**
   * Calls `take` with every event after the returned position, in order, each once, until `stop`; and with null when
   * the process stops, so that waits end. `take` must not throw.
   */
  follow(followed: Followed, take: Take): Promise<Following>;
  stop(): void;
};

type Take = (event: StoredEvent | null) => void;
export type Following = { position: number; stop(): void };
/** Thrown to waits and streams when the process stops. */
export function stopping(): ServiceError {
  return new ServiceError("unavailable", "The service is stopping. Repeat the call; no event is lost.", {
    headers: { "Retry-After": "1" },
  });
}

/** `position` is undefined until it is known. Followers are keyed by inbox, or "" for all inboxes. */
type Tail = { position: number | undefined; followers: Map<string, Set<Take>>; starting: Promise<void> };

type Needs = Pick<Services, "sql" | "db" | "signals" | "log">;
type State = Needs & {
  tails: Map<string, Tail>;
  stopped: boolean;
  behind: Set<string>;
  reading: Promise<void> | undefined;
};

export function createFeed({ sql, db, signals, log }: Needs): Feed {
  const feed: State = {
    sql,
    db,
    signals,
    log,
    tails: new Map<string, Tail>(),
    stopped: false,
    behind: new Set<string>(),
    reading: undefined,
  };
  const unsubscribe = signals.on("events", (keys) => catchUp(feed, keys ?? feed.tails.keys()));
  const poll = setInterval(() => catchUp(feed, feed.tails.keys()), POLL_MS).unref();
  return {
    publish: (events) => publish(feed, events),
    follow: (followed, take) => follow(feed, followed, take),
    stop() {
      feed.stopped = true;
      clearInterval(poll);
      unsubscribe();
      for (const tail of feed.tails.values())
        for (const set of tail.followers.values()) for (const take of set) take(null);
    },
  };
}

function publish(feed: State, events: StoredEvent[]): void {
  feed.signals.tellOthers("events", [...new Set(events.map((event) => event.organization_id))]);
  for (const event of events) {
    const tail = feed.tails.get(event.organization_id);
    if (!tail) continue;
    if (tail.position === event.position - 1) dispatch(tail, event);
    else if (tail.position === undefined || tail.position < event.position) catchUp(feed, [event.organization_id]);
  }
}

async function follow(feed: State, followed: Followed, take: Take): Promise<Following> {
  if (feed.stopped) throw stopping();
  const { organizationId, inboxId = "" } = followed;
  const tail = tailOf(feed, organizationId);
  let from: number | undefined;
  const own: Take = (event) => {
    if (event) from ??= event.position - 1;
    take(event);
  };
  const set = tail.followers.get(inboxId) ?? new Set();
  tail.followers.set(inboxId, set.add(own));
  const stop = () => leave(feed, followed, tail, own);
  try {
    await tail.starting;
  } catch (error) {
    // The next follower starts again at the current position.
    if (feed.tails.get(organizationId) === tail) feed.tails.delete(organizationId);
    stop();
    throw error;
  }
  return { position: from ?? tail.position ?? 0, stop };
}

function dispatch(tail: Tail, event: StoredEvent): void {
  tail.position = event.position;
  const keys = event.inbox_id === null ? [""] : ["", event.inbox_id];
  for (const key of keys) for (const take of tail.followers.get(key) ?? []) take(event);
}

/** The events after the last positions of some organizations, and whether there may be more. */
async function readAfter(feed: State, organizations: string[]): Promise<boolean> {
  const known = organizations.filter((id) => feed.tails.get(id)?.position !== undefined);
  const positions = known.map((id) => feed.tails.get(id)?.position ?? 0);
  const rows = await feed.sql<StoredEvent[]>`
    select e.* from unnest(${known}::uuid[], ${positions}::bigint[]) as t(organization_id, position)
    cross join lateral (
      select id, organization_id, position, inbox_id, message_id, kind, body, created_at from events
      where organization_id = t.organization_id and position > t.position
      order by position limit ${EVENTS_PER_READ}) e
    order by e.organization_id, e.position`;
  for (const row of rows) {
    const tail = feed.tails.get(row.organization_id);
    if (tail?.position !== undefined && row.position > tail.position) dispatch(tail, row);
  }
  return rows.length >= EVENTS_PER_READ;
}

async function read(feed: State): Promise<void> {
  while (feed.behind.size > 0) {
    const all = [...feed.behind];
    feed.behind = new Set();
    for (let at = 0; at < all.length; at += ORGANIZATIONS_PER_READ) {
      const some = all.slice(at, at + ORGANIZATIONS_PER_READ);
      if (await readAfter(feed, some)) for (const id of some) feed.behind.add(id);
    }
  }
}

function catchUp(feed: State, organizations: Iterable<string>): void {
  for (const id of organizations) if (feed.tails.has(id)) feed.behind.add(id);
  if (feed.behind.size === 0 || feed.reading) return;
  feed.reading = read(feed)
    .catch((error) => feed.log.warn({ error }, "could not read new events; the poll will find them"))
    .finally(() => {
      feed.reading = undefined;
      // A read was requested just as the previous one ended.
      if (feed.behind.size > 0) catchUp(feed, []);
    });
}

async function start(feed: State, organizationId: string, tail: Tail): Promise<void> {
  const [row] = await feed.db.select().from(eventPositions).where(eq(eventPositions.organization_id, organizationId));
  tail.position = row?.last ?? 0;
  // Events published during the query could not be compared with a position.
  catchUp(feed, [organizationId]);
}

function tailOf(feed: State, organizationId: string): Tail {
  const known = feed.tails.get(organizationId);
  if (known) return known;
  const tail: Tail = { position: undefined, followers: new Map(), starting: Promise.resolve() };
  feed.tails.set(organizationId, tail);
  tail.starting = start(feed, organizationId, tail);
  return tail;
}

function leave(feed: State, { organizationId, inboxId = "" }: Followed, tail: Tail, take: Take): void {
  const set = tail.followers.get(inboxId);
  set?.delete(take);
  if (set?.size === 0) tail.followers.delete(inboxId);
  if (tail.followers.size === 0 && feed.tails.get(organizationId) === tail) feed.tails.delete(organizationId);
}
