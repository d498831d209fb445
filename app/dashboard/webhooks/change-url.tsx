// The dialog to change a webhook's URL.
"use client";
import { Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeFailure } from "../parts/failure.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
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

  function act() {
    setAsked(true);
    if (!problem) change.mutate({ id: webhook.id, url: url.trim() });
  }

  return (
    <FormDialog
      title="Change the URL"
      size="lg"
      hideFailure
      acting={change}
      action="Change URL"
      disabled={url.trim() === webhook.url}
      noValidate
      onAct={act}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
