// The connected apps: which people let which app act in the organization.
"use client";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import shared from "../../../design/shared.module.css";
import { IconRobot } from "../../../design/shell-icons.tsx";
import { SCOPES } from "../../connect/scopes.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { later } from "../../parts/later.ts";
import { Listing } from "../../parts/listing.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Time } from "../../parts/time.tsx";
import { type Outputs, useTRPC } from "../../trpc.ts";
import classes from "../settings.module.css";

type App = Outputs["apps"]["list"]["data"][number];

const Disconnect = later(() => import("./disconnect.tsx"));

export default function AppsPage() {
  const trpc = useTRPC();
  const list = useQuery(trpc.apps.list.queryOptions());
  const rows = list.data?.data ?? [];
  const [ending, setEnding] = useState<App | null>(null);
  return (
    <>
      <PageHeader
        title="Connected apps"
        description="Assistants and other MCP hosts that people connected by signing in. Members see their own; admins and owners see all."
      />
      <Listing list={list} rows={rows} what="apps" shape={{ rows: 3 }} empty={<NoApps />}>
        <AppTable apps={rows} onDisconnect={setEnding} />
      </Listing>
      {ending && <Disconnect app={ending} onClose={() => setEnding(null)} />}
    </>
  );
}

function wordsOf(scope: string): string {
  return scope in SCOPES ? SCOPES[scope as keyof typeof SCOPES].label : scope;
}

function NoApps() {
  return (
    <EmptyState
      icon={IconRobot}
      title="No app is connected"
      code={<CodeBlock samples={[{ label: "URL", code: `${location.origin}/mcp/sign-in` }]} what="the URL" />}
    >
      Give an MCP host this URL. It opens this dashboard, where you choose what it may do.
    </EmptyState>
  );
}

function AppTable({ apps, onDisconnect }: { apps: App[]; onDisconnect: (app: App) => void }) {
  const columns: Column<App>[] = [
    {
      name: "App",
      kind: "title",
      show: ({ name, scopes }) => (
        <>
          <span className={classes.person}>{name}</span>
          <span className={shared.hint}>{scopes.map(wordsOf).join(" · ")}</span>
        </>
      ),
    },
    { name: "Connected by", show: ({ person }) => person.name },
    { name: "Connected", show: ({ created_at }) => <Time at={created_at} plain /> },
    {
      name: "Last token",
      show: ({ last_token_at }) => (last_token_at ? <Time at={last_token_at} plain /> : "None yet"),
    },
    {
      name: "Disconnect",
      kind: "actions",
      show: (app) => (
        <Button
          size="xs"
          variant="default"
          onClick={() => onDisconnect(app)}
          aria-label={`Disconnect ${app.name} of ${app.person.name}`}
        >
          Disconnect
        </Button>
      ),
    },
  ];
  return <DataTable label="Connected apps" columns={columns} rows={apps} keyOf={({ id }) => id} />;
}
