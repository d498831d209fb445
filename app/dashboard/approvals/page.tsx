// The messages of agents that wait for a member: all, or one (`?id=msg_…`).
"use client";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { later } from "../parts/later.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading approvals" />;
const Queue = later(() => import("./queue.tsx"), loading);
const OneApproval = later(() => import("./one-approval.tsx"), loading);

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
