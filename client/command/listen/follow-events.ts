// Follows the event stream of the service through disconnects and restarts, from the last event that was received.
import { setTimeout as sleep } from "node:timers/promises";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { EXIT, exitOfStatus } from "../exit-codes.ts";
import { CommandProblem } from "../problem.ts";
import type { Session } from "../session.ts";

/** The service sends a comment every 15 s; without one for this time, the connection is lost. */
const SILENT_MAX_MS = 45_000;
const RECONNECT_MIN_MS = 500;
const RECONNECT_MAX_MS = 15_000;
/** Larger than every event: an event names a message and does not contain it. */
const EVENT_MAX_CHARS = 1_048_576;
/** Statuses after which the same request may succeed. */
const TEMPORARY = new Set([429, 500, 502, 503, 504]);

export type StreamEvent = { id: string; kind: string; data: Record<string, unknown> };
type Place = { inbox: string | undefined; position: string | undefined };
export type Following = { inbox?: string; after?: string; onState(text: string): void };

/**
 * Yields each event once, in order, until the command is stopped.
 * @throws CommandProblem when the service refuses the stream: the key, the mailbox or the position is not valid
 */
export async function* followEvents(
  session: Session,
  { inbox, after, onState }: Following,
): AsyncGenerator<StreamEvent> {
  const { stop } = session.shell;
  const place: Place = { inbox, position: after };
  let delayMs = RECONNECT_MIN_MS;
  while (!stop.aborted) {
    try {
      for await (const event of connect(session, place, onState)) {
        delayMs = RECONNECT_MIN_MS;
        yield event;
        place.position = event.id;
      }
      onState("disconnected");
    } catch (error) {
      if (error instanceof CommandProblem) throw error;
      if (stop.aborted) return;
      onState(`disconnected: ${error instanceof Error ? error.message : error}`);
    }
    await sleep(delayMs, undefined, { signal: stop }).catch(() => {}); // stopped: the loop ends
    delayMs = Math.min(delayMs * 2, RECONNECT_MAX_MS);
  }
}

/** One connection, until the service or the network ends it. */
async function* connect({ url, key, shell }: Session, place: Place, onState: Following["onState"]) {
  const silence = new AbortController();
  const signal = AbortSignal.any([shell.stop, silence.signal]);
  const timer = setTimeout(() => silence.abort(new Error("the service was silent")), SILENT_MAX_MS);
  try {
    const query = place.inbox === undefined ? "" : `?inbox=${encodeURIComponent(place.inbox)}`;
    const headers: Record<string, string> = { Authorization: `Bearer ${key}`, Accept: "text/event-stream" };
    if (place.position !== undefined) headers["Last-Event-ID"] = place.position;
    const answer = await fetch(`${url}/v1/events/stream${query}`, { headers, signal });
    if (!answer.ok || !answer.body) return await refuse(url, answer);
    const parsed = answer.body
      .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
      .pipeThrough(watched(timer, place, onState))
      .pipeThrough(new EventSourceParserStream({ maxBufferSize: EVENT_MAX_CHARS, onError: "terminate" }));
    for await (const { id, event, data } of parsed) yield readEvent(id, event, data);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Notices each sign of life, and the position with which a stream starts: the parser passes no id on without data. */
function watched(timer: NodeJS.Timeout, place: Place, onState: Following["onState"]): TransformStream<string, string> {
  let head: string | undefined = "";
  return new TransformStream({
    transform(chunk, controller) {
      timer.refresh();
      if (head !== undefined) {
        head += chunk;
        const [first, ...rest] = head.split("\n\n");
        if (rest.length > 0) {
          place.position ??= /^id: ?(.+)$/m.exec(first ?? "")?.[1];
          head = undefined;
          onState("connected");
        }
      }
      controller.enqueue(chunk);
    },
  });
}

function readEvent(id: string | undefined, kind: string | undefined, data: string): StreamEvent {
  const parsed: unknown = JSON.parse(data);
  if (!id || !kind || typeof parsed !== "object" || parsed === null) throw new Error("an event has no id or kind");
  return { id, kind, data: { ...parsed } };
}

/** @throws CommandProblem for a refusal that stays, Error for one that passes */
async function refuse(url: string, answer: Response): Promise<never> {
  const body: unknown = await answer.json().catch(() => undefined); // a proxy may answer without JSON
  const { message = `${url} answered ${answer.status}.`, fix = "" } =
    (body as { error?: { message?: string; fix?: string } } | undefined)?.error ?? {};
  if (TEMPORARY.has(answer.status)) throw new Error(message);
  throw new CommandProblem(answer.ok ? EXIT.error : exitOfStatus(answer.status), `${message} ${fix}`.trim());
}
