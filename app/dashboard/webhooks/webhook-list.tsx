// The list of webhooks: URL, inbox and state.
"use client";
import { Anchor, Button, Code, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import Link from "next/link";
import { type ReactNode, useState } from "react";
import { IconBug, IconPlus, IconWebhook } from "../../design/icons.tsx";
import { AdminButton } from "../parts/admin-button.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { LoadMore, nextCursor, rowsOf } from "../parts/load-more.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { Time } from "../parts/time.tsx";
import { useTRPC } from "../trpc.ts";
import { SIGNATURE_DEBUGGER, webhookHref } from "./places.ts";
import { type Webhook, WebhookState } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

const PAGE_ROWS = 50;
const RegisterWebhook = dynamic(() => import("./register-webhook.tsx").then((module) => module.RegisterWebhook), {
  ssr: false,
});

export function WebhookList() {
  const trpc = useTRPC();
  const [registering, setRegistering] = useState(false);
  const list = useInfiniteQuery(
    trpc.webhooks.list.infiniteQueryOptions({ limit: PAGE_ROWS }, { getNextPageParam: nextCursor }),
  );
  const register = (
    <AdminButton
      what="register webhooks"
      leftSection={<IconPlus size={17} aria-hidden />}
      onClick={() => setRegistering(true)}
    >
      Register webhook
    </AdminButton>
  );
  const rows = rowsOf(list.data);
  const isEmpty = list.data !== undefined && rows.length === 0;
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Endpoints that receive new mail as signed POST requests, with a log of every delivery."
        actions={
          <>
            <Button
              component={Link}
              href={SIGNATURE_DEBUGGER}
              variant="default"
              leftSection={<IconBug size={17} aria-hidden />}
            >
              Signature debugger
            </Button>
            {!isEmpty && register}
          </>
        }
      />
      {list.isPending && <TableSkeleton label="Loading webhooks" />}
      {list.isLoadingError && (
        <Problem
          error={list.error}
          what="The webhooks could not be loaded"
          retry={list.refetch}
          busy={list.isFetching}
        />
      )}
      {isEmpty && <NoWebhooks action={register} />}
      {rows.length > 0 && <Rows webhooks={rows} />}
      {list.data && <LoadMore list={list} what="webhooks" />}
      {registering && <RegisterWebhook onClose={() => setRegistering(false)} />}
    </>
  );
}

function Rows({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <Table.ScrollContainer minWidth={640} type="native" className={classes.framed}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Endpoint</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Inbox</Table.Th>
            <Table.Th>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {webhooks.map((webhook) => (
            <Table.Tr key={webhook.id}>
              <Table.Td className={classes.endpoint}>
                <Anchor component={Link} href={webhookHref(webhook.id)} fw={550}>
                  {webhook.url}
                </Anchor>
              </Table.Td>
              <Table.Td className={classes.state}>
                <WebhookState webhook={webhook} />
              </Table.Td>
              <Table.Td className={classes.anywhere}>
                {webhook.address ?? (
                  <Text span c="dimmed" inherit>
                    Every inbox
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <Time at={webhook.created_at} plain />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
