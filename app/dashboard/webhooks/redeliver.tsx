// <Redeliver>: the button that sends a delivery again now.
"use client";
import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconRefresh } from "../../design/shell-icons.tsx";
import { failed, succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";

type Props = ButtonProps & {
  delivery: { id: string; webhook_id: string };
  /** Of the webhook. */
  isActive: boolean;
  "aria-label"?: string;
};

export function Redeliver({ delivery: { id, webhook_id }, isActive, ...button }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const redeliver = useMutation(
    trpc.webhooks.redeliver.mutationOptions({
      onSuccess: () => succeeded("The delivery is attempted now"),
      onError: (error) => failed(error, "It was not sent again"),
      onSettled: () => queries.invalidateQueries(trpc.webhooks.pathFilter()),
    }),
  );
  const why = isActive
    ? "Sends it now with the same IDs and a new signature."
    : "The webhook is disabled. Enable it first.";
  return (
    <Tooltip label={why}>
      <Button
        leftSection={<IconRefresh size={16} aria-hidden />}
        {...button}
        loading={redeliver.isPending}
        data-disabled={isActive ? undefined : true}
        aria-disabled={!isActive}
        aria-description={why}
        onClick={() => isActive && redeliver.mutate({ id: webhook_id, delivery_id: id })}
      >
        Send again
      </Button>
    </Tooltip>
  );
}
