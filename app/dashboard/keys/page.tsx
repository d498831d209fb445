// The enrollment keys: all, one with its agents and its ledger (`?id=ekey_…`), or what one of its agent keys changed (`&agent_key=akey_…`).
"use client";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { later } from "../parts/later.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading keys" />;
const KeyList = later(() => import("./key-list.tsx"), loading);
const KeyActivity = later(() => import("./key-activity.tsx"), loading);
const OneKey = later(() => import("./one-key.tsx"), loading);

export default function KeysPage() {
  return (
    <Suspense fallback={loading()}>
      <Place />
    </Suspense>
  );
}

function Place() {
  const query = useSearchParams();
  const [id, agentKey] = [query.get("id"), query.get("agent_key")];
  if (id === null) return <KeyList />;
  if (agentKey !== null) return <KeyActivity key={agentKey} keyId={id} agentKeyId={agentKey} />;
  return <OneKey key={id} id={id} />;
}
