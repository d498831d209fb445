// Writes entries of the audit log as CSV (RFC 4180) or JSON lines.
import type { Outputs } from "../../trpc.ts";

export type Entry = Outputs["team"]["audit"]["data"][number];

const COLUMNS = [
  "created_at",
  "actor",
  "action",
  "subject",
  "outcome",
  "id",
  "object",
  "object_id",
  "agent_id",
  "changes",
];
/** Spreadsheets run text that starts with these as a formula, also after spaces. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@|%\t\r]/u;

/** A field whose text no spreadsheet takes for a formula: an apostrophe marks it as text. */
function field(text: string): string {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return `"${plain.replaceAll('"', '""')}"`;
}

/** In the order of the columns. */
function valuesOf({ created_at, actor, action, subject, outcome, id, object, agent, changes }: Entry): string[] {
  const settings = changes.map(({ name, from, to }) => `${name}: ${from ?? ""} → ${to ?? ""}`).join("; ");
  const [name = "", objectId = "", agentId = ""] = [object?.name, object?.id, agent?.id].map((text) => text ?? "");
  return [created_at, actor, action, subject ?? "", outcome, id, name, objectId, agentId, settings];
}

export const FORMATS = {
  csv: {
    name: "CSV",
    head: `${COLUMNS.join(",")}\r\n`,
    line: (entry: Entry) => `${valuesOf(entry).map(field).join(",")}\r\n`,
  },
  jsonl: { name: "JSON lines", head: "", line: (entry: Entry) => `${JSON.stringify(entry)}\n` },
} as const;

export type Format = keyof typeof FORMATS;
