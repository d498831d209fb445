// The operator's command for organizations, domains and keys. It works whether or not the service is running.
import { CommanderError } from "commander";
import { lowerPriority } from "./base/priority.ts";
import { createAdminProgram } from "./boot/commands/program.ts";
import type { Terminal } from "./boot/commands/session.ts";

/** Of nice(1), for a backup. */
const BACKUP_NICE = 15;

/**
 * Runs one command of the operators.
 * @param begins called with the name of the command before it runs
 * @returns the exit code: 1 when the command was refused, with a line on stderr; 2 when it is no command
 */
export async function runCommand(
  args: string[],
  terminal: Terminal,
  begins: (name: string) => void = () => {},
): Promise<number> {
  try {
    const program = createAdminProgram(terminal).hook("preAction", (_program, command) => begins(command.name()));
    await program.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has already printed its message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

if (import.meta.main) {
  const { env: environment, stdout, stderr } = process;
  process.exitCode = await runCommand(process.argv.slice(2), { environment, stdout, stderr }, (name) => {
    // Mail and calls go first on the machine that they share with a backup; PostgreSQL waits for the backup to read.
    if (name === "backup") lowerPriority(BACKUP_NICE);
  });
}
