// The process: settings, database, roles; says where everything is; stops cleanly on SIGTERM and SIGINT.
import { migrate } from "#db/migrate.ts";
import { serviceDatabase } from "./database.ts";
import { readSettings, type Settings } from "./env.ts";
import { type FirstStart, firstStart } from "./first-start.ts";
import { createLog } from "./log.ts";
import { type Service, startService } from "./service.ts";
import { version } from "./version.ts";

const STOP_MAX_MS = 9_500;

async function main(): Promise<void> {
  const settings = readSettings();
  const log = createLog(settings.LOG_LEVEL, Boolean(process.stdout.isTTY));
  const database = await serviceDatabase(settings, log);
  await migrate(database.url, log);
  const service = await startService(settings, log, database.url, { dev: process.argv.includes("--dev") });
  process.stdout.write(welcome(settings, service, await firstStart(service.system)));

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping: taking nothing new, finishing what was begun");
    setTimeout(() => {
      log.error("not everything ended in time; what was accepted is in the database and goes on at the next start");
      process.exit(1);
    }, STOP_MAX_MS).unref();
    await service.stop();
    await database.stop();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

/** What a person needs first, in twenty lines or so. */
function welcome(settings: Settings, { port, smtpPort }: Service, { enrollmentKey, ownerToken }: FirstStart): string {
  const base = settings.PUBLIC_URL.replace(/:0$/, `:${port}`);
  const sends = { local: "kept here, mail to the outside is captured", smtp: "over your relay", resend: "over Resend" };
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
  if (ownerToken) {
    lines.push(
      "  Nobody has an account yet. Become the owner by this link; it works once, and ends at the next start:",
      "",
      `  ${base}/join#${ownerToken}`,
      "",
    );
  }
  if (enrollmentKey) {
    const body = JSON.stringify({ token: enrollmentKey, agent_handle: "first-agent" });
    lines.push(
      "  An enrollment key was made. It is shown this once; paste this for your first agent key:",
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
