// The enrollment keys: all, or one with its agents and its ledger (`?id=ekey_…`).
"use client";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { patient } from "../parts/patient.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading keys" />;
const KeyList = dynamic(() => patient(() => import("./key-list.tsx").then((module) => module.KeyList)), { loading });
const OneKey = dynamic(() => patient(() => import("./one-key.tsx").then((module) => module.OneKey)), { loading });

export default function KeysPage() {
  return (
    <Suspense fallback={loading()}>
      <Place />
    </Suspense>
  );
}

function Place() {
  const id = useSearchParams().get("id");
  return id === null ? <KeyList /> : <OneKey key={id} id={id} />;
}
