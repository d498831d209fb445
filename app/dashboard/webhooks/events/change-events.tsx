// The dialog to change which events a webhook receives.
"use client";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { Problem } from "../../parts/problem.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { useTRPC } from "../../trpc.ts";
import type { Webhook } from "../webhook-state.tsx";
import { EventKinds, receivable } from "./event-kinds.tsx";

export function ChangeEvents({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [kinds, setKinds] = useState(webhook.events);
  const [asked, setAsked] = useState(false);
  const isOfOneInbox = webhook.address !== null;
  const events = receivable(kinds, isOfOneInbox);
  const change = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: () => {
        succeeded("Events changed");
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  );

  function submit(event: SubmitEvent) {
    event.preventDefault();
    setAsked(true);
    if (events.length > 0) change.mutate({ id: webhook.id, events });
  }

  return (
    <Modal opened onClose={change.isPending ? () => {} : onClose} title="Change the events" size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            Applies to events from now on. Deliveries that exist are not changed.
          </Text>
          {change.error && <Problem error={change.error} what="The events were not changed" />}
          <EventKinds
            value={kinds}
            onChange={setKinds}
            isOfOneInbox={isOfOneInbox}
            error={asked && events.length === 0 ? "Choose at least one." : undefined}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} disabled={change.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Change events
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
