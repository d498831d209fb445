// The domains of the organization: all, or one with its DNS records (`?id=dom_…`).
"use client";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { later } from "../parts/later.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading domains" />;
const DomainList = later(() => import("./domain-list.tsx"), loading);
const OneDomain = later(() => import("./one-domain.tsx"), loading);

export default function DomainsPage() {
  return (
    <Suspense fallback={loading()}>
      <Place />
    </Suspense>
  );
}

function Place() {
  const id = useSearchParams().get("id");
  return id === null ? <DomainList /> : <OneDomain key={id} id={id} />;
}
