// Starts the process: settings, database, roles. Prints the URLs, and stops cleanly on SIGTERM and SIGINT.
import { Console } from "node:console";
import { readSettings, type Settings } from "./base/env.ts";
import { createLog, type Logger } from "./base/log.ts";
import { shrinkHeapWhenIdle } from "./base/threads/shrink-heap.ts";
import { migrateDatabase, serviceDatabase } from "./boot/database.ts";
import { type Service, startService } from "./boot/service.ts";
import { sayWhy } from "./boot/start-checks.ts";
import { type Started, stop } from "./boot/stop.ts";
import { welcome } from "./boot/welcome.ts";

const SETTINGS_ADVICE = "Settings are variables of the environment, such as PORT=8080: see docs/guides/settings.md.";
/** `--dev`: Next compiles the pages when they are asked for; `--no-pages`: without pages. */
const OPTIONS = ["--dev", "--no-pages"];

async function main(): Promise<void> {
  const unknown = process.argv.slice(2).find((each) => !OPTIONS.includes(each));
  if (unknown !== undefined) throw new Error(`The service has no option ${unknown}. ${SETTINGS_ADVICE}`);
  const settings = readSettings();
  const log = createLog(settings.LOG_LEVEL, Boolean(process.stdout.isTTY));
  // Without a terminal, stdout is the log: every line of it is JSON. Next writes text to the console.
  if (!process.stdout.isTTY) globalThis.console = new Console(process.stderr);
  const started: Started = {};
  const starting = start(settings, log, started);
  const hurry = new AbortController();
  let stopping = false;
  const onSignal = async (signal: string) => {
    // A second signal waits only for PostgreSQL.
    if (stopping) return hurry.abort();
    stopping = true;
    log.info({ signal }, "stopping: accepting no new work, finishing work in progress");
    process.exit(await stop(log, started, starting, hurry.signal));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  try {
    const out = process.stdout.isTTY ? process.stdout : process.stderr;
    out.write(await welcome(settings, await starting));
    shrinkHeapWhenIdle();
  } catch (error) {
    // A start that a signal interrupts may fail in any way; the stop is already running.
    if (stopping) return;
    stopping = true;
    process.stderr.write(`${sayWhy(error, settings)}\n`);
    await stop(log, started, Promise.resolve(), hurry.signal);
    process.exit(1);
  }
}

async function start(settings: Settings, log: Logger, started: Started): Promise<Service> {
  started.database = await serviceDatabase(settings, log);
  const { url } = started.database;
  await migrateDatabase(settings, started.database, log);
  started.service = await startService(settings, log, url, {
    dev: process.argv.includes("--dev"),
    pages: !process.argv.includes("--no-pages"),
  });
  return started.service;
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
});
