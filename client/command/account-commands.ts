// The commands `enroll` and `whoami`.
import type { Command } from "commander";
import { readInput } from "./arguments.ts";
import { EXIT } from "./exit-codes.ts";
import { printObject } from "./print.ts";
import { CommandProblem } from "./problem.ts";
import { readProfile, saveProfile } from "./profile.ts";
import { clientOf, type GlobalOptions, namedUrl, openSession, readUrl, type Shell } from "./session.ts";

const NO_URL = "No service is named. Add --url <url>, or set MAILBERTH_URL.";
const NO_TOKEN = "No enrollment key is given. Pass it, or `-` and the key on the standard input.";

type EnrollOptions = GlobalOptions & { handle: string; name?: string };

export function addAccountCommands(program: Command, shell: Shell): void {
  program
    .command("enroll")
    .argument("<enrollment-key>", "the key mb_enroll_…, or `-` to read it from the standard input")
    .option("--handle <handle>", "names the agent; the same handle is always the same agent", "cli")
    .option("--name <name>", "name of the agent for people")
    .description("redeem an enrollment key, and save the agent key and the URL for all other commands")
    .action((token: string, options: EnrollOptions, command: Command) => enroll(shell, command, token, options));

  program
    .command("whoami")
    .description("show the agent of the key: its scopes, domains, mailbox quota and send budget")
    .action(async (_options, command: Command) => {
      const { client, url } = await openSession(shell, command);
      const caller = await client.auth.me.query(undefined);
      printObject(shell, command, { url, ...caller });
    });
}

async function enroll(shell: Shell, command: Command, given: string, { handle, name }: EnrollOptions): Promise<void> {
  const token = (given === "-" ? await readInput(shell) : given).trim();
  if (!token) throw new CommandProblem(EXIT.usage, NO_TOKEN);
  const url = namedUrl(shell, command.optsWithGlobals()) ?? (await savedUrl(shell));
  const client = clientOf(shell, { url });
  const input = { token, agent_handle: handle, agent_name: name };
  const { agent_key, ...agent } = await client.enroll.redeem.mutate(input);
  const profile = await saveProfile(shell.environment, { url, key: agent_key });
  printObject(shell, command, { url, agent_handle: handle, ...agent, profile });
}

async function savedUrl(shell: Shell): Promise<string> {
  const profile = await readProfile(shell.environment);
  if (!profile) throw new CommandProblem(EXIT.usage, NO_URL);
  return readUrl(profile.url);
}
