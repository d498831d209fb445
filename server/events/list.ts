// GET /v1/events: the event log, oldest first, from any position that the log keeps.
import { and, eq, gt, inArray } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import type { EventKind } from "#db/event-kinds.ts";
import { events } from "#db/schema/events.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readPosition as readCursorOf, writePosition } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { FIRST_ID, isTime, readTime } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import { readSelection, type Selection } from "../base/tenancy.ts";
import { positionBefore } from "./place.ts";

const EVENTS_PER_READ = 200;

const { id, position, inbox_id, message_id, kind, body, created_at } = events;
const eventColumns = { id, position, inbox_id, message_id, kind, body, created_at };
export type EventRow = Pick<typeof events.$inferSelect, keyof typeof eventColumns>;
const log = (ctx: Ctx<Caller>) => `events:${ctx.actor.organizationId}`;

/** A position as a cursor for `after`. It is valid even before any event exists. */
export function cursorAt(ctx: Ctx<Caller>, position: number): string {
  return writePosition(ctx, log(ctx), position);
}

/**
 * The position after which to continue.
 * @param after event id, or the cursor with which a stream started; undefined: the start of the stored log
 * @throws ServiceError `invalid_cursor` if the event does not exist, is another organization's, or is no longer stored
 */
export async function readPosition(ctx: Ctx<Caller>, after: string | undefined): Promise<number> {
  if (after === undefined) return 0;
  const id = decodeId("evt", after);
  if (!id) return readCursorOf(ctx, log(ctx), after);
  const [row] = await ctx.db
    .select({ position })
    .from(events)
    .where(and(eq(events.id, id), eq(events.organization_id, ctx.actor.organizationId)));
  if (!row) {
    throw new ServiceError("invalid_cursor", "The event does not exist, or is older than the log keeps.", {
      fix: "Read the log from its start with GET /v1/events without `after`, and pass over the events that you have.",
    });
  }
  return row.position;
}

/** Events of these mailboxes and kinds, later than `since`; without `kinds`, of all. */
export type Selected = Selection & { kinds?: readonly EventKind[] | undefined; since?: Date | undefined };

/** The next `limit` events of a selection after a position, oldest first. */
function eventsAfter({ db }: Pick<Ctx, "db">, selection: Selected, after: number, limit: number): Promise<EventRow[]> {
  const { organizationId, inboxIds, madeBy, kinds, since } = selection;
  const [only] = inboxIds?.length === 1 ? inboxIds : [];
  // A single inbox has its own index.
  const all = inboxIds ? anyOf(inbox_id, inboxIds) : undefined;
  const made = db
    .select({ id: inboxes.id })
    .from(inboxes)
    .where(eq(inboxes.agent_id, madeBy ?? FIRST_ID));
  return db
    .select(eventColumns)
    .from(events)
    .where(
      and(
        eq(events.organization_id, organizationId),
        gt(position, after),
        kinds && inArray(kind, [...kinds]),
        since && gt(created_at, since),
        only ? eq(inbox_id, only) : all,
        madeBy === null ? undefined : inArray(inbox_id, made),
      ),
    )
    .orderBy(position)
    .limit(limit);
}

/** The batch size for reading the log; `behind`: there may be more. */
export async function readNext(ctx: Pick<Ctx, "db">, selection: Selected, after: number) {
  const rows = await eventsAfter(ctx, selection, after, EVENTS_PER_READ);
  return { events: rows, behind: rows.length === EVENTS_PER_READ };
}

/**
 * Returns a page of the log.
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`
 */
export async function listEvents(
  ctx: Ctx<Caller>,
  input: { after?: string | undefined; inbox?: string | undefined; events: readonly EventKind[]; limit: number },
): Promise<{ rows: EventRow[]; more: boolean }> {
  const since = input.after !== undefined && isTime(input.after) ? readTime(input.after) : undefined;
  const selection = { ...(await readSelection(ctx, input.inbox)), kinds: input.events, since };
  const after = since ? await positionBefore(ctx, since) : await readPosition(ctx, input.after);
  const rows = await eventsAfter(ctx, selection, after, input.limit + 1);
  return { rows: rows.slice(0, input.limit), more: rows.length > input.limit };
}
