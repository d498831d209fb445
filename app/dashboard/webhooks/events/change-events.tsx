// The dialog to change which events a webhook receives.
"use client";
import { Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../../parts/form-dialog.tsx";
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

  function act() {
    setAsked(true);
    if (events.length > 0) change.mutate({ id: webhook.id, events });
  }

  return (
    <FormDialog
      title="Change the events"
      size="lg"
      what="The events were not changed"
      acting={change}
      action="Change events"
      onAct={act}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        Applies to events from now on. Deliveries that exist are not changed.
      </Text>
      <EventKinds
        value={kinds}
        onChange={setKinds}
        isOfOneInbox={isOfOneInbox}
        error={asked && events.length === 0 ? "Choose at least one." : undefined}
      />
    </FormDialog>
  );
}
