// <DeliveryState>: the state of a delivery: pending, succeeded, failed. And the polling interval of pending deliveries.
"use client";
import { Badge } from "@mantine/core";
import { IconCircleX, IconClock } from "../../design/icons.tsx";
import { IconCircleCheck } from "../../design/shell-icons.tsx";
import type { Outputs } from "../trpc.ts";

export type Delivery = Outputs["webhooks"]["listDeliveries"]["data"][number];

const SOON_MS = 60_000;
const OFTEN_MS = 2_000;
const SELDOM_MS = 15_000;
const STATES = {
  pending: { color: "yellow", Shape: IconClock, word: "Pending" },
  succeeded: { color: "green", Shape: IconCircleCheck, word: "Succeeded" },
  failed: { color: "red", Shape: IconCircleX, word: "Failed" },
} as const;

export function DeliveryState({ status }: { status: Delivery["status"] }) {
  const { color, Shape, word } = STATES[status];
  return (
    <Badge color={color} variant="light" leftSection={<Shape size={13} stroke={2.2} aria-hidden />}>
      {word}
    </Badge>
  );
}

/**
 * In how many ms to poll again: often while an attempt is due within a minute, rarely while the next one is hours away.
 */
export function lookAgainMs(deliveries: Pick<Delivery, "status" | "next_attempt_at">[]): number {
  const soon = Date.now() + SOON_MS;
  const isDue = ({ status, next_attempt_at }: (typeof deliveries)[number]) =>
    status === "pending" && (next_attempt_at === null || new Date(next_attempt_at).getTime() < soon);
  return deliveries.some(isDue) ? OFTEN_MS : SELDOM_MS;
}
