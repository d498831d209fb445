// <DomainState>, <PartState>, <RecordState>: the states of a domain, of what it is used for, and of one DNS record.
"use client";
import { Badge } from "@mantine/core";
import { IconCircleX, IconClock } from "../../design/icons.tsx";
import { IconAlertTriangle, IconCircleCheck } from "../../design/shell-icons.tsx";
import type { Outputs } from "../trpc.ts";

export type Domain = Outputs["domains"]["get"];
export type DnsRecord = Domain["records"][number];
type Part = Domain["sending"];

const STATUSES = {
  lost: { label: "Lost", color: "red", Shape: IconCircleX },
  failing: { label: "Failing", color: "yellow", Shape: IconAlertTriangle },
  pending: { label: "Pending", color: "gray", Shape: IconClock },
  granted: { label: "Granted", color: "green", Shape: IconCircleCheck },
  verified: { label: "Verified", color: "green", Shape: IconCircleCheck },
  ready: { label: "Ready", color: "green", Shape: IconCircleCheck },
  missing: { label: "Not found yet", color: "gray", Shape: IconClock },
  mismatch: { label: "Wrong value", color: "red", Shape: IconAlertTriangle },
  found: { label: "Found", color: "green", Shape: IconCircleCheck },
} as const;

/** The most severe first. */
const ORDER = ["lost", "failing", "pending", "granted", "verified"] as const;

/** A granted domain needs no proof of ownership. */
export function isGrantedOnly({ status, granted }: Domain): boolean {
  return granted && status === "pending";
}

function stateOf(domain: Domain): (typeof ORDER)[number] {
  const { status, ownership, sending, receiving } = domain;
  if (status === "lost") return "lost";
  const parts = isGrantedOnly(domain) ? [sending, receiving] : [ownership, sending, receiving];
  if (parts.some((part) => part.status === "failing")) return "failing";
  if (parts.some((part) => part.status === "pending")) return "pending";
  return isGrantedOnly(domain) ? "granted" : status;
}

/** The domains with problems first, otherwise in the given order. */
export function problemsFirst(domains: Domain[]): Domain[] {
  return domains.toSorted((a, b) => ORDER.indexOf(stateOf(a)) - ORDER.indexOf(stateOf(b)));
}

const LABELS: Record<DnsRecord["purpose"], string> = {
  ownership: "Ownership",
  mx: "Mail server",
  spf: "SPF",
  dkim: "DKIM key",
  dmarc: "DMARC",
  mta_sts: "MTA-STS",
  mta_sts_policy: "Host of the MTA-STS policy",
  tls_rpt: "TLS reports",
  return_path_mx: "Mail server for bounces",
  return_path_spf: "SPF for bounces",
};

export function labelOf({ purpose }: DnsRecord): string {
  return LABELS[purpose];
}

/** Where a record is inside the page. */
export function recordAnchor({ purpose, name, value }: DnsRecord): string {
  return `${purpose}-${name}-${value.slice(0, 20)}`.replaceAll(/[^\w.-]/g, "-");
}

/** What DNS does not have as the page shows it. */
export function isNotFound({ status }: DnsRecord): boolean {
  return status !== "found";
}

export function isReady(domain: Domain): boolean {
  return ["granted", "verified"].includes(stateOf(domain));
}

function State({ state }: { state: keyof typeof STATUSES }) {
  const { label, color, Shape } = STATUSES[state];
  return (
    <Badge color={color} variant="light" leftSection={<Shape size={13} stroke={2.2} aria-hidden />}>
      {label}
    </Badge>
  );
}

export function DomainState({ domain }: { domain: Domain }) {
  return <State state={isGrantedOnly(domain) ? "granted" : domain.status} />;
}

export function PartState({ part: { status } }: { part: Part }) {
  return <State state={status} />;
}

export function RecordState({ record: { status } }: { record: DnsRecord }) {
  return <State state={status} />;
}
