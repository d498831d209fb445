// <EventKinds>: chooses the kinds of events of a webhook. <KindList>: shows them.
// value, onChange, isOfOneInbox (some events then go to webhooks for every inbox only), error
"use client";
import { Badge, Checkbox, Group, Stack } from "@mantine/core";
import type { Webhook } from "../webhook-state.tsx";

export type Kind = Webhook["events"][number];

const KINDS: Record<Kind, string> = {
  "message.received": "New mail arrived.",
  "message.sent": "Mail left.",
  "message.delivered": "A provider or an inbox here reports that sent mail was delivered.",
  "message.bounced": "Sent mail was refused or returned for a recipient.",
  "message.complained": "A recipient reported sent mail as spam.",
  "message.held": "A message waits for approval.",
  "message.approved": "A held message was approved.",
  "message.rejected": "A held message was rejected, or expired.",
  "message.failed": "Sending to a recipient was given up.",
  "message.restored": "A deleted message was restored.",
  "message.unanswered": "No one replied by the time that was set.",
  "suppression.added": "An address was suppressed.",
  "suppression.removed": "A suppression was removed.",
  "inbox.created": "An inbox was created.",
  "inbox.deleted": "An inbox was deleted.",
  "domain.verified": "A domain was verified.",
  "domain.lost": "A domain was lost, because its ownership record is missing.",
  "sending.paused": "Sending was paused.",
  "sending.resumed": "Sending was resumed.",
};
const ALL = Object.keys(KINDS) as Kind[];

/** Webhooks of one inbox do not receive these. */
function isOfAll(kind: Kind): boolean {
  return kind.startsWith("domain.") || kind.startsWith("suppression.") || kind.startsWith("inbox.");
}

/** The kinds that such a webhook can receive. */
export function receivable(kinds: Kind[], isOfOneInbox: boolean): Kind[] {
  return kinds.filter((kind) => !isOfOneInbox || !isOfAll(kind));
}

type Props = {
  value: Kind[];
  onChange: (kinds: Kind[]) => void;
  isOfOneInbox: boolean;
  error?: string | undefined;
};

export function EventKinds({ value, onChange, isOfOneInbox, error }: Props) {
  return (
    <Checkbox.Group
      label="Events"
      value={receivable(value, isOfOneInbox)}
      onChange={(chosen) => onChange(ALL.filter((kind) => chosen.includes(kind)))}
      error={error}
    >
      <Stack gap="xs" mt={6} mb={6}>
        {ALL.map((kind) => (
          <Checkbox
            key={kind}
            value={kind}
            label={kind}
            description={isOfOneInbox && isOfAll(kind) ? "Only for webhooks of every inbox." : KINDS[kind]}
            disabled={isOfOneInbox && isOfAll(kind)}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

export function KindList({ kinds }: { kinds: Kind[] }) {
  return (
    <Group gap={6}>
      {kinds.map((kind) => (
        <Badge key={kind} variant="default" fw={500} tt="none">
          {kind}
        </Badge>
      ))}
    </Group>
  );
}
