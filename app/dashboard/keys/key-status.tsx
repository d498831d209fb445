// <KeyStatus>: the status of an enrollment key or an agent key, with an explanation on hover and focus.
"use client";
import { Badge, Tooltip } from "@mantine/core";
import { IconClockX } from "../../design/icons.tsx";
import { IconAlertTriangle, IconBan, IconCircleCheck } from "../../design/shell-icons.tsx";
import classes from "./keys.module.css";

const STATUSES = {
  active: {
    label: "Active",
    color: "green",
    Shape: IconCircleCheck,
    means: "Agents can enroll and create mailboxes.",
  },
  exhausted: {
    label: "Used up",
    color: "red",
    Shape: IconAlertTriangle,
    means: "Its agents cannot create more mailboxes. Existing mailboxes keep working.",
  },
  expired: {
    label: "Expired",
    color: "yellow",
    Shape: IconClockX,
    means: "No new agents can enroll. Existing agents keep working.",
  },
  revoked: { label: "Revoked", color: "gray", Shape: IconBan, means: "Its agents are refused." },
} as const;

export function KeyStatus({ status }: { status: keyof typeof STATUSES }) {
  const { label, color, Shape, means } = STATUSES[status];
  return (
    <Tooltip label={means} multiline maw={280}>
      <Badge
        className={classes.badge}
        color={color}
        variant="light"
        leftSection={<Shape size={13} stroke={2.2} aria-hidden />}
        tabIndex={0}
      >
        {label}
      </Badge>
    </Tooltip>
  );
}

/** @param active whether it is usable now; if not, one of the others says why */
export function AgentKeyStatus({ active, revoked_at, expires_at }: AgentKey) {
  if (active) return <Plain color="green" label="Active" Shape={IconCircleCheck} />;
  if (revoked_at !== null) return <Plain color="gray" label="Revoked" Shape={IconBan} />;
  const isOver = expires_at !== null && new Date(expires_at) <= new Date();
  return isOver ? (
    <Plain color="yellow" label="Expired" Shape={IconClockX} />
  ) : (
    <Plain color="gray" label="Revoked above" Shape={IconBan} />
  );
}

type AgentKey = { active: boolean; revoked_at: string | null; expires_at: string | null };

function Plain({ color, label, Shape }: { color: string; label: string; Shape: typeof IconBan }) {
  return (
    <Badge
      className={classes.badge}
      color={color}
      variant="light"
      leftSection={<Shape size={13} stroke={2.2} aria-hidden />}
    >
      {label}
    </Badge>
  );
}

/** An agent key as a choice of a list. */
export function keyOption({ id, active }: { id: string; active: boolean }): { value: string; label: string } {
  return { value: id, label: active ? id : `${id} (ended)` };
}
