// Starts the process: settings, database, roles. Prints the URLs, and stops cleanly on SIGTERM and SIGINT.
import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "#db/migrate.ts";
import { readSettings, type Settings } from "./base/env.ts";
import { createLog, type Logger } from "./base/log.ts";
import { version } from "./base/version.ts";
import { type DatabaseServer, serviceDatabase } from "./boot/database.ts";
import { type FirstOwner, type FirstStart, firstStart } from "./boot/first-start.ts";
import { type Service, startService } from "./boot/service.ts";

/** From the signal to the exit, even if work is still running. */
const STOP_MAX_MS = 9_500;
/** The part of it in which the service finishes its work; the rest is for PostgreSQL. */
const SERVICE_STOP_MAX_MS = 6_500;
const EXIT_MS = 200;
const OWNER_LINK_COMMAND = "npm run -s admin -- organizations owner-link";

/** What has been started so far, so that a stop can happen at any time. */
type Started = { database?: DatabaseServer; service?: Service };

async function main(): Promise<void> {
  const settings = readSettings();
  const log = createLog(settings.LOG_LEVEL, Boolean(process.stdout.isTTY));
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
    await starting;
  } catch (error) {
    // A start that a signal interrupts may fail in any way; the stop is already running.
    if (stopping) return;
    stopping = true;
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    await stop(log, started, Promise.resolve(), hurry.signal);
    process.exit(1);
  }
}

async function start(settings: Settings, log: Logger, started: Started): Promise<void> {
  started.database = await serviceDatabase(settings, log);
  const { url } = started.database;
  await migrate(url, log);
  started.service = await startService(settings, log, url, {
    dev: process.argv.includes("--dev"),
    pages: !process.argv.includes("--no-pages"),
  });
  process.stdout.write(welcome(settings, started.service, await firstStart(started.service.system)));
}

/**
 * Stops the service, then PostgreSQL. Work that does not end in time is cut off: accepted work is in the database and
 * continues at the next start.
 * @returns the exit code; 1 if PostgreSQL may still run
 */
async function stop(log: Logger, started: Started, starting: Promise<void>, hurry: AbortSignal): Promise<number> {
  const deadline = performance.now() + STOP_MAX_MS;
  setTimeout(() => process.exit(1), STOP_MAX_MS).unref();
  const isFinished = await Promise.race([
    stopService(log, started, starting),
    sleep(SERVICE_STOP_MAX_MS, false, { ref: false, signal: hurry }).catch(() => false),
  ]);
  if (!isFinished)
    log.warn("some work did not end in time; accepted work is in the database and continues at the next start");
  await started.database?.stop(deadline - performance.now() - EXIT_MS);
  log.info("stopped");
  return 0;
}

/** Never rejects, because PostgreSQL must be stopped afterwards. */
async function stopService(log: Logger, started: Started, starting: Promise<void>): Promise<boolean> {
  try {
    // A start that fails now fails because of the stop, or is reported by `main`.
    await starting.catch(() => undefined);
    await started.service?.stop();
    return true;
  } catch (error) {
    log.error({ err: error }, "the service did not stop cleanly");
    return false;
  }
}

function ownerLines(base: string, owner: FirstOwner): string[] {
  const [says, what] =
    "token" in owner
      ? [
          "Open this link to become the owner. It works once, and expires at the next start:",
          `${base}/join#${owner.token}`,
        ]
      : ["This command prints a link to become the owner:", `${OWNER_LINK_COMMAND} ${owner.organization}`];
  return [`  There is no account yet. ${says}`, "", `  ${what}`, ""];
}

/** The first information an operator needs, in about twenty lines. */
function welcome(settings: Settings, { port, smtpPort }: Service, { enrollmentKey, owner }: FirstStart): string {
  const base = settings.PUBLIC_URL.replace(/:0$/, `:${port}`);
  const sends = {
    local: "delivered locally; mail to other services is stored, not sent",
    smtp: "through your relay",
    resend: "over Resend",
  };
  const lines = [
    "",
    `  Mailberth ${version} is ready.`,
    "",
    `  Start here   ${base}`,
    `  Dashboard    ${base}/dashboard`,
    `  REST         ${base}/v1   (described at /v1/openapi.json)`,
    ...(smtpPort === undefined ? [] : [`  Mail in      ${settings.HOST}:${smtpPort} for …@${settings.DEFAULT_DOMAIN}`]),
    `  Mail out     ${sends[settings.OUTBOUND]}`,
    "",
  ];
  if (owner) lines.push(...ownerLines(base, owner));
  if (enrollmentKey) {
    const body = JSON.stringify({ token: enrollmentKey, agent_handle: "first-agent" });
    lines.push(
      "  An enrollment key was created. It is shown only once. Paste this to get your first agent key:",
      "",
      `  curl -s ${base}/v1/enroll -H 'Content-Type: application/json' -d '${body}'`,
      "",
    );
  }
  return `${lines.join("\n")}\n`;
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
});
