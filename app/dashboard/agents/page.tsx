// The agents: all, or one with its keys, its inboxes and its activity (`?id=agt_…`). `?issue` opens the dialog that issues a key.
"use client";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { later } from "../parts/later.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading agents" />;
const AgentList = later(() => import("./agent-list.tsx"), loading);
const OneAgent = later(() => import("./one-agent.tsx"), loading);

export default function AgentsPage() {
  return (
    <Suspense fallback={loading()}>
      <Place />
    </Suspense>
  );
}

function Place() {
  const id = useSearchParams().get("id");
  return id === null ? <AgentList /> : <OneAgent key={id} id={id} />;
}
