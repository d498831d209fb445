// Writes entries of the audit log as CSV (RFC 4180) or JSON lines.
import type { Outputs } from "../../trpc.ts";

export type Entry = Outputs["team"]["audit"]["data"][number];

const COLUMNS = ["created_at", "actor", "action", "subject", "outcome", "id"] as const;
/** Spreadsheets run text that starts with these as a formula, also after spaces. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@|%\t\r]/u;

/** A field whose text no spreadsheet takes for a formula: an apostrophe marks it as text. */
function field(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return `"${plain.replaceAll('"', '""')}"`;
}

export const FORMATS = {
  csv: {
    name: "CSV",
    head: `${COLUMNS.join(",")}\r\n`,
    line: (entry: Entry) => `${COLUMNS.map((column) => field(entry[column] ?? "")).join(",")}\r\n`,
  },
  jsonl: { name: "JSON lines", head: "", line: (entry: Entry) => `${JSON.stringify(entry)}\n` },
} as const;

export type Format = keyof typeof FORMATS;
