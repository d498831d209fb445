// GET /v1/events: the event log, oldest first, from any position of the last 30 days.
import type { Caller, Ctx } from "../base/context.ts";
import { readPosition as readCursorOf, writePosition } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { findInbox } from "../base/tenancy.ts";
import type { StoredEvent } from "./record.ts";

const EVENTS_PER_READ = 200;

export type EventRow = Omit<StoredEvent, "organization_id">;
/** `inboxIds` null: every inbox of the organization. */
export type Selection = { organizationId: string; inboxIds: readonly string[] | null };

/** Selects the events that a caller may see, of one inbox or all.\n@throws ServiceError `inbox_not_found` */
export async function readSelection(ctx: Ctx<Caller>, inbox: string | undefined): Promise<Selection> {
  const { organizationId, inboxIds } = ctx.actor;
  if (inbox === undefined) return { organizationId, inboxIds };
  return { organizationId, inboxIds: [(await findInbox(ctx, inbox)).id] };
}

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
  const [row] = await ctx.sql<{ position: number }[]>`
    select position from events where id = ${id} and organization_id = ${ctx.actor.organizationId}`;
  if (!row) throw new ServiceError("invalid_cursor", "The event does not exist, or is older than 30 days.");
  return row.position;
}

/** The next `limit` events of a selection after a position, oldest first. */
async function eventsAfter({ sql }: Pick<Ctx, "sql">, selection: Selection, position: number, limit: number) {
  const { organizationId, inboxIds } = selection;
  const [only] = inboxIds?.length === 1 ? inboxIds : [];
  // A single inbox has its own index.
  const mine = only
    ? sql`and inbox_id = ${only}`
    : inboxIds
      ? sql`and inbox_id = any(${inboxIds as string[]}::uuid[])`
      : sql``;
  return sql<EventRow[]>`
    select id, position, inbox_id, message_id, kind, body, created_at from events
    where organization_id = ${organizationId} and position > ${position} ${mine}
    order by position limit ${limit}`;
}

/** The batch size for reading the log; `behind`: there may be more. */
export async function readNext(ctx: Pick<Ctx, "sql">, selection: Selection, position: number) {
  const events = await eventsAfter(ctx, selection, position, EVENTS_PER_READ);
  return { events, behind: events.length === EVENTS_PER_READ };
}

/** Returns a page of the log.\n@throws ServiceError `inbox_not_found`, `invalid_cursor` */
export async function listEvents(
  ctx: Ctx<Caller>,
  input: { after?: string | undefined; inbox?: string | undefined; limit: number },
): Promise<{ rows: EventRow[]; more: boolean }> {
  const selection = await readSelection(ctx, input.inbox);
  const rows = await eventsAfter(ctx, selection, await readPosition(ctx, input.after), input.limit + 1);
  return { rows: rows.slice(0, input.limit), more: rows.length > input.limit };
}
