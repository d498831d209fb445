// Charts of the last days: inbound and outbound mail, and webhook deliveries; with tables for screen readers.
"use client";
import { Text, Title, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import type { Outputs } from "../trpc.ts";
import { BarsByDay } from "./bars-by-day.tsx";
import classes from "./overview.module.css";

type Day = Outputs["overview"]["get"]["days"][number];

const dayName = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", timeZone: "UTC" });

export function DayCharts({ days }: { days: Day[] }) {
  return (
    <div className={classes.pair}>
      <Mail days={days} />
      <Deliveries days={days} />
    </div>
  );
}

function total(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function Mail({ days }: { days: Day[] }) {
  const [received, sent] = [total(days.map((day) => day.received)), total(days.map((day) => day.sent))];
  const rows = days.map(({ day, received: come, sent: gone }) => ({ day: shown(day), values: [come, gone] }));
  return (
    <Panel
      id="mail"
      title="Mail"
      figures={
        <>
          <b>{received.toLocaleString("en")}</b> in, <b>{sent.toLocaleString("en")}</b> out in 14 days
        </>
      }
    >
      {received + sent === 0 ? (
        <p className={classes.none}>No mail was received or sent in the last 14 days.</p>
      ) : (
        <>
          <BarsByDay
            rows={rows}
            series={[
              { label: "Received", color: "var(--mantine-color-blue-filled)" },
              { label: "Sent", color: "var(--buoy)" },
            ]}
          />
          <HiddenTable caption="Mail by day" columns={["Received", "Sent"]} rows={rows} />
        </>
      )}
    </Panel>
  );
}

function Deliveries({ days }: { days: Day[] }) {
  const counted = days.flatMap(({ day, deliveries }) => (deliveries ? [{ day: shown(day), ...deliveries }] : []));
  const rows = counted.map(({ day, succeeded, failed, retrying }) => ({ day, values: [succeeded, retrying, failed] }));
  const all = total(counted.map(({ succeeded, failed, retrying, waiting }) => succeeded + failed + retrying + waiting));
  return (
    <Panel id="deliveries" title="Webhook deliveries" figures={all > 0 && <Rate days={counted} />}>
      {all === 0 ? (
        <p className={classes.none}>
          {counted.length > 0
            ? "No webhook deliveries in the last 14 days."
            : "There are too many deliveries to count here. The page of each webhook has its own."}
        </p>
      ) : (
        <>
          <BarsByDay
            stacked
            rows={rows}
            series={[
              { label: "Succeeded", color: "var(--good)" },
              { label: "Will be retried", color: "var(--warn)" },
              { label: "Failed", color: "var(--bad)" },
            ]}
          />
          <HiddenTable
            caption="Webhook deliveries by day"
            columns={["Succeeded", "Will be retried", "Failed"]}
            rows={rows}
          />
          <Attempts days={counted} />
          {counted.length < days.length && (
            <Text size="xs" c="dimmed" mt="xs">
              There are more than {all.toLocaleString("en")} deliveries. Only the newest are counted.
            </Text>
          )}
        </>
      )}
    </Panel>
  );
}

type Counted = NonNullable<Day["deliveries"]>;

/** Counts instead of a percentage: deliveries that will be retried are neither successes nor failures. */
function Rate({ days }: { days: Counted[] }) {
  const [succeeded, failed] = [total(days.map((day) => day.succeeded)), total(days.map((day) => day.failed))];
  const retrying = total(days.map((day) => day.retrying));
  if (succeeded + failed + retrying === 0) return "none attempted yet";
  return (
    <>
      <b>{succeeded.toLocaleString("en")}</b> succeeded, <b>{retrying.toLocaleString("en")}</b> will be retried,{" "}
      <b>{failed.toLocaleString("en")}</b> failed
    </>
  );
}

function Attempts({ days }: { days: Counted[] }) {
  const [attempts, failed] = [total(days.map((day) => day.attempts)), total(days.map((day) => day.failed_attempts))];
  const waiting = total(days.map((day) => day.waiting));
  return (
    <Text size="xs" c="dimmed" mt="xs">
      A delivery is attempted until it succeeds: {manyOf(attempts, "attempt", "attempts")}, of which{" "}
      {failed.toLocaleString("en")} failed.
      {waiting > 0 && ` ${manyOf(waiting, "delivery was", "deliveries were")} not attempted yet.`}
    </Text>
  );
}

function manyOf(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export function shown(day: string): string {
  return dayName.format(new Date(`${day}T00:00:00Z`));
}

function Panel({
  id,
  title,
  figures,
  children,
}: {
  id: string;
  title: string;
  figures: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <div className={classes.head}>
        <Title order={2} id={id}>
          {title}
        </Title>
        {figures && <span className={classes.total}>{figures}</span>}
      </div>
      {children}
    </section>
  );
}

type Rows = { day: string; values: number[] }[];

/** @param columns the names of the values of each row, in order */
export function HiddenTable({ caption, columns, rows }: { caption: string; columns: string[]; rows: Rows }) {
  return (
    <VisuallyHidden component="div">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ day, values }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {columns.map((column, at) => (
                <td key={column}>{values[at]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
