// The list of webhooks, the failing ones first: endpoint, state, success rate, last failure.
"use client";
import { Button, Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { IconBug, IconPlus } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { IconWebhook } from "../../design/shell-icons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import { SIGNATURE_DEBUGGER } from "./places.ts";
import { LiveReceivers } from "./receiver/live-receivers.tsx";
import { StartReceiver } from "./receiver/start-receiver.tsx";
import { WebhookTable } from "./webhook-table.tsx";

/** Failures and recoveries appear without a reload. */
const LOOK_AGAIN_MS = 15_000;
/** First attempts are then mostly answered. */
const GATHER_MS = 2_000;
const RegisterWebhook = later(() => import("./register-webhook.tsx"));

export default function WebhookList() {
  const trpc = useTRPC();
  const [registering, setRegistering] = useState(false);
  const list = useQuery(trpc.webhooks.health.queryOptions(undefined, { refetchInterval: LOOK_AGAIN_MS }));
  useReadAfterEvents([trpc.webhooks.health.pathFilter()], GATHER_MS);
  const register = (
    <AdminButton
      what="register webhooks"
      leftSection={<IconPlus size={17} aria-hidden />}
      onClick={() => setRegistering(true)}
    >
      Register webhook
    </AdminButton>
  );
  const { data: rows = [], total = 0 } = list.data ?? {};
  const isEmpty = list.data !== undefined && rows.length === 0;
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Endpoints that receive new mail as signed POST requests, with a log of every delivery."
        actions={
          <>
            <Button
              component={NearLink}
              href={SIGNATURE_DEBUGGER}
              variant="default"
              leftSection={<IconBug size={17} aria-hidden />}
            >
              Signature debugger
            </Button>
            <StartReceiver variant="default" />
            {!isEmpty && register}
          </>
        }
      />
      <LiveReceivers />
      <Listing list={list} rows={rows} what="webhooks" shape={{ columns: 5 }} empty={<NoWebhooks action={register} />}>
        <WebhookTable webhooks={rows} />
      </Listing>
      {total > rows.length && (
        <Text size="sm" c="dimmed" mt="md">
          {rows.length} of {total.toLocaleString("en")} webhooks are shown: the failing ones, then the newest. The API
          lists all of them.
        </Text>
      )}
      {registering && <RegisterWebhook onClose={() => setRegistering(false)} />}
    </>
  );
}

function NoWebhooks({ action }: { action: ReactNode }) {
  const code = `curl ${location.origin}/v1/webhooks \\
  -H "Authorization: Bearer $AGENT_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"url":"https://agent.example/hooks/mail","events":["message.received"]}'`;
  return (
    <EmptyState
      icon={IconWebhook}
      title="No webhooks yet"
      action={action}
      code={<CodeBlock samples={[{ label: "curl", code }]} what="the call that registers a webhook" />}
    >
      A webhook delivers new mail to your program. The service posts a signed <Code>message.received</Code> event to
      your URL, retries for over a day if it does not answer, and logs every attempt here. You or an agent can register
      one.
    </EmptyState>
  );
}
