// What the overview shows once it was read. A separate script: it loads while the overview is read.
"use client";
import { Skeleton, Text } from "@mantine/core";
import { useState } from "react";
import { later } from "../parts/later.ts";
import { useReadAfterEvents } from "../session/team-events.ts";
import { type Outputs, useTRPC } from "../trpc.ts";
import { Caps } from "./caps.tsx";
import { DayCharts } from "./day-charts.tsx";
import classes from "./overview.module.css";
import { Problems } from "./problems.tsx";
import { Quotas } from "./quotas.tsx";
import { Waiting } from "./waiting.tsx";

/** The overview of a busy organization is slow to compute, so it is read again at most this often. */
const GATHER_MS = 5_000;

/** Only new organizations see them. */
const FirstSteps = later(
  () => import("./first-steps.tsx"),
  () => <Skeleton height={290} radius="lg" />,
);

type Overview = Outputs["overview"]["get"];

/** Agents that wait for mail need no webhook: after the first mail, the organization is no longer new. */
function isBeginning({ steps, days }: Overview): boolean {
  if (!steps.key || !steps.inbox) return true;
  return !steps.webhook && days.every(({ received }) => received === 0);
}

/** @param overview undefined until it was read */
export default function Everything({ overview }: { overview: Overview | undefined }) {
  const trpc = useTRPC();
  useReadAfterEvents([trpc.overview.pathFilter()], GATHER_MS);
  return overview ? <Sections overview={overview} /> : <Waiting />;
}

function Sections({ overview }: { overview: Overview }) {
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
