// The command `wait`: blocks until a matching message arrives, in several calls if the time is long.
import type { Command } from "commander";
import type { RouterOutputs } from "../index.ts";
import { addInbox, inboxOf, type Kind, kindOption, wholeNumber } from "./arguments.ts";
import { EXIT } from "./exit-codes.ts";
import { printObject } from "./print.ts";
import { CommandProblem } from "./problem.ts";
import { openSession, type Session, type Shell } from "./session.ts";

/** The service blocks no longer in one call. */
const CALL_MAX_SECONDS = 120;
const WAIT_MAX_SECONDS = 86_400;
const WAIT_DEFAULT_SECONDS = 60;

type WaitOptions = {
  inbox?: string;
  from?: string;
  to?: string;
  kind?: Kind;
  subject?: string;
  match?: string;
  after?: string;
  timeout: number;
  claim?: boolean;
  code?: boolean;
};
type Answer = RouterOutputs["messages"]["wait"];

export function addWaitCommand(program: Command, shell: Shell): void {
  addInbox(program.command("wait"), "address or id")
    .option("--from <sender>", "only mail from this address or domain")
    .option("--to <recipient>", "only mail to this address, or to one that contains it")
    .addOption(kindOption("only mail of this kind"))
    .option("--subject <text>", "only mail whose subject contains this text")
    .option("--match <pattern>", "only mail that matches this regular expression (RE2)")
    .option("--after <point>", "mail since this time, message id or cursor; default: the last 120 s")
    .option("--timeout <seconds>", "how long to wait", wholeNumber(0, WAIT_MAX_SECONDS), WAIT_DEFAULT_SECONDS)
    .option("--claim", "take the message, so that no other wait with --claim returns it")
    .option("--code", "print only the one-time code, or the link if there is no code")
    .description("wait for a message, and show its one-time code and link")
    .action(async (inbox: string | undefined, options: WaitOptions, command: Command) => {
      const addr = inboxOf(inbox, options);
      const session = await openSession(shell, command, CALL_MAX_SECONDS * 1_000);
      shell.stderr.write(`Waiting up to ${options.timeout} s for mail to ${addr}\n`);
      const answer = await waitInSlices(session, addr, options);
      if (options.code) printCode(shell, answer);
      else printAnswer(shell, command, answer);
    });
}

/** Repeats the call with the cursor of the last one until the time is over. */
async function waitInSlices({ client }: Session, addr: string, options: WaitOptions): Promise<Answer> {
  const { from, to, kind, subject, match, claim, timeout } = options;
  const end = performance.now() + timeout * 1_000;
  let after = options.after;
  let seconds = Math.min(timeout, CALL_MAX_SECONDS);
  do {
    const input = { addr, from, to, kind, subject, match, claim, after, timeout_seconds: seconds };
    const answer = await client.messages.wait.mutate(input);
    if (answer.message) return answer;
    after = answer.cursor || after;
    seconds = Math.min(Math.ceil((end - performance.now()) / 1_000), CALL_MAX_SECONDS);
  } while (seconds > 0);
  const more = after ? ` To continue from here, add --after ${after}.` : "";
  throw new CommandProblem(EXIT.timeout, `No matching mail arrived within ${timeout} s.${more}`);
}

function printCode(shell: Shell, { extracted, message }: Answer): void {
  const found = extracted.otp ?? extracted.link;
  if (found === null) {
    const text = `The message ${message?.id} has no code and no link. Read it: mailberth messages get ${message?.id}`;
    throw new CommandProblem(EXIT.notFound, text);
  }
  shell.stdout.write(`${found}\n`);
}

function printAnswer(shell: Shell, command: Command, answer: Answer): void {
  const { message, extracted, cursor } = answer;
  const { id, from, subject, security } = message ?? {};
  const risk = security?.risk ?? null;
  printObject(shell, command, answer, { id, from, subject, code: extracted.otp, link: extracted.link, risk, cursor });
}
