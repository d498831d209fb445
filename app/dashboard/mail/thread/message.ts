// Texts about messages: senders, recipients, sizes.
import type { Outputs } from "../../trpc.ts";

export type Thread = Outputs["threads"]["get"];
export type Message = Thread["messages"][number];

export function atOf({ received_at, created_at }: Message): string {
  return received_at ?? created_at ?? "";
}

/** The first calendar file: an invitation often has it twice. */
export function calendarFile({ attachments }: Message): Message["attachments"][number] | undefined {
  return attachments.find(
    ({ content_type, filename }) => /^text\/calendar\b/i.test(content_type) || /\.ics$/i.test(filename ?? ""),
  );
}

/** A verdict on the sender comes within seconds, or never: mail of early versions has none. */
const JUDGED_WITHIN_MS = 60_000;

export function isBeingJudged(message: Message): boolean {
  const { direction, authentication } = message;
  return direction === "inbound" && !authentication && Date.now() - Date.parse(atOf(message)) < JUDGED_WITHIN_MS;
}

const KIB = 1024;

/** "812 bytes", "14 KiB", "2.3 MiB". */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`;
  if (bytes < KIB * KIB) return `${Math.round(bytes / KIB)} KiB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}
