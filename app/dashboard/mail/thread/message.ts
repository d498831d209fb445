// Texts about messages: senders, recipients, sizes.
import type { Outputs } from "../../trpc.ts";

export type Thread = Outputs["threads"]["get"];
export type Message = Thread["messages"][number];

export function atOf({ received_at, created_at }: Message): string {
  return received_at ?? created_at ?? "";
}

const KIB = 1024;

/** "812 bytes", "14 KiB", "2.3 MiB". */
export function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`;
  if (bytes < KIB * KIB) return `${Math.round(bytes / KIB)} KiB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}
