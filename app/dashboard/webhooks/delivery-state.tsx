// <DeliveryState>: the state of a delivery: pending, retrying, succeeded, failed. And the polling interval of pending deliveries.
"use client";
import { Badge } from "@mantine/core";
import { IconCircleX, IconClock } from "../../design/icons.tsx";
import { IconAlertTriangle, IconCircleCheck } from "../../design/shell-icons.tsx";
import type { Outputs } from "../trpc.ts";
import classes from "./webhooks.module.css";

export type Delivery = Outputs["webhooks"]["listDeliveries"]["data"][number];

const SOON_MS = 60_000;
const OFTEN_MS = 2_000;
const SELDOM_MS = 15_000;
const STATES = {
  pending: { color: "yellow", Shape: IconClock, word: "Pending" },
  retrying: { color: "orange", Shape: IconAlertTriangle, word: "Retrying" },
  succeeded: { color: "green", Shape: IconCircleCheck, word: "Succeeded" },
  failed: { color: "red", Shape: IconCircleX, word: "Failed" },
} as const;

type Props = { delivery: Pick<Delivery, "status" | "attempt_count"> };

/** Retrying: pending, and an attempt failed. */
export function DeliveryState({ delivery: { status, attempt_count } }: Props) {
  const { color, Shape, word } = STATES[status === "pending" && attempt_count > 0 ? "retrying" : status];
  return (
    <Badge
      color={color}
      variant="light"
      className={classes.badge}
      leftSection={<Shape size={13} stroke={2.2} aria-hidden />}
    >
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
