// The messages of agents that wait for a member: all, or one (`?id=msg_…`).
"use client";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { patient } from "../parts/patient.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading approvals" />;
const Queue = dynamic(() => patient(() => import("./queue.tsx").then((module) => module.Queue)), { loading });
const OneApproval = dynamic(() => patient(() => import("./one-approval.tsx").then((module) => module.OneApproval)), {
  loading,
});

export default function ApprovalsPage() {
  return (
    <Suspense fallback={loading()}>
      <Place />
    </Suspense>
  );
}

function Place() {
  const id = useSearchParams().get("id");
  // The state of one message's page must not be reused for another.
  return id === null ? <Queue /> : <OneApproval key={id} id={id} />;
}
