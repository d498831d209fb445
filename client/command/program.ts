// The command `mailberth`: its global options and all commands below it.
import { Command, type OutputConfiguration } from "commander";
import packageJson from "../../package.json" with { type: "json" };
import { nearName, ourParts } from "../../server/procedures/near-names.ts";
import { addAccountCommands } from "./account-commands.ts";
import { addCompletionCommand } from "./completion.ts";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { addDomainCommands } from "./domain-commands.ts";
import { addImportCommands } from "./import-commands.ts";
import { addInboxCommands } from "./inbox-commands.ts";
import { addInitCommand } from "./init-command.ts";
import { addKeyCommands } from "./key-commands.ts";
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
    .showSuggestionAfterError(false)
    .exitOverride();
  addInitCommand(program, shell);
  addServiceCommands(program, shell);
  addAccountCommands(program, shell);
  addKeyCommands(program, shell);
  addInboxCommands(program, shell);
  addImportCommands(program, shell);
  addSendCommands(program, shell);
  addMessageCommands(program, shell);
  addWaitCommand(program, shell);
  addListenCommand(program, shell);
  addMcpCommand(program, shell);
  addDomainCommands(program, shell);
  addDoctorCommand(program, shell);
  addCompletionCommand(program, shell);
  hint(program, {
    writeOut: (text) => shell.stdout.write(text),
    writeErr: (text) => shell.stderr.write(text),
  });
  return program;
}

/** Options whose name is shorter than that of their field in the API. */
const FIELDS: Record<string, string> = {
  all: "reply_all",
  expect_last: "expected_last_message_id",
  timeout: "timeout_seconds",
  webhook_url: "inbound_webhook_url",
};
const UNKNOWN_OPTION = /unknown option '--([\w-]{1,40})/;

const UNKNOWN_COMMAND = /unknown command '([\w-]{1,40})'/;
/** Names of commands, and what they are called elsewhere. */
const COMMANDS = new Map([
  ...["ls", "all"].map((name) => [name, "list"] as const),
  ...["show", "read", "view", "open"].map((name) => [name, "get"] as const),
  ...["new", "add", "make"].map((name) => [name, "create"] as const),
  ...["rm", "remove"].map((name) => [name, "delete"] as const),
  ...["me", "account"].map((name) => [name, "whoami"] as const),
  ...["login", "auth", "signup"].map((name) => [name, "enroll"] as const),
  ...["code", "otp"].map((name) => [name, "wait"] as const),
]);

/** Each command says which of its options or commands an unknown one means, as the API does for fields. */
function hint(command: Command, output: OutputConfiguration): void {
  command.configureOutput({
    ...output,
    outputError(text, write) {
      const near =
        nearOption(command, UNKNOWN_OPTION.exec(text)?.[1]) ?? nearCommand(command, UNKNOWN_COMMAND.exec(text)?.[1]);
      write(near ? `${text.trimEnd()}; did you mean \`${near}\`?\n` : text);
    },
  });
  for (const each of command.commands) hint(each, output);
}

function nearOption(command: Command, given = ""): string | undefined {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const fieldOf = (option: string) => {
    const name = option.slice(2).replaceAll("-", "_");
    return FIELDS[name] ?? name;
  };
  const near = nearName(given.replaceAll("-", "_"), options.map(fieldOf));
  return options.find((option) => fieldOf(option) === near);
}

function nearCommand(command: Command, given?: string): string | undefined {
  if (given === undefined) return;
  const own = command.commands.map((each) => each.name());
  // `send-email` begins with the command, `emails` is another word for it.
  const meant = [COMMANDS.get(given), ...ourParts([given]), given.split("-")[0]].find((name) =>
    own.includes(name ?? ""),
  );
  const near = command.commands.find((each) => each.name() === (meant ?? nearName(given, own)));
  const [elsewhere, ...more] = command.commands.flatMap(({ commands }) =>
    commands.filter((each) => each.name() === given),
  );
  const found = near ?? (more.length === 0 ? elsewhere : undefined);
  return found && pathOf(found);
}

/** `mailberth messages list` */
function pathOf(command: Command): string {
  return [command.parent && pathOf(command.parent), command.name()].filter(Boolean).join(" ");
}
