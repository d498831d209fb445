// Shown for a mailbox without mail: how to send the first one.
"use client";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconMailbox } from "../../design/icons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { useTRPC } from "../trpc.ts";
import { goTo } from "./place.ts";

function swaks(inbox: string, host: string, port: number): string {
  return `swaks --to ${inbox} \\
  --server ${host}:${port} \\
  --from me@example.com \\
  --header "Subject: Hello" --body "First mail"`;
}

export default function NoMail({ inbox }: { inbox: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.organization.get.queryOptions());
  const service = data?.service;
  return (
    <EmptyState
      icon={IconMailbox}
      title="No mail yet"
      action={
        <Button variant="default" size="xs" onClick={() => goTo({ show: "quarantine" })}>
          View quarantine
        </Button>
      }
      code={
        service && (
          <CodeBlock
            what="the command that sends a test mail"
            samples={[{ label: "swaks", code: swaks(inbox, service.smtp_host, service.smtp_port) }]}
          />
        )
      }
    >
      Send a mail to {inbox}. It appears here automatically.
    </EmptyState>
  );
}
