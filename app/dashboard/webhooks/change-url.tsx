// The dialog to change a webhook's URL.
"use client";
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { describeFailure } from "../parts/failure.ts";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import { urlProblem } from "./url-field.ts";
import type { Webhook } from "./webhook-state.tsx";

export function ChangeUrl({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [url, setUrl] = useState(webhook.url);
  const [asked, setAsked] = useState(false);
  const change = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: () => {
        succeeded("URL changed");
        onClose();
        return queries.invalidateQueries(trpc.webhooks.pathFilter());
      },
    }),
  );
  const problem = urlProblem(url.trim());
  const failure = change.error && describeFailure(change.error);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    setAsked(true);
    if (!problem) change.mutate({ id: webhook.id, url: url.trim() });
  }

  return (
    <Modal opened onClose={onClose} title="Change the URL" size="lg">
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">The secret does not change. Send a test event afterwards.</Text>
          <TextInput
            label="URL"
            type="url"
            required
            autoComplete="off"
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={(asked && problem) || (failure && `${failure.message} ${failure.fix ?? ""}`)}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending} disabled={url.trim() === webhook.url}>
              Change URL
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
