// A client of the event stream that keeps what it got, and a way to wait for what is about to be true.
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { CONDITION_TIMEOUT_MS } from "./patience.ts";

const LOOK_EVERY_MS = 20;

export type EventItem = {
  id: string;
  event: string;
  inbox: string;
  created_at: string;
  message: { id: string; thread_id: string; from: string; subject: string; received_at: string };
};

/** Of the log, without what the mailbox itself did: it was created, its mail left. */
export function reportedOf<Item extends { event: string }>(events: Item[]): Item[] {
  return events.filter(({ event }) => !/^(inbox\.|message\.(sent|held|restored)$|suppression\.)/.test(event));
}

/** Repeats the expectation until it holds, and gives its result; throws what it threw last when that takes too long. */
export async function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  const until = performance.now() + CONDITION_TIMEOUT_MS;
  for (;;) {
    try {
      return await expectation();
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

/** Repeats GET of a received message until it has the verdict on its sender, which may follow its words. */
export function judged<Message extends { authentication: object | null }>(
  get: () => Promise<{ body: Message }>,
): Promise<Message> {
  return eventually(async () => {
    const { body } = await get();
    expect(body.authentication).toEqual(expect.anything());
    return body;
  });
}

/** Follows GET /v1/events/stream from when this settles; `ended` settles when the service ends the stream. */
export async function follow(
  { url }: { url: string },
  request: { key: string; query?: string; lastEventId?: string | undefined },
) {
  const { key, query = "", lastEventId } = request;
  const gone = new AbortController();
  const answer = await fetch(`${url}/v1/events/stream${query}`, {
    headers: { Authorization: `Bearer ${key}`, ...(lastEventId && { "Last-Event-ID": lastEventId }) },
    signal: gone.signal,
  });
  const events: EventItem[] = [];
  const comments: string[] = [];
  let rest = "";
  async function read(): Promise<string> {
    for await (const chunk of answer.body ?? []) {
      rest += Buffer.from(chunk).toString();
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) take(block);
    }
    return rest;
  }
  function take(block: string): void {
    const fields = new Map(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.replace(/^\w*: ?/, "")]),
    );
    const data = fields.get("data");
    if (data === undefined) return void comments.push(block);
    const event = JSON.parse(data) as EventItem;
    if (fields.get("id") !== event.id || fields.get("event") !== event.event) throw new Error(`odd event: ${block}`);
    events.push(event);
  }
  const ended = read().catch((error: unknown) => (error instanceof Error ? error.name : String(error)));
  return {
    status: answer.status,
    headers: answer.headers,
    events,
    comments,
    ended,
    /** Hangs up. */
    async close(): Promise<void> {
      gone.abort();
      await ended;
    },
  };
}
