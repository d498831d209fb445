// Runs the command `mailberth` as a process, with its own configuration folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../../client/command/main.ts");

export type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string };
export type CommandProcess = ReturnType<ReturnType<typeof commandIn>["start"]>;

/** @param environment what the command sees beside PATH; a `program` other than the repository's is for packages */
export function commandIn(
  config: string,
  environment: Record<string, string> = {},
  program = [process.execPath, MAIN],
) {
  const [file = "", ...first] = program;
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: config,
    XDG_CONFIG_HOME: config,
    NODE_ENV: "test" as const,
    // Halves the CPU of a start.
    ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
    ...environment,
  };

  function start(args: string[], { cwd }: { cwd?: string } = {}) {
    const child = spawn(file, [...first, ...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    // A command that has ended reads no more input.
    child.stdin.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
    const ended = once(child, "close").then(([code, signal]): Ended => ({ code, signal, stdout, stderr }));
    return { child, ended, stdout: () => stdout, stderr: () => stderr };
  }

  return {
    config,
    start,
    /** How another program starts it. */
    launch: (args: string[]) => ({ command: file, args: [...first, ...args], env }),
    /** Runs it to its end, with `input` on its standard input. */
    run(args: string[], input = ""): Promise<Ended> {
      const { child, ended } = start(args);
      child.stdin.end(input);
      return ended;
    },
  };
}

/** A configuration folder that nothing else uses. */
export async function configFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "mailberth-config-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
