// The demo's service: the real `server/main.ts` as a process of its own, on its defaults, in a folder that goes with it.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const MAIN = fileURLToPath(new URL("../../server/main.ts", import.meta.url));
const ADMIN = fileURLToPath(new URL("../../server/admin.ts", import.meta.url));
const READY_MAX_MS = 60_000;
const STOP_MAX_MS = 12_000;
const KEPT_OUTPUT_CHARS = 4_000;
/** As root the database server runs under another user, who must be able to enter. */
const FOLDER_MODE = 0o755;

export type DemoService = {
  url: string;
  smtp: { host: string; port: number };
  /** Made and printed at the first start on an empty database. */
  enrollmentKey: string;
  /** Runs the operators' command beside it. */
  admin(...args: string[]): Promise<string>;
  /** @throws Error when the service did not end by itself and cleanly; its folder then stays */
  stop(): Promise<void>;
};

/** What a first start prints; undefined while some of it is still to come. */
function readWelcome(output: string): Omit<DemoService, "stop" | "admin"> | undefined {
  const url = /Start here +(\S+)\n/.exec(output)?.[1];
  const [, host, port] = /Mail in +(\S+):(\d+) /.exec(output) ?? [];
  const enrollmentKey = /"token":"(mb_enroll_\w+)"/.exec(output)?.[1];
  if (!url || !host || !port || !enrollmentKey) return;
  return { url, smtp: { host, port: Number(port) }, enrollmentKey };
}

/** A port on which nobody answers: the demo asks nothing of the outside. */
const NO_DNS = "127.0.0.1:9";

/**
 * @param more settings that are no defaults
 * @throws Error with the end of what the service wrote, when it does not come up
 */
export async function startOwnService(more: Record<string, string> = {}): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-demo-"));
  await chmod(folder, FOLDER_MODE);
  // Only these: the demo is about defaults, whatever the shell it is started from has set.
  const settings = {
    DATA_DIR: join(folder, "data"),
    PORT: "0",
    SMTP_PORT: "0",
    LOG_LEVEL: "warn",
    DNS_SERVERS: NO_DNS,
    ...more,
  };
  const env = { ...settings, NODE_ENV: "production" as const };
  // In a process group of its own, so that Ctrl-C reaches the demo alone, which then stops its service.
  const child = spawn(process.execPath, [MAIN], { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
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
    (await promisify(execFile)(process.execPath, [ADMIN, ...args], { env })).stdout.trim();

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
    await stop().catch(() => {}); // what went wrong first says more
    throw error;
  } finally {
    clearTimeout(impatient);
  }
}
