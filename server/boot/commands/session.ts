// Runs an operator's command on the data of the service, which may run or not, and prints what it gives.
import type { Command } from "commander";
import type { Ctx, System } from "../../base/context.ts";
import { readSettings, type Settings } from "../../base/env.ts";
import { createLog, type Logger } from "../../base/log.ts";
import { assemble } from "../assemble.ts";
import { commandDatabase, migrateDatabase } from "../database.ts";

// Prints what an operator's command gives: for a person, or as one JSON object.

/** Characters; a longer name moves its value. */
const NAME_WIDTH = 18;

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (typeof value !== "object" || value === null) return String(value ?? "–");
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${textOf(inner)}`)
    .join(", ");
}

/** A line for each field; an empty line between the rows of a list. */
function describe(result: object): string {
  const rows = "data" in result && Array.isArray(result.data) ? (result.data as object[]) : [result];
  if (rows.length === 0) return "None yet.";
  return rows
    .map((row) =>
      Object.entries(row)
        .map(([name, value]) => `${name.padEnd(NAME_WIDTH)} ${textOf(value)}`)
        .join("\n"),
    )
    .join("\n\n");
}

/** Where a command writes, and the environment that its settings are read from. */
export type Terminal = {
  environment: NodeJS.ProcessEnv;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
};

/** What a command works with. `report` prints how far it is. */
export type Place = { settings: Settings; log: Logger; url: string; directUrl: string; report: (line: string) => void };

export type Session = {
  /** For a command that works on the database itself, whose schema may be older. `check` may refuse before a database starts. */
  onDatabase(act: (place: Place) => Promise<object>, check?: (settings: Settings) => void): Promise<void>;
  /** For a command that works with what the service is made of. */
  onService(act: (ctx: Ctx<System>, report: Place["report"]) => Promise<object>): Promise<void>;
};

/** @param program has the option `--json` */
export function openSession(program: Command, { environment, stdout, stderr }: Terminal): Session {
  async function onDatabase(
    act: (place: Place) => Promise<object>,
    check: (settings: Settings) => void = () => {},
  ): Promise<void> {
    const settings = readSettings(environment);
    check(settings);
    const log = createLog("warn", false);
    const { url, directUrl, stop } = await commandDatabase(settings, log);
    try {
      const result = await act({ settings, log, url, directUrl, report: (line) => stderr.write(`${line}\n`) });
      stdout.write(`${program.opts().json ? JSON.stringify(result) : describe(result)}\n`);
    } finally {
      await stop();
    }
  }
  return {
    onDatabase,
    onService: (act) =>
      onDatabase(async ({ settings, log, url, directUrl, report }) => {
        await migrateDatabase(settings, { url, directUrl }, log);
        const assembled = await assemble(settings, log, url);
        try {
          return await act(assembled.system, report);
        } finally {
          await assembled.close();
        }
      }),
  };
}
