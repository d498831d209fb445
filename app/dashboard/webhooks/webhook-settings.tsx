// The settings of a webhook for admins: change its URL, rotate its secret, disable or enable it, delete it. Members see
// why they cannot.
"use client";
import { Box, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import ConfirmByTyping from "../parts/confirm-by-typing.tsx";
import { describeFailure } from "../parts/failure.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Problem } from "../parts/problem.tsx";
import { Setting, Settings } from "../parts/setting.tsx";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useMayAct } from "../session/member.tsx";
import { useTRPC } from "../trpc.ts";
import { ChangeEvents } from "./events/change-events.tsx";
import { ChangeDelivered, DeliveredFacts } from "./events/delivered.tsx";
import { WEBHOOKS } from "./places.ts";
import { RotateSecret } from "./rotate-secret.tsx";
import { urlProblem } from "./url-field.ts";
import type { Webhook } from "./webhook-state.tsx";

const NAME_CHARS = 100;
type Dialog = "name" | "url" | "events" | "delivered" | "secret" | "disable" | "delete";

export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  const mayAct = useMayAct("admin");
  return (
    <>
      {!mayAct && (
        <Text size="sm" c="dimmed" mb="md">
          Only admins and owners can change webhooks.
        </Text>
      )}
      <Settings>
        <Setting
          title="Name"
          action={
            <AdminButton what="change webhooks" variant="default" onClick={() => setDialog("name")}>
              Change name
            </AdminButton>
          }
        >
          {webhook.name ?? "None. Its URL names it."}
        </Setting>
        <Setting
          title="URL"
          action={
            <AdminButton what="change webhooks" variant="default" onClick={() => setDialog("url")}>
              Change URL
            </AdminButton>
          }
        >
          Retries and new deliveries go to the new URL immediately.
        </Setting>
        <Setting
          title="Events"
          action={
            <AdminButton what="change webhooks" variant="default" onClick={() => setDialog("events")}>
              Change events
            </AdminButton>
          }
        >
          {webhook.events.join(", ")}
        </Setting>
        <Setting
          title="Deliveries"
          action={
            <AdminButton what="change webhooks" variant="default" onClick={() => setDialog("delivered")}>
              Change deliveries
            </AdminButton>
          }
        >
          <DeliveredFacts webhook={webhook} />
        </Setting>
        <Setting
          title="Signing secret"
          action={
            <AdminButton what="rotate secrets" variant="default" onClick={() => setDialog("secret")}>
              Rotate secret
            </AdminButton>
          }
        >
          {webhook.previous_secret_expires_at === null ? (
            "A new secret is created. Both secrets sign for 24 hours, so no delivery is refused."
          ) : (
            <>
              The previous secret also signs until <Time at={webhook.previous_secret_expires_at} exact />.
            </>
          )}
        </Setting>
        {webhook.active ? (
          <Setting
            title="Pause"
            action={
              <AdminButton what="disable webhooks" variant="default" onClick={() => setDialog("disable")}>
                Disable
              </AdminButton>
            }
          >
            No deliveries are sent until it is enabled. Missed events can be replayed.
          </Setting>
        ) : (
          <Enable webhook={webhook} />
        )}
        <Setting
          title="Delete"
          action={
            <AdminButton what="delete webhooks" color="red" variant="light" onClick={() => setDialog("delete")}>
              Delete webhook
            </AdminButton>
          }
        >
          Deliveries stop, and its secret and log are deleted. This cannot be undone.
        </Setting>
      </Settings>
      {dialog === "name" && <ChangeName webhook={webhook} onClose={close} />}
      {dialog === "url" && <ChangeUrl webhook={webhook} onClose={close} />}
      {dialog === "events" && <ChangeEvents webhook={webhook} onClose={close} />}
      {dialog === "delivered" && <ChangeDelivered webhook={webhook} onClose={close} />}
      {dialog === "secret" && <RotateSecret webhook={webhook} onClose={close} />}
      {dialog === "disable" && <DisableWebhook webhook={webhook} onClose={close} />}
      {dialog === "delete" && <DeleteWebhook webhook={webhook} onClose={close} />}
    </>
  );
}

/** Enabling sends a test event, and fails with the endpoint's answer if it is not accepted. */
function Enable({ webhook: { id } }: { webhook: Webhook }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const enable = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: () => succeeded("Webhook enabled. Replay missed events if you need them."),
      onSettled: () => queries.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  );
  return (
    <Setting
      title="Enable"
      action={
        <AdminButton
          what="enable webhooks"
          loading={enable.isPending}
          onClick={() => enable.mutate({ id, active: true })}
        >
          Test and enable
        </AdminButton>
      }
    >
      A signed test event is sent first. The webhook is enabled if the answer is 2xx.
      {enable.error && (
        <Box mt="sm">
          <Problem error={enable.error} what="The webhook was not enabled" />
        </Box>
      )}
    </Setting>
  );
}

function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id, url } = webhook;
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const remove = useMutation(trpc.webhooks.remove.mutationOptions());

  async function confirm() {
    await remove.mutateAsync({ id });
    // Loaded again, because the cached list still has it.
    queries.removeQueries(trpc.webhooks.list.pathFilter());
    router.replace(WEBHOOKS);
    succeeded("Webhook deleted");
  }

  return (
    <ConfirmByTyping
      onClose={onClose}
      title="Delete this webhook?"
      name={new URL(url).host}
      confirm="Delete webhook"
      onConfirm={confirm}
    >
      No more deliveries or retries go to <strong>{url}</strong>. Its delivery log and secret are deleted permanently.
    </ConfirmByTyping>
  );
}

/** The dialog to disable a webhook. */
function DisableWebhook({ webhook: { id, url }, onClose }: { webhook: Webhook; onClose: () => void }) {
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

/** The dialog to change a webhook's name. */
function ChangeName({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [name, setName] = useState(webhook.name ?? "");
  const change = useMutation(
    trpc.webhooks.update.mutationOptions({
      onSuccess: () => {
        succeeded("Name changed");
        onClose();
        return queries.invalidateQueries(trpc.webhooks.pathFilter());
      },
    }),
  );
  return (
    <FormDialog
      title="Change the name"
      what="The name was not changed"
      acting={change}
      action="Change name"
      onAct={() => change.mutate({ id: webhook.id, name: name.trim() })}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="What your team calls it. Without one, its URL names it."
        maxLength={NAME_CHARS}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
    </FormDialog>
  );
}

/** The dialog to change a webhook's URL. */
function ChangeUrl({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
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
