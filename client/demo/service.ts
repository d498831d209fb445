// The demo's service: the real `server/main.ts` as a separate process with default settings, in a temporary folder.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** How the npm scripts start Node. */
const PRELOAD = ["-r", fileURLToPath(new URL("../../server/boot/check-install.cjs", import.meta.url))];
const MAIN = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
const ADMIN = fileURLToPath(new URL("../../server/admin.ts", import.meta.url));
const READY_MAX_MS = 60_000;
const STOP_MAX_MS = 12_000;
const KEPT_OUTPUT_CHARS = 4_000;
/** As root, the database server runs as another user, who must be able to enter. */
const FOLDER_MODE = 0o755;

export type DemoService = {
  url: string;
  smtp: { host: string; port: number };
  /** Created and printed at the first start on an empty database. */
  enrollmentKey: string;
  /** Runs the operator's command for this service. */
  admin(...args: string[]): Promise<string>;
  /** @throws Error if the service did not end cleanly; its folder then stays */
  stop(): Promise<void>;
};

/** The output of a first start; undefined until it is complete. */
function readWelcome(output: string): Omit<DemoService, "stop" | "admin"> | undefined {
  const url = /REST +(\S+)\/v1 /.exec(output)?.[1];
  const [, host, port] = /Mail in +(\S+):(\d+) /.exec(output) ?? [];
  const enrollmentKey = /"token":"(mb_enroll_\w+)"/.exec(output)?.[1];
  if (!url || !host || !port || !enrollmentKey) return;
  return { url, smtp: { host, port: Number(port) }, enrollmentKey };
}

/** A closed port: the demo sends no DNS queries. */
const NO_DNS = "127.0.0.1:9";

/**
 * @param more settings that differ from the defaults
 * @throws Error with the end of the service's output, if it does not start
 */
export async function startOwnService(more: Record<string, string> = {}): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-demo-"));
  await chmod(folder, FOLDER_MODE);
  // Only these: the demo shows the defaults, whatever the shell has set.
  const settings = {
    DATA_DIR: join(folder, "data"),
    PORT: "0",
    SMTP_PORT: "0",
    LOG_LEVEL: "warn",
    DNS_SERVERS: NO_DNS,
    ...more,
  };
  const env = { ...settings, NODE_ENV: "production" as const };
  // In a separate process group, so that Ctrl-C reaches only the demo, which then stops its service.
  const child = spawn(process.execPath, [...PRELOAD, MAIN, "--no-pages"], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const exited = once(child, "exit").then(([code, signal]) => code ?? signal);
  let output = "";
  const ready = Promise.withResolvers<Omit<DemoService, "stop" | "admin">>();
  const keep = (chunk: string) => {
    output = (output + chunk).slice(-KEPT_OUTPUT_CHARS);
    const welcome = readWelcome(output);
    if (welcome) ready.resolve(welcome);
  };
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  const refuse = (why: unknown) => ready.reject(new Error(`The service ${why}. It wrote:\n${output}`));
  void exited.then((code) => refuse(`ended with ${code}`), refuse);
  const impatient = setTimeout(() => refuse(`was not ready after ${READY_MAX_MS} ms`), READY_MAX_MS);

  const admin = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [...PRELOAD, ADMIN, ...args], { env })).stdout.trim();

  async function stop(): Promise<void> {
    child.kill("SIGTERM");
    const patience = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS);
    const code = await exited;
    clearTimeout(patience);
    if (code !== 0)
      throw new Error(`The service ended with ${code}; its data stays in ${folder}. It wrote:\n${output}`);
    await rm(folder, { recursive: true, force: true });
  }

  try {
    return { ...(await ready.promise), admin, stop };
  } catch (error) {
    await stop().catch(() => {}); // the first error says more
    throw error;
  } finally {
    clearTimeout(impatient);
  }
}
