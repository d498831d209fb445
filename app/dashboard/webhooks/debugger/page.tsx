// The signature debugger: explains why a delivery does not verify. Everything runs in the browser.
"use client";
import dynamic from "next/dynamic";
import { PageHeader } from "../../parts/page-header.tsx";
import { patient } from "../../parts/patient.ts";
import { TableSkeleton } from "../../parts/table-skeleton.tsx";
import { WEBHOOKS } from "../places.ts";

const SignatureDebugger = dynamic(
  () => patient(() => import("./signature-debugger.tsx").then((module) => module.SignatureDebugger)),
  {
    loading: () => <TableSkeleton label="Opening the debugger" />,
  },
);

export default function DebuggerPage() {
  return (
    <>
      <PageHeader
        title="Signature debugger"
        description="Paste what your receiver got. This page computes the signature in your browser and explains step by step why it does not match. Nothing is sent."
        back={{ href: WEBHOOKS, label: "Webhooks" }}
      />
      <SignatureDebugger />
    </>
  );
}
