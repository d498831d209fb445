// <StateBadge>: the state of a held message.
"use client";
import { Badge } from "@mantine/core";
import type { Outputs } from "../trpc.ts";

type Status = Outputs["reviews"]["get"]["status"];

const STATES: Record<Status, { color: string; words: string }> = {
  pending: { color: "yellow", words: "Waiting" },
  approved: { color: "green", words: "Approved" },
  rejected: { color: "red", words: "Rejected" },
  expired: { color: "gray", words: "Expired" },
};

export function StateBadge({ status }: { status: Status }) {
  const { color, words } = STATES[status];
  return (
    <Badge variant="light" color={color}>
      {words}
    </Badge>
  );
}
