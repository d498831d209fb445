// What became of an outbound message, and of each of its recipients, in words.
import type { Icon } from "../../design/draw-icon.tsx";
import { IconCheck, IconClock, IconMailbox, IconPlayerPause } from "../../design/icons.tsx";
import { IconAlertTriangle, IconCircleCheck } from "../../design/shell-icons.tsx";
import type { Outputs } from "../trpc.ts";

type Message = Outputs["messages"]["list"]["data"][number];
type Recipient = NonNullable<Message["recipients"]>[number];
export type State = { color: string; words: string; Shape: Icon };

const STATES: Record<string, State> = {
  held: { color: "yellow", words: "Waiting for approval", Shape: IconPlayerPause },
  rejected: { color: "red", words: "Rejected", Shape: IconAlertTriangle },
  cancelled: { color: "gray", words: "Cancelled", Shape: IconPlayerPause },
  captured: { color: "gray", words: "Captured", Shape: IconMailbox },
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

export function recipientState(recipient: Recipient): State | undefined {
  const isWaiting = recipient.status === "queued" || recipient.status === "sent";
  if (isWaiting && recipient.reason?.startsWith("delayed:")) return DELAYED;
  return STATES[recipient.status];
}

/** Undefined for inbound messages. */
export function messageState({ status }: Pick<Message, "status">): State | undefined {
  return STATES[status];
}
