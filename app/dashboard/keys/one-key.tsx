// One enrollment key: its limits and usage, its agents with their keys, and the ledger of its quota.
"use client";
import { Badge, Code, Group, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { IconBan } from "../../design/shell-icons.tsx";
import { Copy } from "../parts/copy.tsx";
import { Detail, Details } from "../parts/details.tsx";
import { later } from "../parts/later.ts";
import { LOOK_AGAIN_MS } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { useQueryTab } from "../parts/query-filters.ts";
import { Time } from "../parts/time.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import { liveInboxes } from "./counted.ts";
import { KeyAgents } from "./key-agents.tsx";
import { KeyLedger } from "./key-ledger.tsx";
import { KeyStatus } from "./key-status.tsx";
import { KEYS } from "./places.ts";
import { RevokeKey } from "./revoke-key.tsx";
import { UsageBar } from "./usage-bar.tsx";

type Key = Outputs["keys"]["get"];

const EditKey = later(() => import("./edit-key.tsx"));
const BACK = { href: KEYS, label: "Keys" };

export default function OneKey({ id }: { id: string }) {
  const trpc = useTRPC();
  const [editing, setEditing] = useState(false);
  const [revoking, setRevoking] = useState(false);
  const [tab, setTab] = useQueryTab(["agents", "ledger"]);
  const found = useQuery(trpc.keys.get.queryOptions({ id }, { refetchInterval: LOOK_AGAIN_MS }));
  const { data } = found;
  if (!data) {
    return (
      <>
        <PageHeader title="Key" back={BACK} />
        <Unloaded query={found} what="key" />
      </>
    );
  }
  const acts = (
    <>
      <AdminButton what="change keys" variant="default" onClick={() => setEditing(true)}>
        Edit
      </AdminButton>
      <AdminButton
        what="revoke keys"
        variant="light"
        color="red"
        leftSection={<IconBan size={17} aria-hidden />}
        onClick={() => setRevoking(true)}
      >
        Revoke
      </AdminButton>
    </>
  );
  return (
    <>
      <PageHeader
        title={data.name || "Unnamed key"}
        back={BACK}
        description={
          <Group component="span" gap={4} wrap="nowrap">
            <Code>{data.id}</Code>
            <Copy text={data.id} what="the key’s id" />
          </Group>
        }
        actions={data.status !== "revoked" && acts}
      />
      <Facts enrollment={data} />
      <Tabs value={tab} onChange={setTab} mt="xl" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="agents">Agents</Tabs.Tab>
          <Tabs.Tab value="ledger">Ledger</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="agents" pt="lg">
          <KeyAgents keyId={id} isRevoked={data.status === "revoked"} />
        </Tabs.Panel>
        <Tabs.Panel value="ledger" pt="lg">
          <KeyLedger keyId={id} />
        </Tabs.Panel>
      </Tabs>
      {editing && <EditKey enrollment={data} onClose={() => setEditing(false)} />}
      {revoking && <RevokeKey enrollment={data} onClose={() => setRevoking(false)} />}
    </>
  );
}

function Facts({ enrollment }: { enrollment: Key }) {
  const { status, allowed_domains, scopes, last_used_at, prepaid, used_per_day, revoked_at, expires_at, created_at } =
    enrollment;
  return (
    <Details label="The key">
      <Detail name="Mailboxes created" isWhole>
        <UsageBar usage={enrollment} />
      </Detail>
      <Detail name="Status">
        <KeyStatus status={status} />
      </Detail>
      <Detail name="Per day, recently">{used_per_day.toLocaleString("en")}</Detail>
      {prepaid > 0 && <Detail name="Prepaid mailboxes">{prepaid.toLocaleString("en")}</Detail>}
      <Detail name="Live inboxes">{liveInboxes(enrollment)}</Detail>
      <Detail name="Agents">
        {enrollment.agents.toLocaleString("en")}, with {enrollment.active_agent_keys.toLocaleString("en")} working{" "}
        {enrollment.active_agent_keys === 1 ? "key" : "keys"}
      </Detail>
      <Detail name="Domains">
        <Group gap={6}>
          {allowed_domains.map((domain) => (
            <Badge key={domain} variant="default" fw={500}>
              {domain}
            </Badge>
          ))}
        </Group>
      </Detail>
      <Detail name="Each agent reaches">
        {enrollment.inbox_access === "own" ? "inboxes that it creates" : "every inbox"}
      </Detail>
      <Detail name="Scopes">
        <Group gap={6}>
          {scopes.map((scope) => (
            <Badge key={scope} variant="default" fw={500}>
              {scope}
            </Badge>
          ))}
        </Group>
      </Detail>
      <Detail name="Last used">
        <Time at={last_used_at} none={enrollment.agents > 0 ? "–" : "never"} />
      </Detail>
      <Detail name="Issued">
        <Time at={created_at} />
      </Detail>
      {revoked_at === null ? (
        <Detail name="Expires">
          <Time at={expires_at} />
        </Detail>
      ) : (
        <Detail name="Revoked">
          <Time at={revoked_at} />
        </Detail>
      )}
    </Details>
  );
}
