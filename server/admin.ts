// The operator's command for organizations, domains and keys. It works whether or not the service is running.
import { CommanderError } from "commander";
import { giveWayToMail } from "./boot/commands/backups.ts";
import { createAdminProgram } from "./boot/commands/program.ts";
import type { Terminal } from "./boot/commands/session.ts";

/**
 * Runs one command of the operators.
 * @returns the exit code: 1 when the command was refused, with a line on stderr; 2 when it is no command
 */
export async function runCommand(args: string[], terminal: Terminal): Promise<number> {
  try {
    await createAdminProgram(terminal).parseAsync(args, { from: "user" });
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
  const args = process.argv.slice(2);
  if (args[0] === "backup") giveWayToMail();
  process.exitCode = await runCommand(args, { environment, stdout, stderr });
}
