// The commands `start` and `admin`: run the service's own programs in place of this process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { extname, join } from "node:path";
import type { Command } from "commander";
import { EXIT } from "./exit-codes.ts";
import { CommandProblem } from "./problem.ts";
import type { Environment, Shell } from "./session.ts";

const ROOT = join(import.meta.dirname, "../..");
const RESOLVE_DRIZZLE = join(ROOT, "server/boot/resolve-drizzle.cjs");
/** Programs are TypeScript in the repository and JavaScript in the package. */
const EXTENSION = extname(import.meta.filename);
/** Returns the memory of large mails to the system (docs/decisions/027-memory-after-large-mail.md). */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };

export function addServiceCommands(program: Command, shell: Shell): void {
  program
    .command("start")
    .option("--no-pages", "serve no dashboard and no documents")
    .description("start the service; its data is in .data of the current folder (DATA_DIR)")
    .action(({ pages }: { pages: boolean }) => runProgram(shell, "main", pages ? [] : ["--no-pages"], MALLOC));

  // Only for the help: `main.ts` passes all arguments of `admin` on before they are parsed here.
  program
    .command("admin")
    .argument("[arguments...]", "see `mailberth admin --help`")
    .description("the operator's command: organizations, domains and keys, beside the service's data");
}

/** Replaces this process, so that signals and the exit code are the program's. Windows cannot, and gets a child. */
export async function runProgram(
  shell: Shell,
  name: "main" | "admin",
  args: string[],
  more: Record<string, string> = {},
) {
  const program = ["-r", RESOLVE_DRIZZLE, join(ROOT, "server", `${name}${EXTENSION}`), ...args];
  const environment: Environment = { ...more, ...shell.environment };
  if (process.platform !== "win32" && process.execve) {
    process.execve(process.execPath, [process.execPath, ...program], environment);
  }
  const child = spawn(process.execPath, program, { env: environment, stdio: "inherit" });
  const stop = () => child.kill("SIGINT");
  shell.stop.addEventListener("abort", stop, { once: true });
  const [code] = await once(child, "exit");
  shell.stop.removeEventListener("abort", stop);
  if (code !== 0) throw new CommandProblem(code === EXIT.usage ? EXIT.usage : EXIT.error, "");
}
