// Formats events for the API.
import { encodeId } from "../base/ids.ts";
import type { EventRow } from "./list.ts";

/** The delay before a client reconnects. */
const RECONNECT_MS = 1_000;

type MessageOutcomeKind = "message.delivered" | "message.bounced" | "message.complained" | "message.failed";
type ReviewKind = "message.approved" | "message.rejected";
/** The decision on a held message. `sha256`: of the content that was decided on. */
type ReviewDecision = { id: string; thread_id: string; revision: number; sha256: string; reason: string | null };
type DomainKind = "domain.verified" | "domain.lost";
type SendingKind = "sending.paused" | "sending.resumed";
/** What is paused. `by`: as people read it. */
type SendingPause = {
  scope: "organization" | "inbox" | "agent_key";
  id: string;
  by: string;
  reason: string | null;
};
/** What became of an outbound message for one recipient; `recipient` is null if it failed for all. */
type MessageOutcome = {
  id: string;
  thread_id: string;
  recipient: string | null;
  status: "delivered" | "bounced" | "complained" | "failed";
  smtp_code: number | null;
  enhanced_code: string | null;
  reason: string | null;
};

/** The body of an event, as it was stored. */
export type EventBody =
  | {
      event: "message.received";
      inbox: string;
      message: { id: string; thread_id: string; from: string; subject: string; received_at: string };
    }
  | { event: ReviewKind; inbox: string; message: ReviewDecision }
  | { event: MessageOutcomeKind; inbox: string; message: MessageOutcome }
  | {
      event: DomainKind;
      inbox: null;
      domain: { id: string; domain: string; status: "verified" | "lost"; reason: string | null };
    }
  | { event: SendingKind; inbox: string | null; pause: SendingPause }
  | { event: "webhook.disabled"; inbox: string | null; webhook: { id: string; url: string; reason: string } };

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
