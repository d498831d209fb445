#!/usr/bin/env node
// Runs the command `mailberth`, and ends with its exit code.
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { describeProblem } from "./problem.ts";
import { createProgram } from "./program.ts";
import { runProgram } from "./run-service.ts";
import type { Shell } from "./session.ts";

/** The reader of the output has gone, as in `mailberth messages list … | head -1`: there is nothing left to do. */
function endOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(EXIT.ok);
  throw error;
}

async function run(args: string[]): Promise<ExitCode> {
  const interrupted = new AbortController();
  const { env: environment, stdin, stdout, stderr } = process;
  let url: string | undefined;
  const calls = (called: string) => {
    url = called;
  };
  const shell: Shell = { environment, stdin, stdout, stderr, stop: interrupted.signal, calls };
  process.on("SIGINT", () => {
    // A second Ctrl-C does not wait for what the command still does.
    if (interrupted.signal.aborted) process.exit(EXIT.interrupted);
    interrupted.abort();
  });
  try {
    if (args[0] === "admin") await runProgram(shell, "admin", args.slice(1));
    else await createProgram(shell).parseAsync(args, { from: "user" });
    return interrupted.signal.aborted ? EXIT.interrupted : EXIT.ok;
  } catch (error) {
    if (interrupted.signal.aborted) return EXIT.interrupted;
    const { exit, text } = describeProblem(error, url);
    if (text) stderr.write(`${text}\n`);
    return exit;
  }
}

process.stdout.on("error", endOnBrokenPipe);
process.stderr.on("error", endOnBrokenPipe);
process.exitCode = await run(process.argv.slice(2));
