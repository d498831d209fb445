// The states of an outbound message and of each of its recipients, in words. Every page takes them from here.
import type { Icon } from "../../design/draw-icon.tsx";
import { IconCheck, IconClock, IconMailbox, IconPlayerPause } from "../../design/icons.tsx";
import { IconAlertTriangle, IconCircleCheck } from "../../design/shell-icons.tsx";
import type { Outputs } from "../trpc.ts";

type Message = Outputs["messages"]["list"]["data"][number];
type Recipient = NonNullable<Message["recipients"]>[number];
/** `words`: a short name, also after "Message". `means`: a sentence about what happens, where the name does not say it. */
export type State = { color: string; words: string; Shape: Icon; means?: string };

const STATES: Record<string, State> = {
  held: {
    color: "yellow",
    words: "Waiting for approval",
    Shape: IconPlayerPause,
    means: "It leaves when a member approves it.",
  },
  rejected: { color: "red", words: "Rejected", Shape: IconAlertTriangle },
  cancelled: { color: "gray", words: "Cancelled", Shape: IconPlayerPause },
  captured: {
    color: "gray",
    words: "Captured",
    Shape: IconMailbox,
    means: "It is stored here and not sent to other services.",
  },
  scheduled: { color: "gray", words: "Scheduled", Shape: IconClock },
  queued: { color: "gray", words: "Queued", Shape: IconClock },
  sending: { color: "gray", words: "Being sent", Shape: IconClock },
  sent: { color: "green", words: "Sent", Shape: IconCheck },
  delivered: { color: "green", words: "Delivered", Shape: IconCircleCheck },
  bounced: { color: "red", words: "Bounced", Shape: IconAlertTriangle },
  complained: { color: "red", words: "Reported as spam", Shape: IconAlertTriangle },
  suppressed: { color: "red", words: "Suppressed", Shape: IconAlertTriangle },
  failed: { color: "red", words: "Not sent", Shape: IconAlertTriangle },
};
const DELAYED: State = { color: "yellow", words: "Delayed", Shape: IconClock };
/** These mean that a recipient did not get the message, or did not want it. */
const BAD = ["bounced", "complained", "suppressed", "failed"];

/** A day and a time of the clock, in the viewer's zone. */
const when = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** @param status of an outbound message */
export function stateWords(status: string): string {
  return STATES[status]?.words ?? status;
}

export function recipientState(recipient: Recipient): State | undefined {
  return isDelayed(recipient) ? DELAYED : STATES[recipient.status];
}

function isDelayed({ status, reason }: Recipient): boolean {
  return (status === "queued" || status === "sent") && reason?.startsWith("delayed:") === true;
}

export type Outbound = Pick<Message, "status" | "recipients" | "send_at">;

/** Undefined for inbound messages. */
export function messageState({ status, recipients = [], send_at }: Outbound): State | undefined {
  const state = STATES[status];
  if (!state) return undefined;
  if (send_at && (status === "scheduled" || (status === "queued" && isAhead(send_at)))) {
    return { ...state, words: `Leaves ${when.format(new Date(send_at))}` };
  }
  if (status === "queued" && recipients.some(isDelayed)) return DELAYED;
  const captured = recipients.filter((recipient) => recipient.status === "captured").length;
  if (status === "sent" && captured > 0) return partly(STATES.captured ?? state, captured, recipients.length);
  const bad = recipients.filter((recipient) => BAD.includes(recipient.status)).length;
  if (BAD.includes(status) && bad < recipients.length) return partly(state, bad, recipients.length);
  return state;
}

function partly(state: State, some: number, all: number): State {
  return { ...state, words: `${state.words} for ${some} of ${all}` };
}

function isAhead(time: string): boolean {
  return Date.parse(time) > Date.now();
}

/** Whether the message can still be cancelled without a decision: it waits for its time. */
export function waitsForTime({ status, send_at }: Pick<Message, "status" | "send_at">): boolean {
  return status === "scheduled" || (status === "queued" && send_at != null && isAhead(send_at));
}

/** Whether there is mail to answer or to forward. */
export function hasLeft(message: Pick<Message, "status" | "send_at">): boolean {
  return !["held", "rejected", "cancelled"].includes(message.status) && !waitsForTime(message);
}
