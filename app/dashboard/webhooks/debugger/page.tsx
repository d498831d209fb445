// The signature debugger: explains why a delivery does not verify. Everything runs in the browser.
"use client";
import { later } from "../../parts/later.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { TableSkeleton } from "../../parts/table-skeleton.tsx";
import { WEBHOOKS } from "../places.ts";

const SignatureDebugger = later(
  () => import("./signature-debugger.tsx"),
  () => <TableSkeleton label="Opening the debugger" />,
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
