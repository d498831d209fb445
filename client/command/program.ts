// The command `mailberth`: its global options and all commands below it.
import { Command } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { addAccountCommands } from "./account-commands.ts";
import { addCompletionCommand } from "./completion.ts";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { addDomainCommands } from "./domain-commands.ts";
import { addInboxCommands } from "./inbox-commands.ts";
import { addListenCommand } from "./listen/listen-command.ts";
import { addMcpCommand } from "./mcp/mcp-command.ts";
import { addMessageCommands } from "./message-commands.ts";
import { addServiceCommands } from "./run-service.ts";
import { addSendCommands } from "./send-commands.ts";
import type { Shell } from "./session.ts";
import { addWaitCommand } from "./wait-command.ts";

const EXPLANATION = `
The service and the key come from --url and --key, MAILBERTH_URL and MAILBERTH_KEY, or the profile that \`enroll\` saved.

Exit codes: 0 ok · 1 error · 2 usage · 3 unauthorized · 4 not found · 5 conflict or quota · 6 timeout
            7 rate or cap · 8 unavailable · 9 doctor found a failure · 130 interrupted
`;

export function createProgram(shell: Shell): Command {
  const program = new Command("mailberth")
    .description("Open, self-hosted mail for software agents")
    .version(packageJson.version)
    .option("--url <url>", "the service")
    .option("--key <key>", "the agent key; MAILBERTH_KEY keeps it out of the process list")
    .option("--json", "print JSON, the default when the output is no terminal")
    .option("--no-json", "print tables and fields")
    .addHelpText("after", EXPLANATION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
    });
  addServiceCommands(program, shell);
  addAccountCommands(program, shell);
  addInboxCommands(program, shell);
  addSendCommands(program, shell);
  addMessageCommands(program, shell);
  addWaitCommand(program, shell);
  addListenCommand(program, shell);
  addMcpCommand(program, shell);
  addDomainCommands(program, shell);
  addDoctorCommand(program, shell);
  addCompletionCommand(program, shell);
  return program;
}
