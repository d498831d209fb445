// Starts the bench's processes, waits until each is ready, and stops all when the bench ends.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { rssMb } from "./machine.ts";

const READY_WITHIN_MS = 300_000;
const STOP_WITHIN_MS = 12_000;
const KEPT_OUTPUT_CHARS = 4_000;
const MEMORY_EVERY_MS = 250;

export type Child = { pid: number; output(): string; stop(): Promise<void> };

const running = new Set<ChildProcess>();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** What must be done when the bench ends before its time: it is interrupted, or a workload fails. Last in, first out. */
const debts = new Set<() => Promise<void>>();

/** @returns the same, in time or not; it runs once, and each further call waits for its end */
export function owe(end: () => Promise<void>): () => Promise<void> {
  let paid: Promise<void> | undefined;
  const pay = () => (paid ??= end().finally(() => debts.delete(pay)));
  debts.add(pay);
  return pay;
}

export async function payDebts(): Promise<void> {
  for (const pay of [...debts].reverse()) await pay();
}

function follow(child: ChildProcess): Child {
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-KEPT_OUTPUT_CHARS);
    });
  }
  running.add(child);
  child.once("exit", () => running.delete(child));
  return {
    pid: child.pid ?? 0,
    output: () => output,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const impatient = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
      await ended;
      clearTimeout(impatient);
    },
  };
}

/** Starts a server and waits until `ready` says so; with its output when it ends before, or never is. */
export async function startServer(
  command: [string, ...string[]],
  options: { cwd?: string; env: Record<string, string> },
  ready: (output: string) => Promise<boolean> | boolean,
): Promise<Child> {
  const [program, ...args] = command;
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: "production", ...options.env };
  const spawned: ChildProcess = spawn(program, args, { cwd: options.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const child = follow(spawned);
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await ready(child.output()))) {
    if (spawned.exitCode !== null || Date.now() > deadline) {
      throw new Error(`${command.join(" ")} did not start:\n${child.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return child;
}

/** `peakMb`: the most memory of the process with its children. */
export type Ended = { output: string; seconds: number; peakMb: number };

/** Runs a program to its end. @throws with the end of its output when it fails */
export async function runToEnd(
  command: [string, ...string[]],
  options: { cwd: string; env: Record<string, string> },
): Promise<Ended> {
  const [program, ...args] = command;
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_ENV: "production", ...options.env };
  const started = performance.now();
  const spawned: ChildProcess = spawn(program, args, { cwd: options.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const child = follow(spawned);
  let peakMb = 0;
  const timer = setInterval(() => {
    peakMb = Math.max(peakMb, rssMb([child.pid]));
  }, MEMORY_EVERY_MS);
  const [code] = await once(spawned, "close");
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${child.output()}`);
  return { output: child.output(), seconds: (performance.now() - started) / 1000, peakMb };
}

/** A process of our own that answers one message at a time. */
export type Helper<Order, Answer> = { ask(order: Order): Promise<Answer> };

/** @param module that answers each message with one message; an answer with `failed` is a failure */
export function startHelper<Order extends object, Answer extends object>(module: URL): Helper<Order, Answer> {
  const child = fork(module, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  follow(child);
  let settle: (answer: Answer | { failed: string }) => void = () => undefined;
  child.on("message", (answer: Answer | { failed: string }) => settle(answer));
  child.on("exit", () => settle({ failed: `${module.pathname} ended` }));
  return {
    async ask(order) {
      const answered = new Promise<Answer | { failed: string }>((resolve) => {
        settle = resolve;
      });
      child.send(order);
      const answer = await answered;
      if ("failed" in answer) throw new Error(String(answer.failed));
      return answer;
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (!address || typeof address === "string") throw new Error("no free port");
  return address.port;
}

/** Whether a port on loopback is listened to. */
export function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}

/** Whether something at the URL answers, and does not answer 5xx. */
export async function answersAt(url: string): Promise<boolean> {
  // An unused port.
  return fetch(url).then(
    (response) => response.status < 500,
    () => false,
  );
}
