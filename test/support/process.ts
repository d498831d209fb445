// The service as a separate process, for tests that kill it, and a free port for it.
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { START_TIMEOUT_MS } from "./patience.ts";

const ROOT = join(import.meta.dirname, "../..");
/** How `npm start` and the other scripts start Node. */
export const PRELOAD = ["-r", join(ROOT, "server/boot/check-install.cjs")];
const ASK_EVERY_MS = 50;
/** Below the ports that systems take for outgoing connections: Linux begins at 32768, others at 49152. */
const PORTS_FROM = 12_000;
const PORTS_END = 32_768;
/** An unused port, so that no DNS query leaves the machine. */
const NO_DNS = "127.0.0.1:9";

export type ServiceProcess = {
  url: string;
  smtpPort: number;
  child: ChildProcess;
  /** All it has printed so far. */
  output(): string;
  /** Sends the signal and gives the exit code, or the signal's name when that ended it. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | string>;
};

/** A port of loopback that nothing listens on, and that the system gives no outgoing connection before it is used. */
export async function freePort(): Promise<number> {
  const port = randomInt(PORTS_FROM, PORTS_END);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") return freePort();
    throw error;
  }
  server.close();
  await once(server, "close");
  return port;
}

/** Starts `server/main.ts` and waits until it is ready. @param root the folder of another version */
export async function startProcess(environment: Record<string, string>, root = ROOT): Promise<ServiceProcess> {
  const started = await launchProcess(environment, root);
  await untilReady(started);
  return started;
}

/** Waits until the service has said so and answers. */
async function untilReady({ url, child, output }: ServiceProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      (answer) => answer.ok,
      () => false, // it does not listen yet
    );
  while (!(output().includes("is ready") && (await isReady()))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`the service did not get ready:\n${output()}`);
    await sleep(ASK_EVERY_MS);
  }
}

/** Starts `server/main.ts` on free ports, without waiting for it. The pages, which cost seconds of CPU, belong to the browser tests. */
export async function launchProcess(environment: Record<string, string>, root = ROOT): Promise<ServiceProcess> {
  const [port, smtpPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [...PRELOAD, "server/main.ts", "--no-pages"], {
    cwd: root,
    env: {
      ...process.env,
      HOST: "127.0.0.1",
      WEBHOOK_TARGETS: "any",
      ALLOW_INSECURE_WEBHOOKS: "true",
      DNS_SERVERS: NO_DNS,
      PORT: `${port}`,
      SMTP_PORT: `${smtpPort}`,
      SMTP_CONNECTIONS_PER_ADDRESS: "250",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  const exited = once(child, "exit").then(([code, name]) => code ?? name);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    smtpPort,
    child,
    output: () => text,
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
