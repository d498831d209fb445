// POST /v1/inboxes/{addr}/wait: blocks until a matching message arrives. A blocked wait runs no queries: the feed of
// the event log wakes it.
import type { Agent, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { findInbox, type InboxRow } from "../../base/tenancy.ts";
import { type Following, stopping } from "../../events/feed.ts";
import { type EventRow, readNext } from "../../events/list.ts";
import { createQueue, type Queue } from "../../events/queue.ts";
import { EVENT_KIND } from "../../events/record.ts";
import { takeSlot, type Until } from "../../events/slots.ts";
import { canBeRead } from "../../receiving/parse.ts";
import type { MessageRow } from "../columns.ts";
import { loadMessage } from "../load.ts";
import { claimMessage, findUnclaimed, releaseMessage } from "./claim.ts";
import { findEarlier } from "./earlier.ts";
import { type Filters, type Matcher, readMatcher } from "./matcher.ts";
import { cursorAt, readStart, type Start } from "./start.ts";

/** The time for searching the past, whatever the timeout; the next wait continues. */
const SEARCH_MIN_MS = 10_000;
/** The most mails, claimed by others, that are tried again at the end. */
const LOST_MAX = 1_000;

export type WaitInput = Filters & {
  addr: string;
  after?: string | undefined;
  timeout_seconds: number;
  claim: boolean;
};
/** The part of an event that decides. */
type Candidate = Pick<EventRow, "id" | "position" | "kind" | "message_id" | "body" | "created_at">;
type Job = {
  ctx: Ctx<Agent>;
  inbox: InboxRow;
  matcher: Matcher;
  claim: boolean;
  since: Date | undefined;
  until: Until;
  clock: Clock;
  queue: Queue;
  /** Messages that another waiter claimed first, by id. */
  lost: Map<string, Candidate>;
};
type Match = { message: MessageRow; eventId: string };
type Read = { events: Candidate[]; behind: boolean };
type Found = { match: Match | null; position: number };

/**
 * Returns the oldest match, immediately if one already arrived after `after`. `earlier`: after a time-out, the mail before `after`.
 * @param until `signal` aborts if the caller disconnects; `allowed` throws if its key is no longer valid
 * @returns the message with its event, null after the timeout, and the cursor with which the next wait misses nothing
 * @throws ServiceError `inbox_not_found`, `invalid_request`, `invalid_cursor`, `rate_limited` (too many waits open),
 * `unavailable` if a mail was not parsed in time, or the service stops
 */
export async function waitForEmail(ctx: Ctx<Agent>, input: WaitInput, until: Until) {
  const clock = startClock(input.timeout_seconds * 1_000);
  const inbox = await findInbox(ctx, input.addr);
  const leaveSlot = takeSlot(ctx);
  ctx.mailThreads.warm();
  const queue = createQueue(until.signal);
  let following: Following | undefined;
  try {
    const matcher = await readMatcher(ctx, inbox.organization_id, input);
    const start = await readStart(ctx, inbox, input.after);
    const followed = { organizationId: inbox.organization_id, inboxId: inbox.id };
    following = await ctx.feed.follow(followed, (event) => (event ? queue.add(event) : queue.end()));
    const job = { ctx, inbox, matcher, claim: input.claim, since: start.since, until, clock, queue, lost: new Map() };
    const found = await search(job, start);
    const match = found.match ?? (await findReturned(job));
    const isTimeout = match === null && !until.signal.aborted;
    const earlier = isTimeout ? await findEarlier(ctx, inbox, start, matcher) : null;
    return {
      match,
      earlier,
      inboxId: inbox.id,
      position: found.position,
      cursor: cursorAt(ctx, inbox, found.position),
    };
  } finally {
    following?.stop();
    queue.close();
    leaveSlot();
  }
}

type Clock = ReturnType<typeof startClock>;

function startClock(timeoutMs: number) {
  const started = performance.now();
  const leftOf = (ms: number) => Math.max(0, started + ms - performance.now());
  return {
    /** Until nothing is left to wait for. */
    leftMs: () => leftOf(timeoutMs),
    /** The past may not be searched any longer. */
    isSpent: () => leftOf(Math.max(timeoutMs, SEARCH_MIN_MS)) === 0,
  };
}

/** Reads the events since the start, and then new ones. */
async function search(job: Job, start: Start): Promise<Found> {
  const { ctx, inbox, clock, queue } = job;
  const selection = { organizationId: inbox.organization_id, inboxIds: [inbox.id], madeBy: null };
  let { position } = start;
  let behind = true;
  for (;;) {
    const next: Read = behind ? await readNext(ctx, selection, position) : await queue.next(clock.leftMs());
    const { match, ...reached } = await consider(job, next.events, position);
    position = reached.position;
    if (match || reached.over) return { match, position };
    const isIdle = !behind && next.events.length === 0;
    if (isOver(job) || (isIdle && clock.leftMs() === 0)) return { match: null, position };
    behind = next.behind;
  }
}

/** Processes events in order, at least one from the requested time, so that every wait makes progress. */
async function consider(job: Job, events: Candidate[], after: number): Promise<Found & { over: boolean }> {
  let position = after;
  for (const event of events) {
    if (event.position <= position) continue;
    position = event.position;
    // The cursor does not hold the time: the next wait must not start among these events.
    if (job.since && event.created_at <= job.since) continue;
    const match = await judge(job, event);
    if (match) return { match, position, over: true };
    const isSpent = job.clock.isSpent() || job.matcher.pattern?.isSpent();
    if (isOver(job) || isSpent) return { match: null, position, over: true };
  }
  return { match: null, position, over: false };
}

/**
 * Whether the caller disconnected.
 * @throws ServiceError `unavailable` if the service stops: the caller may repeat with the same `after`
 */
function isOver({ until, queue }: Job): boolean {
  if (until.signal.aborted) return true;
  if (queue.ended) throw stopping();
  return false;
}

/**
 * The message of an event, if all of it but its text matches. A busy service may need longer to parse it than one load waits.
 * @throws ServiceError `unavailable` if it was not parsed while the wait had time
 */
async function loadMatch(job: Job, { position }: Candidate, id: string): Promise<MessageRow | undefined> {
  const { ctx, inbox, matcher, clock } = job;
  for (;;) {
    const message = await loadMessage(ctx, id);
    // An undo of "not spam" returns a message to quarantine, and its event stays.
    if (!message || message.quarantine !== null || !matcher.stored(message)) return;
    if (canBeRead(message)) return message;
    if (clock.leftMs() === 0 || isOver(job)) throw stillBeingRead(ctx, inbox, position);
  }
}

/** The parsed message of an event, if it matches and, with `claim`, no other waiter has it. */
async function judge(job: Job, event: Candidate): Promise<Match | undefined> {
  const { ctx, matcher, claim, until } = job;
  if (event.kind !== EVENT_KIND || event.message_id === null) return;
  if (!matcher.envelope(JSON.parse(event.body).message)) return;
  const message = await loadMatch(job, event, event.message_id);
  if (!message) return;
  const { pattern } = matcher;
  if (pattern && !(await pattern.matches({ subject: message.subject, text: message.safe_text ?? "" }))) return;
  // From here on, nothing may fail between the claim and the answer.
  await until.allowed();
  const match = { message, eventId: event.id };
  if (!claim) return match;
  if (until.signal.aborted) return;
  if (!(await claimMessage(ctx, message.id))) return void noteLost(job, message.id, event);
  // Until the answer is sent, the claim of a caller that disconnects is released.
  const release = () => releaseMessage(ctx, message.id);
  if (until.signal.aborted) return void (await release());
  until.signal.addEventListener("abort", () => void release(), { once: true });
  return match;
}

function noteLost({ lost }: Job, id: string, event: Candidate): void {
  lost.set(id, event);
  const [oldest] = lost.keys();
  if (oldest !== undefined && lost.size > LOST_MAX) lost.delete(oldest);
}

/** Tries messages again whose claims other waiters released after this wait had passed them. */
async function findReturned(job: Job): Promise<Match | null> {
  const { ctx, lost, until } = job;
  if (lost.size === 0 || until.signal.aborted) return null;
  const id = await findUnclaimed(ctx, [...lost.keys()]);
  const event = id === undefined ? undefined : lost.get(id);
  return (event && (await judge(job, event))) ?? null;
}

/** An unparsed mail may match and has no code or link yet, so it must not be skipped. */
function stillBeingRead(ctx: Ctx<Agent>, inbox: InboxRow, position: number): ServiceError {
  const again = cursorAt(ctx, inbox, position - 1);
  const message = `A mail that may match has not been parsed yet. Repeat with "after": "${again}".`;
  return new ServiceError("unavailable", message, { headers: { "Retry-After": "1" } });
}
