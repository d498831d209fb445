// Formats events for the API.
import { encodeId } from "../base/ids.ts";
import type { EventRow } from "./list.ts";
import type { EventBody } from "./schema.ts";

/** The delay before a client reconnects. */
const RECONNECT_MS = 1_000;

export function eventView(row: EventRow) {
  const body = JSON.parse(row.body) as EventBody;
  return { id: encodeId("evt", row.id), created_at: row.created_at.toISOString(), ...body };
}

type Followed = { events: AsyncGenerator<EventRow | null, void>; start: string };

/** Formats events for HTML §9.2.6, with `start` as the id before the first event; a heartbeat is a comment. */
export async function* eventStream({ events, start }: Followed): AsyncGenerator<string, void> {
  try {
    yield `retry: ${RECONNECT_MS}\nid: ${start}\n\n`;
    for await (const row of events) {
      const view = row && eventView(row);
      yield view ? `id: ${view.id}\nevent: ${view.event}\ndata: ${JSON.stringify(view)}\n\n` : ": still here\n\n";
    }
  } finally {
    await events.return();
  }
}
