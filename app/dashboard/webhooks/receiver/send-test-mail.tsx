// Sends a mail from the newest inbox to itself, so that a delivery arrives at the test receiver.
"use client";
import { Button, Tooltip } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { IconSend } from "../../../design/icons.tsx";
import { failed, succeeded } from "../../parts/toast.tsx";
import { useTRPC } from "../../trpc.ts";

const MAIL = { subject: "Test of webhooks", text: "This mail shows what a webhook receives. Your code is 482913." };

export function SendTestMail() {
  const trpc = useTRPC();
  const inboxes = useQuery(trpc.inboxes.summaries.queryOptions({ limit: 1 }));
  const address = inboxes.data?.data[0]?.address;
  const send = useMutation(
    trpc.messages.send.mutationOptions({
      onSuccess: () => succeeded("The mail is on its way"),
      onError: (error) => failed(error, "The test mail was not sent"),
    }),
  );
  if (!inboxes.data) return null;
  const why = address ? `From ${address} to itself` : "Create an inbox first.";
  return (
    <Tooltip label={why}>
      <Button
        leftSection={<IconSend size={17} aria-hidden />}
        loading={send.isPending}
        data-disabled={address ? undefined : true}
        aria-disabled={!address}
        aria-description={why}
        onClick={() => address && send.mutate({ addr: address, to: address, ...MAIL })}
      >
        Send a test mail
      </Button>
    </Tooltip>
  );
}
