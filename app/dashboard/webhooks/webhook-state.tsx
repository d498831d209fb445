// <WebhookState>: the state of a webhook: active, failing, disabled; with time and reason if there are any.
"use client";
import { Badge, Text } from "@mantine/core";
import { IconPlayerPause } from "../../design/icons.tsx";
import { IconAlertTriangle, IconCircleCheck } from "../../design/shell-icons.tsx";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";

export type Webhook = Outputs["webhooks"]["get"];

const ICON = { size: 13, stroke: 2.2, "aria-hidden": true } as const;

export function StateBadge({ webhook: { active, failing_since } }: { webhook: Webhook }) {
  if (!active) {
    return (
      <Badge color="gray" variant="light" leftSection={<IconPlayerPause {...ICON} />}>
        Disabled
      </Badge>
    );
  }
  if (failing_since !== null) {
    return (
      <Badge color="yellow" variant="light" leftSection={<IconAlertTriangle {...ICON} />}>
        Failing
      </Badge>
    );
  }
  return (
    <Badge color="green" variant="light" leftSection={<IconCircleCheck {...ICON} />}>
      Active
    </Badge>
  );
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { active, failing_since, disabled_at, disabled_reason } = webhook;
  return (
    <>
      <StateBadge webhook={webhook} />
      {active && failing_since !== null && (
        <Text size="xs" c="dimmed">
          since <Time at={failing_since} plain />
        </Text>
      )}
      {!active && (
        <Text size="xs" c="dimmed">
          <Time at={disabled_at} plain none="" /> · {disabled_reason}
        </Text>
      )}
    </>
  );
}
