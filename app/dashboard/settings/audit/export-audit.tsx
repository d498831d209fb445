// <ExportAudit>: saves the entries that the filters match as CSV or JSON lines, read page by page up to a limit.
"use client";
import { Button, Menu } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { IconDownload } from "../../../design/icons.tsx";
import { saveText } from "../../parts/save-file.ts";
import { failed, succeeded } from "../../parts/toast.tsx";
import { useTRPCClient } from "../../trpc.ts";
import type { Filters } from "./audit-filters.tsx";
import { FORMATS, type Format } from "./lines.ts";

const PAGE_ENTRIES = 100;
const PAGES_MAX = 100;

/** The first pages of the log, as lines, and whether there is more. */
async function readLines(client: ReturnType<typeof useTRPCClient>, filters: Filters, format: Format) {
  const { head, line } = FORMATS[format];
  const parts: string[] = [head];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { data, next_cursor } = await client.team.audit.query({ ...filters, limit: PAGE_ENTRIES, cursor });
    parts.push(...data.map(line));
    if (next_cursor === null) return { parts, entries: parts.length - 1, more: false };
    cursor = next_cursor;
  }
  return { parts, entries: parts.length - 1, more: true };
}

export default function ExportAudit({ filters }: { filters: Filters }) {
  const client = useTRPCClient();
  const saving = useMutation({
    mutationFn: (format: Format) => readLines(client, filters, format),
    onSuccess({ parts, entries, more }, format) {
      saveText(parts, `audit-log.${format}`);
      const rest = " Set “Before” to the time of the last one to export older entries.";
      succeeded(`${entries.toLocaleString("en")} entries exported.${more ? rest : ""}`);
    },
    onError: (error) => failed(error, "The audit log was not exported"),
  });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={17} aria-hidden />} loading={saving.isPending}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(FORMATS).map(([format, { name }]) => (
          <Menu.Item key={format} onClick={() => saving.mutate(format === "csv" ? "csv" : "jsonl")}>
            As {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
