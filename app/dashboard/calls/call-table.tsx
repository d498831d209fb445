// The table of API calls.
"use client";
import { Text, UnstyledButton } from "@mantine/core";
import { Copy } from "../parts/copy.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import classes from "./calls.module.css";

type Call = Outputs["calls"]["list"]["data"][number];

const DOORS: Record<string, string> = { rest: "REST", trpc: "tRPC", mcp: "MCP", compat: "Other API", smtp: "SMTP" };

/** @param onKey shows only the calls of a key */
export default function CallTable({ calls, onKey }: { calls: Call[]; onKey: (key: string) => void }) {
  const columns: Column<Call>[] = [
    {
      name: "Call",
      kind: "title",
      minWidth: 18,
      show: ({ door, method, route, path }) => (
        <>
          <code className={classes.code}>{door === "rest" || door === "compat" ? `${method} ${path}` : route}</code>
          <Text size="sm" c="dimmed">
            {DOORS[door] ?? door}
            {door === "smtp" && ` from ${path}`}
          </Text>
        </>
      ),
    },
    {
      name: "Result",
      minWidth: 9,
      show: ({ status, error }) => (
        <span className={classes.result} data-failed={error !== null || undefined}>
          {status}
          {error !== null && <code className={classes.code}> {error}</code>}
        </span>
      ),
    },
    { name: "Time taken", kind: "number", show: ({ ms }) => `${ms} ms` },
    {
      name: "Agent and key",
      show: ({ agent, key }) => (
        <>
          {agent}
          <UnstyledButton className={classes.id} data-thumb title={`Only calls of ${key}`} onClick={() => onKey(key)}>
            {shortId(key)}
          </UnstyledButton>
        </>
      ),
    },
    {
      name: "Request",
      show: ({ request_id }) => (
        <span className={classes.request}>
          <code className={classes.code} title={request_id}>
            {shortId(request_id)}
          </code>
          <Copy text={request_id} what={`the request id ${request_id}`} />
        </span>
      ),
    },
    { name: "From", show: ({ remote }) => <span className={classes.remote}>{remote}</span> },
    {
      name: "When",
      minWidth: 9,
      show: ({ at }) => (
        <span className={classes.remote}>
          <Time at={at} plain />
        </span>
      ),
    },
  ];
  return (
    <DataTable label="API calls" columns={columns} rows={calls} keyOf={({ request_id }) => request_id} minWidth={62} />
  );
}

const END_CHARS = 6;

/** The kind and the end of an id. */
function shortId(id: string): string {
  return `${id.slice(0, id.indexOf("_") + 1)}…${id.slice(-END_CHARS)}`;
}
