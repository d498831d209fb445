// The operator's command line: its global options and all commands below it.
import { Command, Help } from "commander";
import { ADMIN_COMMAND } from "../../base/errors/admin-command.ts";
import { addBackupCommands } from "./backups.ts";
import { addMessageCommands, addStorageCommands } from "./contents.ts";
import { addDomainCommands } from "./domains.ts";
import { addAgentKeyCommands, addEnrollmentKeyCommands } from "./keys.ts";
import { addOrganizationCommands } from "./organizations.ts";
import { openSession, type Terminal } from "./session.ts";

const EXPLANATION = `
What a command and its options do: ${ADMIN_COMMAND} <command> --help
`;

/** The commands that do something, not the groups that they are in. */
function commandsBelow(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(commandsBelow);
}

/** Lists every command with its group in the help of the program. */
function helpOf(program: Command): Partial<Help> {
  const usual = new Help();
  const groupOf = ({ parent }: Command) => (parent && parent !== program ? `${parent.name()} ` : "");
  return {
    visibleCommands: (command) => command.commands.flatMap(commandsBelow),
    subcommandTerm: (command) => groupOf(command) + usual.subcommandTerm(command),
    showGlobalOptions: true,
  };
}

export function createAdminProgram(terminal: Terminal): Command {
  const program = new Command(ADMIN_COMMAND)
    .description("The operator's command: organizations, domains and keys. The service may run or not.")
    .option("--json", "print one JSON object")
    .addHelpText("after", EXPLANATION)
    .showHelpAfterError("Add --help to see what the command takes.")
    .hook("preAction", (_program, command) => {
      // Of a variable of the shell that is not set.
      if (command.args.includes("")) command.error("error: an argument is empty");
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    });
  program.configureHelp(helpOf(program));
  const session = openSession(program, terminal);
  addOrganizationCommands(program, session);
  addDomainCommands(program, session);
  addEnrollmentKeyCommands(program, session);
  addAgentKeyCommands(program, session);
  addMessageCommands(program, session);
  addStorageCommands(program, session);
  addBackupCommands(program, session);
  return program;
}
