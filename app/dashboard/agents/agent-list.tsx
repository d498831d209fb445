// All agents: of which key each is, its keys and inboxes, what it sent today, and when it was last active.
"use client";
import { Anchor, Badge, Button } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { IconPlus } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { IconRobot } from "../../design/shell-icons.tsx";
import { agentHref, keyHref } from "../keys/places.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { setQuery } from "../parts/query-filters.ts";
import { SearchField, useSearch } from "../parts/search-field.tsx";
import { Time } from "../parts/time.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useMayAct } from "../session/member.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";

type Agent = Outputs["agents"]["list"]["data"][number];

const TABLE_MIN_REM = 60;
const PAGE_ROWS = 50;
/** The service counts the inboxes of an agent this far. */
const COUNTED_INBOXES = 1_000;
const IssueAgentKey = later(() => import("./issue-agent-key.tsx"));
const UndoKey = later(() => import("../keys/undo-key.tsx"));

export default function AgentList() {
  const trpc = useTRPC();
  const mayAct = useMayAct("admin");
  const isAsked = useSearchParams().has("issue");
  const [issuing, setIssuing] = useState(isAsked && mayAct);
  const [undoing, setUndoing] = useState<Agent>();
  const search = useSearch("q");
  const q = search.text;
  const list = useInfiniteQuery(
    trpc.agents.list.infiniteQueryOptions(
      { limit: PAGE_ROWS, ...(q && { q }) },
      { ...PAGED, placeholderData: keepPreviousData },
    ),
  );
  const rows = rowsOf(list.data);
  const isEmpty = list.data !== undefined && rows.length === 0;
  const issue = (
    <AdminButton
      what="issue agent keys"
      leftSection={<IconPlus size={17} aria-hidden />}
      onClick={() => setIssuing(true)}
    >
      Issue agent key
    </AdminButton>
  );
  return (
    <>
      <PageHeader
        title="Agents"
        description="The programs that work with your mail. Each has agent keys, under an enrollment key."
        actions={issue}
      />
      {(!isEmpty || q || search.typed) && (
        <SearchField
          search={search}
          label="Find an agent"
          placeholder="Find by handle or name"
          clear="Show all agents"
        />
      )}
      <Listing
        list={list}
        rows={rows}
        what="agents"
        shape={{ columns: 6 }}
        empty={q ? <NotFound q={q} /> : <NoAgents />}
      >
        <DataTable
          label="Agents"
          columns={mayAct ? [...COLUMNS, undoColumn(setUndoing)] : COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          minWidth={TABLE_MIN_REM}
          hasRowLinks
        />
      </Listing>
      {undoing && <UndoKey agent={undoing} onClose={() => setUndoing(undefined)} />}
      {issuing && (
        <IssueAgentKey
          onClose={() => {
            setIssuing(false);
            setQuery({ issue: "" });
          }}
        />
      )}
    </>
  );
}

function NotFound({ q }: { q: string }) {
  return (
    <EmptyState icon={IconRobot} title="Agent not found">
      No handle and no name of an agent contains “{q}”.
    </EmptyState>
  );
}

function NoAgents() {
  const code = `curl ${location.origin}/v1/enroll \\
  -H "Content-Type: application/json" \\
  -d "{\\"token\\":\\"$ENROLLMENT_KEY\\",\\"agent_handle\\":\\"my-agent\\"}"`;
  return (
    <EmptyState
      icon={IconRobot}
      title="No agents yet"
      code={<CodeBlock samples={[{ label: "curl", code }]} what="the call that enrolls an agent" />}
    >
      An agent enrolls with an enrollment key and gets its own agent key. You can also issue an agent key here and give
      it to the agent.
    </EmptyState>
  );
}

function undoColumn(onUndo: (agent: Agent) => void): Column<Agent> {
  return {
    name: "Actions",
    kind: "actions",
    show: (agent) => (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={`Undo… what ${agent.handle} did`}
        onClick={() => onUndo(agent)}
      >
        Undo…
      </Button>
    ),
  };
}

function number(of: (agent: Agent) => number): (agent: Agent) => string {
  return (agent) => of(agent).toLocaleString("en");
}

const COLUMNS: Column<Agent>[] = [
  {
    name: "Agent",
    kind: "title",
    show: ({ id, handle, name }) => (
      <>
        <Anchor component={NearLink} href={agentHref(id)} size="sm" fw={550}>
          {handle}
        </Anchor>
        {name && <span className={shared.hint}>{name}</span>}
      </>
    ),
  },
  {
    name: "Enrollment key",
    show: ({ enrollment_key: { id, name, revoked } }) => (
      <>
        <Anchor component={NearLink} href={keyHref(id)} size="sm" data-thumb>
          {name || "Unnamed key"}
        </Anchor>{" "}
        {revoked && (
          <Badge color="gray" variant="light">
            Revoked
          </Badge>
        )}
      </>
    ),
  },
  { name: "Working keys", kind: "number", show: number(({ working_keys }) => working_keys) },
  {
    name: "Inboxes",
    kind: "number",
    show: ({ inboxes }) => `${inboxes.toLocaleString("en")}${inboxes >= COUNTED_INBOXES ? "+" : ""}`,
  },
  { name: "Sent today", kind: "number", show: number(({ sent_today }) => sent_today) },
  { name: "Webhooks", kind: "number", show: number(({ webhooks }) => webhooks) },
  { name: "Last active", show: ({ last_active_at }) => <Time at={last_active_at} plain /> },
];
