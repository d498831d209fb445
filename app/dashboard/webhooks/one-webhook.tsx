// One webhook: its state, its deliveries, and its settings.
"use client";
import { Alert, Button, Tabs, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { IconHistory, IconPlayerPause, IconSend } from "../../design/icons.tsx";
import { Detail, Details } from "../parts/details.tsx";
import { later } from "../parts/later.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { useQueryTab } from "../parts/query-filters.ts";
import { Time } from "../parts/time.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { useTRPC } from "../trpc.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { KindList } from "./events/event-kinds.tsx";
import { FAILING_LOOK_AGAIN_MS, Failing } from "./failing.tsx";
import { isReceiver, WEBHOOKS } from "./places.ts";
import { TestResult } from "./test-result.tsx";
import { WebhookSettings } from "./webhook-settings.tsx";
import { StateBadge, type Webhook } from "./webhook-state.tsx";

const BACK = { href: WEBHOOKS, label: "Webhooks" };
/** Polls, so that failures and disabling appear automatically. */
const LOOK_AGAIN_MS = 20_000;
const OneReceiver = later(() => import("./receiver/one-receiver.tsx"));
const ReplayWebhook = later(() => import("./replay-webhook.tsx"));

export default function OneWebhook({ id }: { id: string }) {
  const trpc = useTRPC();
  const found = useQuery(
    trpc.webhooks.get.queryOptions(
      { id },
      { refetchInterval: ({ state }) => (state.data?.failing_since ? FAILING_LOOK_AGAIN_MS : LOOK_AGAIN_MS) },
    ),
  );
  if (found.data) return isReceiver(found.data.url) ? <OneReceiver id={id} /> : <Shown webhook={found.data} />;
  return (
    <>
      <PageHeader title="Webhook" back={BACK} />
      <Unloaded query={found} what="webhook" />
    </>
  );
}

function Shown({ webhook }: { webhook: Webhook }) {
  const { id, url, name, active } = webhook;
  const trpc = useTRPC();
  const [replaying, setReplaying] = useState(false);
  const [tab, setTab] = useQueryTab(["deliveries", "settings"]);
  const test = useMutation(trpc.webhooks.test.mutationOptions());
  return (
    <>
      <PageHeader
        title={name ?? url}
        back={BACK}
        description={name === null ? undefined : url}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconSend size={17} aria-hidden />}
              loading={test.isPending}
              onClick={() => test.mutate({ id })}
            >
              Send test event
            </Button>
            <Button
              variant="default"
              leftSection={<IconHistory size={17} aria-hidden />}
              onClick={() => setReplaying(true)}
              disabled={!active}
            >
              Replay…
            </Button>
          </>
        }
      />
      {test.error && <Problem error={test.error} what="The test event was not sent" />}
      {test.data && <TestResult result={test.data} onClose={test.reset} />}
      <Trouble webhook={webhook} />
      <Facts webhook={webhook} />
      <Tabs value={tab} onChange={setTab} mt="xl" keepMounted={false}>
        <Tabs.List aria-label="Webhook sections" mb="lg">
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries">
          <DeliveryList webhook={webhook} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <WebhookSettings webhook={webhook} />
        </Tabs.Panel>
      </Tabs>
      {replaying && <ReplayWebhook id={id} onClose={() => setReplaying(false)} />}
    </>
  );
}

/** First of all: that it is disabled, or that its deliveries fail. */
function Trouble({ webhook }: { webhook: Webhook }) {
  const { active, disabled_at, disabled_reason } = webhook;
  if (!active) {
    return (
      <Alert color="gray" icon={<IconPlayerPause aria-hidden />} title="Disabled: no deliveries are sent" mb="lg">
        <Text size="sm">
          Since <Time at={disabled_at} none="some time ago" />. {disabled_reason}
        </Text>
        <Text size="sm" mt={4}>
          Enable it under Settings, then replay the events it missed.
        </Text>
      </Alert>
    );
  }
  return <Failing webhook={webhook} />;
}

function Facts({ webhook }: { webhook: Webhook }) {
  const { id, address, events, created_at, previous_secret_expires_at } = webhook;
  return (
    <Details label="Facts" isWide>
      <Detail name="State">
        <StateBadge webhook={webhook} />
      </Detail>
      <Detail name="Inbox">{address ?? "Every inbox"}</Detail>
      <Detail name="Events">
        <KindList kinds={events} />
      </Detail>
      <Detail name="Created">
        <Time at={created_at} />
      </Detail>
      <Detail name="Id" id={id} copy="the webhook's id" />
      {previous_secret_expires_at !== null && (
        <Detail name="Previous secret signs until">
          <Time at={previous_secret_expires_at} exact />
        </Detail>
      )}
    </Details>
  );
}
