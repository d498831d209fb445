// One agent: its limits, what it sent and received by day, its inboxes, its keys, and what each of its keys changed.
"use client";
import { Anchor, Badge, Code, Group, Select, Tabs } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { IconPlus } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { IconInbox } from "../../design/shell-icons.tsx";
import { KeyChanges, UndoButton } from "../keys/key-activity.tsx";
import { KeysOfAgent } from "../keys/key-agents.tsx";
import { keyOption } from "../keys/key-status.tsx";
import { AGENTS, keyHref } from "../keys/places.ts";
import { Copy } from "../parts/copy.tsx";
import { Detail, Details } from "../parts/details.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, LOOK_AGAIN_MS, PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { useQueryTab } from "../parts/query-filters.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { Time } from "../parts/time.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import { AgentDays } from "./agent-days.tsx";

type Agent = Outputs["agents"]["get"];

const BACK = { href: AGENTS, label: "Agents" };
const PAGE_INBOXES = 20;
const IssueAgentKey = later(() => import("./issue-agent-key.tsx"));
const InboxTable = later(
  () => import("../inboxes/inbox-table.tsx"),
  () => <TableSkeleton label="Loading inboxes" columns={4} />,
);

export default function OneAgent({ id }: { id: string }) {
  const trpc = useTRPC();
  const [issuing, setIssuing] = useState(false);
  const [tab, setTab] = useQueryTab(["inboxes", "keys", "activity"]);
  const found = useQuery(trpc.agents.get.queryOptions({ id }, { refetchInterval: LOOK_AGAIN_MS }));
  const { data } = found;
  if (!data) {
    return (
      <>
        <PageHeader title="Agent" back={BACK} />
        <Unloaded query={found} what="agent" />
      </>
    );
  }
  const { handle, enrollment_key, keys, key_count } = data;
  return (
    <>
      <PageHeader
        title={handle}
        back={BACK}
        description={
          <Group component="span" gap={4} wrap="nowrap">
            <Code>{data.id}</Code>
            <Copy text={data.id} what="the agent’s id" />
          </Group>
        }
        actions={
          !enrollment_key.revoked && (
            <AdminButton
              what="issue agent keys"
              variant="light"
              leftSection={<IconPlus size={17} aria-hidden />}
              onClick={() => setIssuing(true)}
            >
              Issue agent key
            </AdminButton>
          )
        }
      />
      <Facts agent={data} />
      <Tabs value={tab} onChange={setTab} mt="xl" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="inboxes">Inboxes</Tabs.Tab>
          <Tabs.Tab value="keys">Keys</Tabs.Tab>
          <Tabs.Tab value="activity">Activity</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="inboxes" pt="lg">
          <Inboxes id={id} />
        </Tabs.Panel>
        <Tabs.Panel value="keys" pt="lg">
          <KeysOfAgent keyId={enrollment_key.id} handle={handle} keys={keys} keyCount={key_count} />
        </Tabs.Panel>
        <Tabs.Panel value="activity" pt="lg">
          <Activity keys={keys} />
        </Tabs.Panel>
      </Tabs>
      <AgentDays id={id} />
      {issuing && <IssueAgentKey agent={data} onClose={() => setIssuing(false)} />}
    </>
  );
}

function Facts({ agent }: { agent: Agent }) {
  const { name, enrollment_key, limits, working_keys, created_at, last_active_at } = agent;
  return (
    <Details label="The agent">
      {name && <Detail name="Name">{name}</Detail>}
      <Detail name="Enrollment key">
        <Anchor component={NearLink} href={keyHref(enrollment_key.id)} size="sm" underline="always" data-thumb>
          {enrollment_key.name || "Unnamed key"}
        </Anchor>{" "}
        {enrollment_key.revoked && (
          <Badge color="gray" variant="light">
            Revoked
          </Badge>
        )}
      </Detail>
      <Detail name="Mailboxes left of the key">
        {limits.remaining.toLocaleString("en")} of {limits.max_mailboxes.toLocaleString("en")}
      </Detail>
      <Detail name="Reaches">{limits.inbox_access === "own" ? "inboxes that it creates" : "every inbox"}</Detail>
      <Detail name="Working keys">{working_keys.toLocaleString("en")}</Detail>
      <Detail name="Sent today">{agent.sent_today.toLocaleString("en")}</Detail>
      <Detail name="Webhooks">{agent.webhooks.toLocaleString("en")}</Detail>
      <Detail name="Enrolled">
        <Time at={created_at} />
      </Detail>
      <Detail name="Last active">
        <Time at={last_active_at} />
      </Detail>
      <Detail name="Domains" isWhole>
        <Names names={limits.allowed_domains} />
      </Detail>
      <Detail name="Scopes of the key" isWhole>
        <Names names={limits.scopes} />
      </Detail>
    </Details>
  );
}

function Names({ names }: { names: string[] }) {
  return (
    <Group gap={6}>
      {names.map((name) => (
        <Badge key={name} variant="default" fw={500}>
          {name}
        </Badge>
      ))}
    </Group>
  );
}

function Inboxes({ id }: { id: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(trpc.inboxes.summaries.infiniteQueryOptions({ agent: id, limit: PAGE_INBOXES }, PAGED));
  const rows = rowsOf(list.data);
  return (
    <Listing
      list={list}
      rows={rows}
      what="inboxes"
      empty={
        <EmptyState icon={IconInbox} title="No inboxes" order={2}>
          This agent created no inbox that still exists.
        </EmptyState>
      }
    >
      <InboxTable inboxes={rows} hasOwners={false} />
    </Listing>
  );
}

function Activity({ keys }: { keys: Agent["keys"] }) {
  const [chosen, setChosen] = useState(keys[0]?.id ?? "");
  return (
    <>
      <div className={shared.filters}>
        <Select
          label="Key"
          data={keys.map(keyOption)}
          value={chosen}
          onChange={(id) => id && setChosen(id)}
          allowDeselect={false}
          w="28rem"
          maw="100%"
        />
        <UndoButton agentKeyId={chosen} />
      </div>
      <KeyChanges key={chosen} agentKeyId={chosen} />
    </>
  );
}
