// Writes results: tables and fields on a terminal, one line of JSON for programs.
import type { Command } from "commander";
import type { GlobalOptions, Shell } from "./session.ts";

const CELL_MAX_CHARS = 60;
/** Mail is written by strangers: no character of it may move the cursor, change the title or reverse the text. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const UNPRINTABLE_BUT_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export type Column<Row> = [title: string, value: (row: Row) => unknown];

export function isJson(shell: Shell, command: Command): boolean {
  return command.optsWithGlobals<GlobalOptions>().json ?? !shell.stdout.isTTY;
}

/** JSON in which control characters are escaped, since it may be shown on a terminal. */
export function toJson(value: unknown): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escaped);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function cell(value: unknown): string {
  const text = textOf(value).replace(/\s+/g, " ").replace(UNPRINTABLE, "");
  return text.length > CELL_MAX_CHARS ? `${text.slice(0, CELL_MAX_CHARS - 1)}…` : text;
}

export function tableOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, value]) => cell(value(row))))];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** One field a line; the lines of a longer text are indented. */
export function fieldsOf(fields: object): string {
  const shown = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    textOf(value).replace(UNPRINTABLE_BUT_LINES, "").trimEnd(),
  ]);
  const width = Math.max(0, ...shown.map(([name]) => name.length)) + 2;
  return shown
    .map(([name, text]) => `${name.padEnd(width)}${text.replaceAll("\n", `\n${" ".repeat(width)}`)}`)
    .join("\n");
}

/** Prints an object: as JSON, or `shown` of it as fields. */
export function printObject(shell: Shell, command: Command, value: object, shown: object = value): void {
  shell.stdout.write(`${isJson(shell, command) ? toJson(value) : fieldsOf(shown)}\n`);
}

type Page<Row> = { data: Row[]; next_cursor: string | null };

/** Prints a page of a list; on a terminal with the way to the next one. */
export function printPage<Row>(shell: Shell, command: Command, page: Page<Row>, columns: readonly Column<Row>[]): void {
  if (isJson(shell, command)) {
    shell.stdout.write(`${toJson(page)}\n`);
    return;
  }
  shell.stdout.write(page.data.length === 0 ? "None.\n" : `${tableOf(page.data, columns)}\n`);
  if (page.next_cursor !== null) shell.stderr.write(`More: repeat with --cursor ${page.next_cursor}\n`);
}
