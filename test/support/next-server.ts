// `next start` as a process of its own, which serves the whole API without server/main.ts.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { HTTP_LIMITS } from "#server/api/http-server.ts";
import { START_TIMEOUT_MS } from "./patience.ts";
import { freePort, PRELOAD } from "./process.ts";

const ROOT = join(import.meta.dirname, "../..");
const NEXT = createRequire(import.meta.url).resolve("next/dist/bin/next");
const BUILD = join(import.meta.dirname, "build-pages.ts");
const HOST = "127.0.0.1";
/** The service gives Next's server this limit with the first request; connections that were open before keep Node's 16 KiB. */
const HEADERS = `--max-http-header-size=${HTTP_LIMITS.maxHeaderSize}`;
const ASK_EVERY_MS = 50;

export type NextServer = { url: string; smtpPort: number; stop(): Promise<void> };

/** Builds the pages first, unless they are built. @param environment settings of the service in it */
export async function startNextServer(environment: Record<string, string | undefined>): Promise<NextServer> {
  await promisify(execFile)(process.execPath, [...PRELOAD, BUILD], { cwd: ROOT });
  const [port, smtpPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [HEADERS, NEXT, "start", "-H", HOST, "-p", `${port}`], {
    cwd: ROOT,
    env: { ...process.env, ...environment, HOST, SMTP_PORT: `${smtpPort}`, MAILBERTH_SERVER: undefined },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = `http://${HOST}:${port}`;
  await untilReady(url, child);
  return {
    url,
    smtpPort,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const deadline = Date.now() + START_TIMEOUT_MS;
  const isReady = () =>
    fetch(`${url}/health/live`).then(
      (answer) => answer.ok,
      () => false, // it does not listen yet
    );
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`next start did not get ready:\n${output}`);
    await sleep(ASK_EVERY_MS);
  }
}
