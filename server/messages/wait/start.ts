// Finds where a wait starts: `after` as a position in the event log or a time.
import { and, desc, eq, lte } from "drizzle-orm";
import { events } from "#db/schema/events.ts";
import { messages } from "#db/schema/mail.ts";
import { waitEnds } from "#db/schema/waits.ts";
import type { Agent, Ctx } from "../../base/context.ts";
import { readPosition as readCursorOf, writePosition } from "../../base/cursor.ts";
import { ServiceError } from "../../base/errors.ts";
import { timeFault } from "../../base/fields.ts";
import { isTime, readTime } from "../../base/id-range.ts";
import { decodeId } from "../../base/ids.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import { positionBefore } from "../../events/place.ts";
import { EVENT_KIND } from "../../events/record.ts";
import { MAX_SECONDS } from "./schema.ts";

/** How long before the call a wait without `after` starts: the mail may have come before the agent waits for it. */
const RECENT_SECONDS = 120;
const MS = 1_000;

const FIX =
  "Repeat with the time before you caused the mail, or with the `received_at` or id of the last message that you have, as `after`. Without `after`, only mail of the last 120 s is found.";

/** No cursor and no id has this prefix. */
const LIKE_A_TIME = /^\d{4}-\d\d-\d\d/;

/** Of a cursor that was cut or changed. Shorter texts are meant as times or ids. */
const LIKE_A_CURSOR = /^[A-Za-z0-9_-]{30,}$/;

/** Events after `position`, and mail received after `since` if that is given. */
export type Start = { position: number; since?: Date };

const list = (inbox: InboxRow) => `wait:${inbox.id}`;

export function cursorAt(ctx: Ctx<Agent>, inbox: InboxRow, position: number): string {
  return writePosition(ctx, list(inbox), position);
}

/**
 * @param after a cursor of an earlier wait on this inbox, the id of one of its messages, or a time; undefined: the later of
 * `RECENT_SECONDS` ago and the newest message that a wait of this key returned
 * @throws ServiceError `invalid_cursor`, `invalid_request` if it is none of these
 */
export async function readStart(ctx: Ctx<Agent>, inbox: InboxRow, after: string | undefined): Promise<Start> {
  if (after === undefined) return recent(ctx, inbox);
  if (LIKE_A_TIME.test(after)) return afterTime(ctx, readMoment(ctx, after));
  const id = decodeId("msg", after);
  if (id) return afterMessage(ctx, inbox, id);
  try {
    return { position: readCursorOf(ctx, list(inbox), after) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (!LIKE_A_CURSOR.test(after)) throw refusedAfter(noTime(after));
    throw new ServiceError("invalid_cursor", "`after` is no `cursor` of a wait in this mailbox.", { fix: FIX });
  }
}

async function recent(ctx: Ctx<Agent>, inbox: InboxRow): Promise<Start> {
  const since = new Date(ctx.now().getTime() - RECENT_SECONDS * MS);
  // By the index of the mailbox: only the mail since then is passed over.
  const [[before], [end]] = await Promise.all([
    ctx.db
      .select({ position: events.position })
      .from(events)
      .where(and(eq(events.inbox_id, inbox.id), lte(events.created_at, since)))
      .orderBy(desc(events.position))
      .limit(1),
    ctx.db
      .select({ position: waitEnds.position })
      .from(waitEnds)
      .where(and(eq(waitEnds.inbox_id, inbox.id), eq(waitEnds.agent_key_id, ctx.actor.keyId))),
  ]);
  return { position: Math.max(before?.position ?? 0, end?.position ?? 0), since };
}

/** A clock that is a little ahead is no mistake: within the wait, mail may still arrive after such a time. */
function readMoment({ now }: Ctx<Agent>, text: string): Date {
  if (!isTime(text)) throw refusedAfter(noTime(text));
  const time = readTime(text);
  if (time.getTime() <= now().getTime() + MAX_SECONDS * MS) return time;
  throw refusedAfter(`is in the future; it is ${now().toISOString()} here`);
}

function noTime(text: string): string {
  return `${timeFault(text)}, or the id of a message of this mailbox`;
}

function refusedAfter(message: string): ServiceError {
  return new ServiceError("invalid_request", `after: ${message}`, { issues: [{ path: "after", message }], fix: FIX });
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
  throw new ServiceError("invalid_cursor", "`after` is no message of this mailbox.", { fix: FIX });
}
