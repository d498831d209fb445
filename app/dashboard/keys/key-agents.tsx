// The agents of an enrollment key, each with its keys, which can be revoked one by one.
"use client";
import { Anchor, Badge, Button, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { IconRobot } from "../../design/shell-icons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import PauseDialog from "../parts/pause-dialog.tsx";
import { Time } from "../parts/time.tsx";
import { useMayAct } from "../session/member.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../trpc.ts";
import { AgentKeyStatus } from "./key-status.tsx";
import classes from "./keys.module.css";
import { activityHref, agentHref, callsHref } from "./places.ts";
import { RevokeAgentKey } from "./revoke-key.tsx";

type Agent = Outputs["keys"]["agents"]["data"][number];
type AgentKey = Agent["keys"][number];
type Branch = { key: AgentKey; depth: number };
/** What a dialog is open for. */
type Chosen = { act: "pause" | "revoke"; handle: string; agentKey: AgentKey };

const PAGE_ROWS = 20;
const TABLE_MIN_REM = 52;
/** The scopes of a key without restrictions, apart from the one that sending includes. */
const SCOPES_ALL = 10;
const INCLUDED = "mailbox:draft";
const ADDRESSES_SHOWN = 2;

export function KeyAgents({ keyId, isRevoked }: { keyId: string; isRevoked: boolean }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(trpc.keys.agents.infiniteQueryOptions({ id: keyId, limit: PAGE_ROWS }, PAGED));
  const agents = rowsOf(list.data);
  return (
    <Listing list={list} rows={agents} what="agents" empty={<NoAgents isRevoked={isRevoked} />}>
      <Stack>
        {agents.map((agent) => (
          <OneAgent key={agent.id} keyId={keyId} agent={agent} />
        ))}
      </Stack>
    </Listing>
  );
}

type KeysOfAgentProps = { keyId: string; handle: string; keys: AgentKey[]; keyCount: number };

/** The keys of one agent, with the dialogs to pause and to revoke one. `keyId`: of the enrollment key. */
export function KeysOfAgent({ keyId, handle, keys, keyCount }: KeysOfAgentProps) {
  const client = useTRPCClient();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  return (
    <>
      <AgentKeys keyId={keyId} handle={handle} keys={keys} onChoose={setChosen} />
      {keyCount > keys.length && (
        <Text size="sm" c="dimmed" p="md">
          And {(keyCount - keys.length).toLocaleString("en")} more keys that are older or inactive.
        </Text>
      )}
      {chosen?.act === "revoke" && <RevokeAgentKey {...chosen} onClose={() => setChosen(null)} />}
      {chosen?.act === "pause" && (
        <PauseDialog
          what={`this key of ${chosen.handle} and the keys below it`}
          onPause={(reason) => client.keys.pauseAgentKey.mutate({ id: chosen.agentKey.id, reason })}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  );
}

function NoAgents({ isRevoked }: { isRevoked: boolean }) {
  const code = `curl ${location.origin}/v1/enroll \\
  -H "Content-Type: application/json" \\
  -d "{\\"token\\":\\"$ENROLLMENT_KEY\\",\\"agent_handle\\":\\"my-agent\\"}"`;
  if (isRevoked) {
    return (
      <EmptyState icon={IconRobot} title="No agents" order={2}>
        No agent enrolled with this key before it was revoked.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconRobot}
      title="No agents yet"
      order={2}
      code={<CodeBlock samples={[{ label: "curl", code }]} what="the call that enrolls an agent" />}
    >
      An agent enrolls with this key once and gets its own agent key.
    </EmptyState>
  );
}

function OneAgent({ keyId, agent }: { keyId: string; agent: Agent }) {
  const { id, handle, name, inboxes, keys, key_count, created_at } = agent;
  return (
    <section className={`${shared.framed} ${classes.agent}`} aria-label={handle}>
      <div className={classes.agentHead}>
        <Group gap="xs" align="baseline">
          <Title order={2} size="h3">
            <Anchor component={NearLink} href={agentHref(id)} inherit c="inherit" data-thumb>
              {handle}
            </Anchor>
          </Title>
          {name && <Text c="dimmed">{name}</Text>}
        </Group>
        <Text size="sm" c="dimmed">
          {inboxes.toLocaleString("en")} {inboxes === 1 ? "inbox" : "inboxes"} created · enrolled{" "}
          <Time at={created_at} />
        </Text>
      </div>
      <div className={classes.agentKeys}>
        <KeysOfAgent keyId={keyId} handle={handle} keys={keys} keyCount={key_count} />
      </div>
    </section>
  );
}

/** Each key before the keys that it issued. A key whose issuer is not among the shown ones stands at the top. */
function treeOf(keys: AgentKey[]): Branch[] {
  const shown = new Set(keys.map(({ id }) => id));
  const below = Map.groupBy(keys, ({ parent_id }) => (parent_id && shown.has(parent_id) ? parent_id : null));
  const branch = (parent: string | null, depth: number): Branch[] =>
    (below.get(parent) ?? []).flatMap((key) => [{ key, depth }, ...branch(key.id, depth + 1)]);
  return branch(null, 0);
}

function IssuedBy({ parentId }: { parentId: string }) {
  return (
    <Text size="xs" c="dimmed">
      issued by <span className={classes.id}>{parentId}</span>
    </Text>
  );
}

type AgentKeysProps = { keyId: string; handle: string; keys: AgentKey[]; onChoose: (what: Chosen) => void };

function AgentKeys({ keyId, handle, keys, onChoose }: AgentKeysProps) {
  const mayAct = useMayAct("admin");
  const acts = {
    name: "Actions",
    kind: "actions" as const,
    show: ({ key }: Branch) => (
      <>
        <div className={classes.links}>
          <Anchor component={NearLink} size="sm" href={callsHref(key.id)} aria-label={`API calls of ${key.id}`}>
            API calls
          </Anchor>
          <Anchor
            component={NearLink}
            size="sm"
            href={activityHref(keyId, key.id)}
            aria-label={`Activity of ${key.id}`}
          >
            Activity
          </Anchor>
        </div>
        {mayAct && <Acts agentKey={key} onChoose={(act) => onChoose({ act, handle, agentKey: key })} />}
      </>
    ),
  };
  return (
    <DataTable
      label={`Keys of ${handle}`}
      columns={[...COLUMNS, acts]}
      rows={treeOf(keys)}
      keyOf={({ key }) => key.id}
      minWidth={TABLE_MIN_REM}
    />
  );
}

const COLUMNS: Column<Branch>[] = [
  {
    name: "Agent key",
    kind: "title",
    show: ({ key, depth }) => (
      <div className={classes.issued} data-depth={depth}>
        <span className={classes.id}>{key.id}</span>
        {key.parent_id !== null && <IssuedBy parentId={key.parent_id} />}
      </div>
    ),
  },
  { name: "May", isTall: true, show: ({ key }) => <Scopes scopes={key.scopes} /> },
  { name: "Inboxes", isTall: true, show: ({ key }) => <Reach agentKey={key} /> },
  { name: "Made", show: ({ key }) => <Time at={key.created_at} plain /> },
  { name: "Last used", show: ({ key }) => <Time at={key.last_used_at} none="–" plain /> },
  { name: "Status", show: ({ key }) => <Standing agentKey={key} /> },
];

function Reach({ agentKey }: { agentKey: AgentKey }) {
  const { own_inboxes, inboxes, send_budget, sent_count, outgoing_delay_seconds: delay } = agentKey;
  return (
    <>
      {own_inboxes && inboxes === null ? <>inboxes of its agent</> : <Restriction inboxes={inboxes} />}
      {send_budget !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          sent to {sent_count.toLocaleString("en")} of {send_budget.toLocaleString("en")} recipients
        </Text>
      )}
      {delay > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          its mail leaves {delay} s later
        </Text>
      )}
    </>
  );
}

function Standing({ agentKey }: { agentKey: AgentKey }) {
  return (
    <>
      <AgentKeyStatus {...agentKey} />
      {agentKey.active && agentKey.expires_at !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          expires <Time at={agentKey.expires_at} plain />
        </Text>
      )}
    </>
  );
}

