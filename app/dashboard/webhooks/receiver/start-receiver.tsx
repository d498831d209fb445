// <StartReceiver>: opens the page of the test receiver, which is created if none lives. Every member may.
"use client";
import { Button, type ButtonProps } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { IconWebhook } from "../../../design/shell-icons.tsx";
import { failed } from "../../parts/toast.tsx";
import { useTRPC } from "../../trpc.ts";
import { webhookHref } from "../places.ts";

export function StartReceiver(button: ButtonProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const create = useMutation(
    trpc.webhooks.createReceiver.mutationOptions({
      onSuccess({ id }) {
        void queries.invalidateQueries(trpc.webhooks.pathFilter());
        router.push(webhookHref(id));
      },
      onError: (error) => failed(error, "The test receiver was not created"),
    }),
  );
  return (
    <Button
      {...button}
      leftSection={<IconWebhook size={17} aria-hidden />}
      loading={create.isPending || create.isSuccess}
      onClick={() => create.mutate({})}
    >
      Test receiver
    </Button>
  );
}
