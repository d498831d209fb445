// Finds where a wait starts: `after` as a position in the event log or a time, and the cursor of its end.
import { and, eq } from "drizzle-orm";
import { events } from "#db/schema/events.ts";
import { messages } from "#db/schema/mail.ts";
import type { Agent, Ctx } from "../../base/context.ts";
import { readPosition as readCursorOf, writePosition } from "../../base/cursor.ts";
import { ServiceError } from "../../base/errors.ts";
import { isTime, readTime } from "../../base/id-range.ts";
import { decodeId } from "../../base/ids.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import { positionBefore } from "../../events/place.ts";
import { EVENT_KIND } from "../../events/record.ts";

/** No cursor and no id has this prefix. */
const LIKE_A_TIME = /^\d{4}-\d\d-\d\d/;

/** Events after `position`, and mail received after `since` if that is given. */
export type Start = { position: number; since?: Date };

const list = (inbox: InboxRow) => `wait:${inbox.id}`;

export function cursorAt(ctx: Ctx<Agent>, inbox: InboxRow, position: number): string {
  return writePosition(ctx, list(inbox), position);
}

/**
 * @param after a cursor of an earlier wait on this inbox, the id of one of its messages, or a time; undefined: now
 * @throws ServiceError `invalid_cursor`
 */
export async function readStart(
  ctx: Ctx<Agent>,
  inbox: InboxRow,
  after: string | undefined,
): Promise<Start | undefined> {
  if (after === undefined) return;
  if (LIKE_A_TIME.test(after)) return afterTime(ctx, readMoment(after));
  const id = decodeId("msg", after);
  return id ? afterMessage(ctx, inbox, id) : { position: readCursorOf(ctx, list(inbox), after) };
}

function readMoment(text: string): Date {
  if (isTime(text)) return readTime(text);
  throw new ServiceError(
    "invalid_cursor",
    "`after` must be a cursor, a message id, or an ISO 8601 time with `Z` or an offset (2026-11-20T09:30:00Z).",
  );
}

async function afterTime(ctx: Ctx<Agent>, since: Date): Promise<Start> {
  return { position: await positionBefore(ctx, since), since };
}

/**
 * After inbound mail, the wait starts at its place in the log. After outbound mail, it starts at the time it was accepted: its own
 * events, such as `message.delivered`, may come after the answer.
 */
async function afterMessage(ctx: Ctx<Agent>, inbox: InboxRow, id: string): Promise<Start> {
  const [event] = await ctx.db
    .select({ position: events.position })
    .from(events)
    .where(and(eq(events.message_id, id), eq(events.inbox_id, inbox.id), eq(events.kind, EVENT_KIND)));
  if (event) return event;
  const [message] = await ctx.db
    .select({ created_at: messages.created_at })
    .from(messages)
    .where(and(eq(messages.id, id), eq(messages.inbox_id, inbox.id)));
  if (message) return afterTime(ctx, message.created_at);
  throw new ServiceError("invalid_cursor", "`after` is no message of this mailbox.");
}
