// POST /v1/inboxes/{addr}/wait: blocks until mail comes that the caller waits for. While it blocks it costs no query: the feed
// of the event log wakes it.
import type { Agent, Ctx } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { type Following, stopping } from "../events/feed.ts";
import { eventsAfter } from "../events/list.ts";
import { takeSlot } from "../events/slots.ts";
import { claimMessage, releaseMessage } from "../messages/claim.ts";
import type { MessageRow } from "../messages/columns.ts";
import { loadMessage } from "../messages/load.ts";
import { findInbox, type InboxRow } from "../tenancy.ts";
import { type Filters, type Matcher, readMatcher } from "./matcher.ts";
import { cursorAt, readStart, type Start } from "./start.ts";

const EVENTS_PER_READ = 200;

export type WaitInput = Filters & {
  addr: string;
  after?: string | undefined;
  timeout_seconds: number;
  claim: boolean;
};
type Until = { signal: AbortSignal; allowed: () => Promise<void> };
/** As much of an event as decides. */
type Candidate = { position: number; message_id: string | null; body: string; created_at: Date };
type Job = {
  ctx: Ctx<Agent>;
  inbox: InboxRow;
  matcher: Matcher;
  claim: boolean;
  since: Date | undefined;
  until: Until;
};

/**
 * The first mail that matches and came after `after`: at once when it is there already, else when it comes.
 * @param until `signal` aborts when the caller has gone; `allowed` throws when its key is no longer good
 * @returns the message, null when the time was over, and the cursor with which the next wait misses nothing
 * @throws ServiceError `inbox_not_found`, `invalid_request`, `invalid_cursor`, `rate_limited` (too many waits at once),
 *   `unavailable` when the service stops meanwhile
 */
export async function waitForEmail(ctx: Ctx<Agent>, input: WaitInput, until: Until) {
  const inbox = await findInbox(ctx, input.addr);
  const matcher = readMatcher(input);
  const start = await readStart(ctx, inbox, input.after);
  const leaveSlot = takeSlot(ctx);
  const arrivals = createArrivals(input.timeout_seconds * 1_000, until.signal);
  let following: Following | undefined;
  try {
    following = await ctx.feed.follow({ organizationId: inbox.organization_id, inboxId: inbox.id }, arrivals.take);
    const job = { ctx, inbox, matcher, claim: input.claim, since: start?.since, until };
    const found = await search(job, start, following.position, arrivals);
    return { message: found.message, cursor: cursorAt(ctx, inbox, found.position) };
  } finally {
    following?.stop();
    arrivals.close();
    leaveSlot();
  }
}

/** What is in the log already, when the caller asks for the past, and then what comes. */
async function search(job: Job, start: Start | undefined, from: number, arrivals: Arrivals) {
  const { ctx, inbox } = job;
  const selection = { organizationId: inbox.organization_id, inboxIds: [inbox.id] };
  let position = start?.position ?? from;
  const consider = async (events: Candidate[]): Promise<MessageRow | undefined> => {
    for (const event of events) {
      if (event.position <= position) continue;
      position = event.position;
      const message = await judge(job, event);
      if (message) return message;
    }
    return;
  };
  for (let more = start !== undefined; more; ) {
    const events = await eventsAfter(ctx, selection, position, EVENTS_PER_READ);
    const message = await consider(events);
    if (message) return { message, position };
    more = events.length === EVENTS_PER_READ;
  }
  for (;;) {
    const message = await consider(await arrivals.next());
    if (message || arrivals.over()) return { message: message ?? null, position };
  }
}

/** The message of an event, read, when it is what the caller waits for and, with `claim`, nobody else has it. */
async function judge(
  { ctx, inbox, matcher, claim, since, until }: Job,
  event: Candidate,
): Promise<MessageRow | undefined> {
  if (event.message_id === null || (since && event.created_at <= since)) return;
  if (!matcher.envelope(JSON.parse(event.body).message)) return;
  const message = await loadMessage(ctx, event.message_id);
  if (!message) return;
  if (matcher.text && message.status === "received") throw stillBeingRead(ctx, inbox, event.position);
  if (matcher.text && !matcher.text({ subject: message.subject, text: message.safe_text ?? "" })) return;
  // After it nothing may stand between a claim and its answer.
  await until.allowed();
  if (!claim) return message;
  if (until.signal.aborted || !(await claimMessage(ctx, message.id))) return;
  // Until the answer has left, a caller who goes away gives it back.
  const release = () => releaseMessage(ctx, message.id);
  if (until.signal.aborted) return void (await release());
  until.signal.addEventListener("abort", () => void release(), { once: true });
  return message;
}

/** A mail whose text decides, and whose text is not there in time, is nobody's to pass over. */
function stillBeingRead(ctx: Ctx<Agent>, inbox: InboxRow, position: number): ServiceError {
  const again = cursorAt(ctx, inbox, position - 1);
  const message = `A mail that may match is still being read. Repeat with "after": "${again}".`;
  return new ServiceError("unavailable", message, { headers: { "Retry-After": "1" } });
}

type Arrivals = ReturnType<typeof createArrivals>;

/** What the feed hands to one waiter, until its time is over, it has gone, or the service stops. */
function createArrivals(timeoutMs: number, signal: AbortSignal) {
  let events: Candidate[] = [];
  let end: "time" | "gone" | "stop" | undefined;
  let wake = () => {};
  const finish = (why: typeof end) => {
    end ??= why;
    wake();
  };
  const gone = () => finish("gone");
  const timer = setTimeout(finish, timeoutMs, "time");
  if (signal.aborted) gone();
  else signal.addEventListener("abort", gone, { once: true });
  return {
    take(event: Candidate | null): void {
      if (event) events.push(event);
      else finish("stop");
      wake();
    },
    /** What has come, as soon as there is something; nothing when it is over. */
    async next(): Promise<Candidate[]> {
      if (events.length === 0 && !end) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const taken = events;
      events = [];
      return taken;
    },
    /** @throws ServiceError `unavailable` when the service stops: the caller may come back with the same `after` */
    over(): boolean {
      if (end === "stop") throw stopping();
      return end !== undefined && events.length === 0;
    },
    close(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
    },
  };
}
