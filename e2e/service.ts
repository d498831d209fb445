// Starts a service for browser tests: a separate process in a temporary folder, with its pages built.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findEmbedded } from "#db/embedded/open.ts";
import { copyDatabase, startTestServer } from "#test/support/database-server.ts";
import { freePort, PRELOAD } from "#test/support/process.ts";

const ROOT = join(import.meta.dirname, "..");
/** The first start builds the pages: a minute, and three beside other tests on a slow machine. */
const READY_WITHIN_MS = 600_000;
const ASK_EVERY_MS = 250;
/** The service promises 10 seconds; a busy machine gets more. */
const STOP_WITHIN_MS = 15_000;
const OWNER_LINK = /\S+\/join#\S+(?=\n)/;
const KEPT_OUTPUT_CHARS = 20_000;
/** As root the embedded PostgreSQL runs as another user, who must be able to enter. */
const FOLDER_MODE = 0o755;

/** Resolves when the service has said that it is ready; then it must show its first page. */
async function untilReady(baseUrl: string, service: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    if (service.exitCode !== null) throw new Error(`the service ended with ${service.exitCode}:\n${output()}`);
    if (output().includes("is ready") && OWNER_LINK.test(output())) {
      const { status } = await fetch(baseUrl);
      if (status === 200) return;
      throw new Error(`the service said that it is ready, and answered its first page with ${status}:\n${output()}`);
    }
    if (output().includes("runs without its pages")) break;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  throw new Error(`the service did not become ready at ${baseUrl}:\n${output()}`);
}

/** @throws Error when the service does not exit 0 in time, or leaves its PostgreSQL running */
async function stop(service: ChildProcess, folder: string, output: () => string): Promise<void> {
  if (service.exitCode === null) {
    const ended = once(service, "exit");
    service.kill("SIGTERM");
    const timer = setTimeout(() => service.kill("SIGKILL"), STOP_WITHIN_MS);
    await ended;
    clearTimeout(timer);
  }
  const left = await findEmbedded(folder);
  await rm(folder, { recursive: true, force: true });
  if (service.exitCode !== 0 || left) {
    throw new Error(
      `the service ended with ${service.exitCode}, PostgreSQL ${left ? "still runs" : "ended"}:\n${output()}`,
    );
  }
}

/** Creates a database on the server of DATABASE_URL; without that setting, the service starts an embedded one. */
async function ownDatabase(): Promise<{ environment: { DATABASE_URL?: string }; drop: () => Promise<void> }> {
  if (!process.env.DATABASE_URL) return { environment: {}, drop: async () => {} };
  const { server, stop } = await startTestServer();
  const { url, drop } = await copyDatabase(server);
  return { environment: { DATABASE_URL: url }, drop: () => drop().then(stop) };
}

export type RunningService = {
  baseUrl: string;
  smtpPort: number;
  /** The one-time link of the first start. */
  ownerLink: string;
  enrollmentKey: string;
  /** What the operator's command needs in its environment to reach it. */
  environment: Record<string, string>;
  stop(): Promise<void>;
};

/** @param settings added to the environment of the service */
export async function startService(settings: Record<string, string> = {}): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-e2e-"));
  await chmod(folder, FOLDER_MODE);
  const database = await ownDatabase();
  const [port, smtpPort] = [settings.PORT ?? (await freePort()), await freePort()];
  const service = spawn(process.execPath, [...PRELOAD, "server/main.ts"], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...database.environment,
      HOST: "127.0.0.1",
      PORT: `${port}`,
      SMTP_PORT: `${smtpPort}`,
      DNS_SERVERS: "127.0.0.1:9", // an unused port
      WEBHOOK_TARGETS: "any",
      ALLOW_INSECURE_WEBHOOKS: "true",
      PICTURE_ALLOWED_HOSTS: "127.0.0.1",
      DATA_DIR: folder,
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [service.stdout, service.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-KEPT_OUTPUT_CHARS);
    });
  }
  const baseUrl = `http://127.0.0.1:${port}`;
  try {
    await untilReady(baseUrl, service, () => output);
  } catch (error) {
    await stop(service, folder, () => output).catch(() => undefined); // the first error says more
    throw error;
  }
  return {
    baseUrl,
    smtpPort,
    // As the first start prints them.
    ownerLink: OWNER_LINK.exec(output)?.[0] ?? "",
    enrollmentKey: /\bmb_enroll_\w+/.exec(output)?.[0] ?? "",
    environment: { ...database.environment, DATA_DIR: folder, PUBLIC_URL: baseUrl },
    stop: () => stop(service, folder, () => output).finally(database.drop),
  };
}
