// What the inboxes of an agent sent and received in the last 14 days, as a chart and a table for screen readers.
"use client";
import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import shared from "../../design/shared.module.css";
import { BarsByDay } from "../overview/bars-by-day.tsx";
import { HiddenTable, shown } from "../overview/day-charts.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { useTRPC } from "../trpc.ts";
import classes from "./agents.module.css";

type Counted = { sent: number; bounced: number; received: number | null };

export function AgentDays({ id }: { id: string }) {
  const trpc = useTRPC();
  const found = useQuery(trpc.agents.days.queryOptions({ id }));
  const { data } = found;
  if (!data) {
    const skeleton = <div className={`${shared.panel} ${classes.days} ${classes.waiting}`} aria-busy />;
    return <Unloaded query={found} what="mail of 14 days" skeleton={skeleton} />;
  }
  const days = data.data;
  const sum = (of: (day: Counted) => number) => days.reduce((total, day) => total + of(day), 0);
  const [sent, bounced, received] = [
    sum((day) => day.sent),
    sum((day) => day.bounced),
    sum((day) => day.received ?? 0),
  ];
  const isPartial = days.some((day) => day.received === null);
  const rows = days.map((day) => ({ day: shown(day.day), values: [day.received ?? 0, day.sent, day.bounced] }));
  return (
    <section className={`${shared.panel} ${classes.days}`} aria-labelledby="agent-days">
      <div className={classes.head}>
        <Title order={2} size="h3" id="agent-days">
          Mail of 14 days
        </Title>
        <Text size="sm" c="dimmed">
          {isPartial ? "more than 50,000" : received.toLocaleString("en")} in, {sent.toLocaleString("en")} out,{" "}
          {bounced.toLocaleString("en")} bounced
        </Text>
      </div>
      {sent + received === 0 && !isPartial ? (
        <Text size="sm" c="dimmed">
          No inbox of this agent sent or received mail in these days.
        </Text>
      ) : (
        <>
          <BarsByDay
            rows={rows}
            series={[
              { label: "Received", color: "var(--mantine-color-blue-filled)" },
              { label: "Sent", color: "var(--buoy)" },
              { label: "Bounced", color: "var(--bad)" },
            ]}
          />
          <HiddenTable caption="Mail by day" columns={["Received", "Sent", "Bounced"]} rows={rows} />
        </>
      )}
    </section>
  );
}
