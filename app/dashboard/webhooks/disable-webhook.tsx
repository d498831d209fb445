// The dialog to disable a webhook.
"use client";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Problem } from "../parts/problem.tsx";
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
    <Modal opened onClose={onClose} title="Disable this webhook?">
      <Stack>
        <Text>
          The service sends no new mail to <strong>{url}</strong>, and its pending deliveries fail now. After you enable
          it again, you can replay the events it missed.
        </Text>
        {disable.error && <Problem error={disable.error} what="The webhook was not disabled" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => disable.mutate({ id, active: false })} loading={disable.isPending}>
            Disable webhook
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
