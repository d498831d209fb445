// The dialog to disable a webhook.
"use client";
import { Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FormDialog } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import type { Webhook } from "./webhook-state.tsx";

export function DisableWebhook({ webhook: { id, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const disable = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: () => {
        succeeded("Webhook disabled");
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  );
  return (
    <FormDialog
      title="Disable this webhook?"
      what="The webhook was not disabled"
      acting={disable}
      action="Disable webhook"
      onAct={() => disable.mutate({ id, active: false })}
      onClose={onClose}
    >
      <Text>
        The service sends no new mail to <strong>{url}</strong>, and its pending deliveries fail now. After you enable
        it again, you can replay the events it missed.
      </Text>
    </FormDialog>
  );
}
