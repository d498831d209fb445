// <WebhookSecret>: shows a signing secret once, with code that verifies deliveries.
// secret, title, onStored, children (first)
"use client";
import { Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { CodeBlock } from "../parts/code-block.tsx";
import SecretOnce from "../parts/secret-once.tsx";
import { useTRPC } from "../trpc.ts";
import { verifySnippets } from "./verify-snippets.ts";

/** Until the setting is loaded, and if it is not set. */
const SERVICE_NAME = "Service";

/** The word in the header names. */
export function useServiceName(): string {
  const organization = useQuery(useTRPC().organization.get.queryOptions());
  return organization.data?.service.service_name ?? SERVICE_NAME;
}

type Props = { secret: string; title: string; onStored: () => void; children?: ReactNode };

export function WebhookSecret({ secret, title, onStored, children }: Props) {
  const serviceName = useServiceName();
  return (
    <SecretOnce secret={secret} title={title} what="the signing secret" onStored={onStored}>
      <Stack gap="sm">
        {children}
        <Text size="sm">
          Give it to your receiver as <Code>WEBHOOK_SECRET</Code>. <Code>whsec_</Code> is part of it. Then verify every
          delivery before you act on it:
        </Text>
        {/* Built again when the name is known; otherwise the tabs would keep the old code. */}
        <CodeBlock key={serviceName} samples={verifySnippets(serviceName)} what="the verification" />
      </Stack>
    </SecretOnce>
  );
}
