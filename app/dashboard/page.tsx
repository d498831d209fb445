// The overview: problems first, then recent mail and webhooks, quotas and send caps; for new organizations, the first
// steps.
"use client";
import { Skeleton, Text, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Caps } from "./overview/caps.tsx";
import { DayCharts } from "./overview/day-charts.tsx";
import { useFreshOverview } from "./overview/fresh.ts";
import classes from "./overview/overview.module.css";
import { Problems } from "./overview/problems.tsx";
import { Quotas } from "./overview/quotas.tsx";
import { PageHeader } from "./parts/page-header.tsx";
import { patient } from "./parts/patient.ts";
import { Problem } from "./parts/problem.tsx";
import { useMe } from "./session/member.tsx";
import { type Outputs, useTRPC } from "./trpc.ts";

/** Only new organizations see them. */
const FirstSteps = dynamic(
  () => patient(() => import("./overview/first-steps.tsx").then((module) => module.FirstSteps)),
  {
    loading: () => <Skeleton height={290} radius="lg" />,
  },
);

type Overview = Outputs["overview"]["get"];

const READ_AGAIN_AFTER_MS = 60_000;

export default function OverviewPage() {
  const trpc = useTRPC();
  const { organization } = useMe();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.overview.get.queryOptions(undefined, { refetchInterval: READ_AGAIN_AFTER_MS }),
  );
  useFreshOverview();
  return (
    <>
      <PageHeader title="Overview" description={`Usage of ${organization.name} in the last 14 days.`} />
      {!data && error && (
        <Problem error={error} what="The overview could not be loaded" retry={() => void refetch()} busy={isFetching} />
      )}
      {!data && !error && <Waiting />}
      {data && <Everything overview={data} />}
    </>
  );
}

/** Agents that wait for mail need no webhook: after the first mail, the organization is no longer new. */
function isBeginning({ steps, days }: Overview): boolean {
  if (!steps.key || !steps.inbox) return true;
  return !steps.webhook && days.every(({ received }) => received === 0);
}

function Everything({ overview }: { overview: Overview }) {
  const { problems, days, keys, key_count, send_caps, steps } = overview;
  const isNew = isBeginning(overview);
  // A step that was just done stays to be seen.
  const [beganNew] = useState(isNew);
  const beginning = isNew || beganNew;
  return (
    <div className={classes.sections}>
      {beginning && <FirstSteps overview={overview} />}
      {(!beginning || problems.length > 0) && <Problems problems={problems} />}
      {(!beginning || steps.inbox) && <DayCharts days={days} />}
      <div className={classes.pair}>
        <Quotas keys={keys} keyCount={key_count} />
        <Caps caps={send_caps} />
      </div>
      <Text size="xs" c="dimmed">
        Days are in UTC.
      </Text>
    </div>
  );
}

function Waiting() {
  return (
    <div role="status" className={classes.sections}>
      <VisuallyHidden>Loading the overview…</VisuallyHidden>
      <Skeleton height={56} radius="lg" />
      <div className={classes.pair}>
        <Skeleton height={290} radius="lg" />
        <Skeleton height={290} radius="lg" />
      </div>
      <div className={classes.pair}>
        <Skeleton height={180} radius="lg" />
        <Skeleton height={180} radius="lg" />
      </div>
    </div>
  );
}
