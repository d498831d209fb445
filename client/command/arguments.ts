// Reads the values of options and the standard input, within limits.
import { type Command, InvalidArgumentError, Option } from "commander";
import { EXIT } from "./exit-codes.ts";
import { CommandProblem } from "./problem.ts";
import type { Shell } from "./session.ts";

/** The service's limit for a text. */
const INPUT_MAX_BYTES = 10_485_760;
const STDIN = "-";

const KINDS = ["person", "automatic", "list", "bounce", "calendar"] as const;
export type Kind = (typeof KINDS)[number];

/** The option that names a kind of mail. */
export function kindOption(description: string): Option {
  return new Option("--kind <kind>", description).choices(KINDS);
}

/** A parser of whole numbers for an option. */
export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const number = Number(text);
    if (/^\d{1,9}$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Write a whole number from ${least} to ${most}.`);
  };
}

/** The mailbox of a command, which takes it as its argument or as the option `--inbox`. */
export function addInbox(command: Command, description: string): Command {
  return command.argument("[inbox]", description).option("--inbox <inbox>", "the same as the argument");
}

/** @throws CommandProblem unless the mailbox is given once */
export function inboxOf(argument: string | undefined, { inbox }: { inbox?: string }): string {
  const given = argument ?? inbox;
  if (given !== undefined && (argument === undefined || inbox === undefined || argument === inbox)) return given;
  const message = given === undefined ? "The mailbox is missing." : "Two mailboxes are given.";
  throw new CommandProblem(EXIT.usage, `${message} Write one, by address or id, as the argument or with --inbox.`);
}

/** Collects an option that may be repeated. */
export function collect(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

export async function readInput({ stdin, stop }: Shell): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const end = () => stdin.destroy();
  stop.addEventListener("abort", end, { once: true });
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > INPUT_MAX_BYTES) {
      throw new CommandProblem(EXIT.usage, `The input is longer than ${INPUT_MAX_BYTES} bytes. Shorten it.`);
    }
    chunks.push(bytes);
  }
  stop.removeEventListener("abort", end);
  return Buffer.concat(chunks).toString("utf8");
}

/** The value, or the standard input for `-`. */
export async function textOrInput(shell: Shell, value: string): Promise<string> {
  return value === STDIN ? readInput(shell) : value;
}