type ActsProps = { agentKey: AgentKey; onChoose: (act: Chosen["act"]) => void };

function Acts({ agentKey: { id, active }, onChoose }: ActsProps) {
  if (!active) return null;
  const button = { size: "compact-sm", variant: "subtle", color: "red" } as const;
  return (
    <>
      <Button {...button} aria-label={`Pause ${id}`} onClick={() => onChoose("pause")}>
        Pause
      </Button>
      <Button {...button} aria-label={`Revoke ${id}`} onClick={() => onChoose("revoke")}>
        Revoke
      </Button>
    </>
  );
}

function Scopes({ scopes }: { scopes: string[] }) {
  if (scopes.filter((scope) => scope !== INCLUDED).length === SCOPES_ALL) return <>everything</>;
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} size="sm" variant="default" fw={500}>
          {scope}
        </Badge>
      ))}
    </Group>
  );
}

function Restriction({ inboxes }: { inboxes: AgentKey["inboxes"] }) {
  if (inboxes === null) return <>every inbox</>;
  const { addresses, count } = inboxes;
  const shown = addresses.slice(0, ADDRESSES_SHOWN);
  const more = count - shown.length;
  return (
    <>
      {shown.map((address) => (
        <div key={address}>{address}</div>
      ))}
      {more > 0 && (
        <Tooltip label={addresses.slice(ADDRESSES_SHOWN).join(", ") || "deleted"} multiline maw={320}>
          <Text span size="sm" c="dimmed" tabIndex={0}>
            {shown.length > 0 ? `and ${more} more` : `${more} deleted`}
          </Text>
        </Tooltip>
      )}
    </>
  );
}
