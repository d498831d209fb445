// The connected apps: which people let which app act in the organization.
"use client";
import { Button, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { IconRobot } from "../../../design/icons.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { patient } from "../../parts/patient.ts";
import { Problem } from "../../parts/problem.tsx";
import { TableSkeleton } from "../../parts/table-skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { type Outputs, useTRPC } from "../../trpc.ts";
import classes from "../settings.module.css";

type App = Outputs["apps"]["list"]["data"][number];

const Disconnect = dynamic(() => patient(() => import("./disconnect.tsx").then((module) => module.Disconnect)), {
  ssr: false,
});

export default function AppsPage() {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(trpc.apps.list.queryOptions());
  const [ending, setEnding] = useState<App | null>(null);
  return (
    <>
      <PageHeader
        title="Connected apps"
        description="Assistants and other MCP hosts that people connected by signing in. Members see their own; admins and owners see all."
      />
      {!data && !error && <TableSkeleton label="Loading apps" columns={4} rows={3} />}
      {!data && error && (
        <Problem error={error} what="The apps could not be loaded" retry={() => void refetch()} busy={isFetching} />
      )}
      {data?.data.length === 0 && <NoApps />}
      {data && data.data.length > 0 && <AppTable apps={data.data} onDisconnect={setEnding} />}
      {ending && <Disconnect app={ending} onClose={() => setEnding(null)} />}
    </>
  );
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
  return (
    <div className={classes.frame}>
      <Table horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">App</Table.Th>
            <Table.Th scope="col" className={classes.wide}>
              Connected by
            </Table.Th>
            <Table.Th scope="col" className={classes.wide}>
              Last token
            </Table.Th>
            <Table.Th scope="col" aria-label="Disconnect" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {apps.map((app) => (
            <Row key={app.id} app={app} onDisconnect={() => onDisconnect(app)} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Row({ app, onDisconnect }: { app: App; onDisconnect: () => void }) {
  const { name, person, scopes, created_at, last_token_at } = app;
  return (
    <Table.Tr>
      <Table.Td>
        <span className={classes.person}>{name}</span>
        <span className={classes.hint}>{scopes.join(", ")}</span>
        <span className={classes.narrow}>
          <span className={classes.hint}>
            {person.name}, <Time at={created_at} plain />
          </span>
        </span>
      </Table.Td>
      <Table.Td className={classes.wide}>
        <span className={classes.person}>{person.name}</span>
        <span className={classes.hint}>
          <Time at={created_at} plain />
        </span>
      </Table.Td>
      <Table.Td className={classes.wide}>{last_token_at ? <Time at={last_token_at} plain /> : "None yet"}</Table.Td>
      <Table.Td className={classes.end}>
        <Button size="xs" variant="default" onClick={onDisconnect} aria-label={`Disconnect ${name} of ${person.name}`}>
          Disconnect
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
