// The dialog to rotate a signing secret, and the dialog that shows the new one, once.
"use client";
import { List, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Time } from "../parts/time.tsx";
import { useTRPC } from "../trpc.ts";
import { WebhookSecret } from "./webhook-secret.tsx";
import type { Webhook } from "./webhook-state.tsx";

export function RotateSecret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const sending = useRef(false);
  const rotate = useMutation(
    trpc.webhooks.rotateSecret.mutationOptions({
      onSettled: () => {
        sending.current = false;
        return queries.invalidateQueries(trpc.webhooks.pathFilter());
      },
    }),
  );

  function confirm() {
    // A second rotation would end the secret that the receiver uses.
    if (sending.current) return;
    sending.current = true;
    rotate.mutate({ id: webhook.id });
  }

  if (rotate.data) {
    const { secret, previous_secret_expires_at } = rotate.data;
    return (
      <WebhookSecret secret={secret} title="The new secret" onStored={onClose}>
        <Text size="sm">
          The previous secret also signs until <Time at={previous_secret_expires_at} exact plain />.
        </Text>
      </WebhookSecret>
    );
  }
  return (
    <FormDialog
      title="Rotate the secret?"
      size="lg"
      what="The secret was not rotated"
      acting={rotate}
      action="Rotate secret"
      onAct={confirm}
      onClose={onClose}
    >
      <List spacing="xs">
        <List.Item>A new secret is created now and shown once.</List.Item>
        <List.Item>
          For 24 hours every delivery is signed with both secrets. Its header has two <code>v1</code> values, so a
          receiver with either secret accepts it. Deploy the new secret within that time.
        </List.Item>
        <List.Item>If you rotate again within that time, the older secret stops working immediately.</List.Item>
      </List>
      {webhook.previous_secret_expires_at !== null && (
        <Text c="red" fw={550}>
          It was already rotated. The previous secret would expire now, not{" "}
          <Time at={webhook.previous_secret_expires_at} plain />.
        </Text>
      )}
    </FormDialog>
  );
}
