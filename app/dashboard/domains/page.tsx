// The domains of the organization: all, or one with its DNS records (`?id=dom_…`).
"use client";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";
import { Suspense } from "react";
import { patient } from "../parts/patient.ts";
import { TableSkeleton } from "../parts/table-skeleton.tsx";

const loading = () => <TableSkeleton label="Loading domains" />;
const DomainList = dynamic(() => patient(() => import("./domain-list.tsx").then((module) => module.DomainList)), {
  loading,
});
const OneDomain = dynamic(() => patient(() => import("./one-domain.tsx").then((module) => module.OneDomain)), {
  loading,
});

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
