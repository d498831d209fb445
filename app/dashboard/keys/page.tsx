// The enrollment keys: all, or one with its agents and its ledger (`?id=ekey_…`).
"use client";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { later } from "../parts/later.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading keys" />;
const KeyList = later(() => import("./key-list.tsx"), loading);
const OneKey = later(() => import("./one-key.tsx"), loading);

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
